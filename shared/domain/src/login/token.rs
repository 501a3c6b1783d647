//! Tokens with which the browser and the phone of a login prove that they took part in it before.
//! Only their hashes are stored.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_with::serde_as;
use sha2::{Digest, Sha256};

use super::phone_payload::PhonePayload;
use crate::primitives::base64url::Base64Url;
use crate::primitives::framing::framed;
use crate::primitives::token::{Holder, Token, TokenHash};

/// The browser that shows the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Browser {}

/// The phone that opens the login.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mobile {}

/// A page that shows a login of the app's server, and may only watch it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoginPage {}

impl Holder for Browser {
    const DOMAIN: &'static [u8] = b"countersign/qr/browser-token/1\0";
    const NAME: &'static str = "BrowserToken";
}

impl Holder for Mobile {
    const DOMAIN: &'static [u8] = b"countersign/qr/mobile-token/1\0";
    const NAME: &'static str = "MobileToken";
}

impl Holder for LoginPage {
    const DOMAIN: &'static [u8] = b"countersign/qr/page-token/1\0";
    const NAME: &'static str = "LoginPageToken";
}

/// The token that the browser chose before it created the login.
pub type BrowserToken = Token<Browser>;

/// The token that the phone chose before it opened the login.
pub type MobileToken = Token<Mobile>;

/// The token with which a page watches a login that the app's server opened and whose [`BrowserToken`] the
/// server keeps. It is derived from the [`BrowserToken`], which cannot be computed from it.
pub type LoginPageToken = Token<LoginPage>;

/// The stored hash of a [`BrowserToken`].
pub type BrowserTokenHash = TokenHash<Browser>;

/// The stored hash of a [`MobileToken`].
pub type MobileTokenHash = TokenHash<Mobile>;

/// The stored hash of a [`LoginPageToken`].
pub type LoginPageTokenHash = TokenHash<LoginPage>;

/// Purpose and version of the derivation of [`LoginPageToken`].
const PAGE_TOKEN_LABEL: &[u8] = b"countersign/login-page-token/1\0";

impl BrowserToken {
    /// Derives the token with which a page may watch the login.
    #[must_use]
    pub fn page_token(&self) -> LoginPageToken {
        let digest = Sha256::new()
            .chain_update(PAGE_TOKEN_LABEL)
            .chain_update(self.as_bytes())
            .finalize();
        LoginPageToken::from_bytes(digest.into())
    }
}

impl MobileToken {
    /// Computes the fingerprint of a confirmation's data, which tells a repeated confirmation from a
    /// different one after the payload was deleted. Payloads cannot be guessed from the fingerprint
    /// without the phone's token, which is never stored.
    #[must_use]
    pub fn fingerprint(&self, said: &PhonePayload) -> PayloadFingerprint {
        let payload = said.payload();
        let salt = said.salt().map(|salt| salt.as_bytes().as_slice());
        let proof = said.proof().map(|proof| proof.as_str().as_bytes());
        let parts = framed(&[
            &[u8::from(payload.is_encrypted())],
            payload.as_str().as_bytes(),
            salt.unwrap_or_default(),
            proof.unwrap_or_default(),
        ]);
        let digest = Sha256::new()
            .chain_update(b"countersign/qr/payload/1\0")
            .chain_update(self.as_bytes())
            .chain_update(parts)
            .finalize();
        PayloadFingerprint(digest.into())
    }
}

/// A hash of a phone's token and the data of its confirmation.
#[serde_as]
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PayloadFingerprint(#[serde_as(as = "Base64Url")] [u8; 32]);

impl fmt::Debug for PayloadFingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PayloadFingerprint(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitives::entropy::FixedEntropy;

    #[test]
    fn browser_and_phone_tokens_have_different_hashes() {
        let browser = BrowserToken::generate(&FixedEntropy(1)).hash();
        let mobile = MobileToken::generate(&FixedEntropy(1)).hash();
        let text = |hash: serde_json::Result<String>| hash.unwrap();
        let (browser, mobile) = (
            serde_json::to_string(&browser),
            serde_json::to_string(&mobile),
        );
        assert_ne!(text(browser), text(mobile));
    }

    #[test]
    fn page_token_is_derived_as_documented() {
        let browser = BrowserToken::from_bytes([7; 32]);
        let page = browser.page_token();
        assert_eq!(page.reveal(), "QDaIv2eBbWItFIpKaM7iRJLRi4icJHJmIsmPKuJjgi0");
        let text = |hash: serde_json::Result<String>| hash.unwrap();
        let presented = BrowserToken::from_bytes(*page.as_bytes());
        assert_ne!(presented.hash(), browser.hash(), "it redeems nothing");
        assert_ne!(
            text(serde_json::to_string(&page.hash())),
            text(serde_json::to_string(&presented.hash()))
        );
        assert_eq!(format!("{page:?}"), "LoginPageToken(…)");
    }

    #[test]
    fn debug_hides_tokens_and_hashes() {
        let browser = BrowserToken::generate(&FixedEntropy(1));
        assert_eq!(format!("{browser:?}"), "BrowserToken(…)");
        assert_eq!(format!("{:?}", browser.hash()), "BrowserTokenHash(…)");
        let mobile = MobileToken::generate(&FixedEntropy(1));
        assert_eq!(format!("{mobile:?}"), "MobileToken(…)");
    }

    #[test]
    fn fingerprint_depends_on_token_payload_salt_and_proof() {
        use crate::login::payload::Payload;
        use crate::login::phone_payload::{Proof, Salt};

        let [one, two] = [1, 2].map(|n| MobileToken::generate(&FixedEntropy(n)));
        let clear = |text: &str| Payload::clear(text.to_owned()).unwrap();
        let salt = |n| Some(Salt::from_bytes([n; 16]));
        let proof = |text: &str| text.parse::<Proof>().ok();
        let a = PhonePayload::bare(clear("a"));
        assert_eq!(one.fingerprint(&a), one.clone().fingerprint(&a));
        assert_ne!(one.fingerprint(&a), two.fingerprint(&a));
        let others = [
            PhonePayload::bare(clear("b")),
            PhonePayload::new(clear("a"), salt(1), None).unwrap(),
            PhonePayload::new(clear("a"), salt(2), None).unwrap(),
            PhonePayload::new(clear("a"), salt(1), proof("a.b.c")).unwrap(),
            PhonePayload::new(clear("a"), salt(1), proof("a.b.d")).unwrap(),
        ];
        for (n, other) in others.iter().enumerate() {
            assert_ne!(one.fingerprint(&a), one.fingerprint(other));
            for another in &others[n + 1..] {
                assert_ne!(one.fingerprint(other), one.fingerprint(another));
            }
        }
    }
}
