//! Tokens by which the browser and the phone of a login prove that they are the same as before.
//! Only their hashes are stored.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_with::serde_as;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq as _;
use thiserror::Error;
use zeroize::Zeroize as _;

use super::phone_payload::PhonePayload;
use crate::primitives::base64url::Base64Url;
use crate::primitives::entropy::Entropy;
use crate::primitives::framing::framed;

/// The holder of a token. Browser and phone have different types of tokens, and their hashes are
/// separated by domain, so that neither can stand in for the other.
pub trait Holder {
    /// Prefix of the hashed text, which separates the domains.
    const DOMAIN: &'static [u8];
    /// Name shown by `Debug`.
    const NAME: &'static str;
}

/// The browser that shows the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Browser {}

/// The phone that opens the login.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mobile {}

impl Holder for Browser {
    const DOMAIN: &'static [u8] = b"countersign/qr/browser-token/1\0";
    const NAME: &'static str = "BrowserToken";
}

impl Holder for Mobile {
    const DOMAIN: &'static [u8] = b"countersign/qr/mobile-token/1\0";
    const NAME: &'static str = "MobileToken";
}

/// A secret of 32 random bytes, written as 43 characters of base64url (RFC 4648, section 5) without
/// padding.
#[derive(Clone)]
pub struct Token<H> {
    bytes: [u8; 32],
    holder: PhantomData<H>,
}

/// The token that the browser chose before it created the login.
pub type BrowserToken = Token<Browser>;

/// The token that the phone chose before it opened the login.
pub type MobileToken = Token<Mobile>;

/// The error for a text that is not a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a token is 32 bytes in base64url without padding")]
pub struct MalformedToken;

impl<H: Holder> Token<H> {
    /// Creates a random token.
    #[must_use]
    pub fn generate(entropy: &dyn Entropy) -> Self {
        let mut bytes = [0; 32];
        entropy.fill(&mut bytes);
        Self {
            bytes,
            holder: PhantomData,
        }
    }

    /// Creates a token from 32 bytes, which MUST be secret: random, or derived from a secret.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self {
            bytes,
            holder: PhantomData,
        }
    }

    pub(in crate::login) const fn as_bytes(&self) -> &[u8; 32] {
        &self.bytes
    }

    /// Returns the text form, for sending it.
    #[must_use]
    pub fn reveal(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.bytes)
    }

    /// Returns the token's hash, which is all that is stored.
    #[must_use]
    pub fn hash(&self) -> TokenHash<H> {
        let digest = Sha256::new()
            .chain_update(H::DOMAIN)
            .chain_update(self.bytes)
            .finalize();
        TokenHash::from_bytes(digest.into())
    }
}

impl<H: Holder> FromStr for Token<H> {
    type Err = MalformedToken;

    /// Parses the text form. There is only one: padding and surplus bits are refused.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut bytes = [0; 32];
        match BASE64_URL_SAFE_NO_PAD.decode_slice(text, &mut bytes) {
            Ok(32) => Ok(Self {
                bytes,
                holder: PhantomData,
            }),
            _ => Err(MalformedToken),
        }
    }
}

impl MobileToken {
    /// Computes the fingerprint of a confirmation's data, which distinguishes a repeated confirmation
    /// from another one after the payload is gone. Without the token, which is never stored, payloads
    /// cannot be guessed from it.
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
            .chain_update(self.bytes)
            .chain_update(parts)
            .finalize();
        PayloadFingerprint(digest.into())
    }
}

impl<H> Drop for Token<H> {
    fn drop(&mut self) {
        self.bytes.zeroize();
    }
}

impl<H: Holder> fmt::Debug for Token<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(…)", H::NAME)
    }
}

/// SHA-256 of a token in its holder's domain. A plain hash is enough for 256 random bits.
/// Comparison takes constant time.
#[serde_as]
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(bound = "", transparent)]
pub struct TokenHash<H> {
    #[serde_as(as = "Base64Url")]
    bytes: [u8; 32],
    #[serde(skip)]
    holder: PhantomData<H>,
}

/// The stored hash of a [`BrowserToken`].
pub type BrowserTokenHash = TokenHash<Browser>;

/// The stored hash of a [`MobileToken`].
pub type MobileTokenHash = TokenHash<Mobile>;

impl<H> TokenHash<H> {
    /// Restores a hash from its bytes, for stores.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self {
            bytes,
            holder: PhantomData,
        }
    }
}

impl<H> PartialEq for TokenHash<H> {
    fn eq(&self, other: &Self) -> bool {
        self.bytes.ct_eq(&other.bytes).into()
    }
}

impl<H> Eq for TokenHash<H> {}

impl<H: Holder> fmt::Debug for TokenHash<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}Hash(…)", H::NAME)
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
    fn token_round_trips_and_has_one_spelling() {
        let token = BrowserToken::generate(&FixedEntropy(0xa7));
        let text = token.reveal();
        assert_eq!(text.len(), 43);
        let read = text.parse::<BrowserToken>().unwrap();
        assert_eq!(read.hash(), token.hash());
        let other_bits = format!("{}{}", &text[..42], 'd');
        assert_ne!(other_bits, text);
        let padded = format!("{text}=");
        for bad in [
            "",
            "AAAA",
            &text[..42],
            &padded,
            &other_bits,
            &format!("{text}A"),
        ] {
            assert!(bad.parse::<BrowserToken>().is_err(), "{bad}");
        }
        let standard = "/".repeat(42) + "8";
        assert!(standard.parse::<BrowserToken>().is_err(), "not base64url");
        assert!(standard.replace('/', "_").parse::<BrowserToken>().is_ok());
    }

    #[test]
    fn browser_and_phone_tokens_have_different_hashes() {
        let browser = BrowserToken::generate(&FixedEntropy(1)).hash();
        let mobile = MobileToken::generate(&FixedEntropy(1)).hash();
        assert_ne!(browser.bytes, mobile.bytes);
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
