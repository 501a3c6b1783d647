//! The tokens by which the browser and the phone of a session prove that they are the same as
//! before. Only hashes of them are kept.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq as _;
use thiserror::Error;
use zeroize::Zeroize as _;

use super::payload::Payload;
use crate::primitives::entropy::Entropy;

/// Who holds a token. The two kinds are types of their own, and their hashes are made in domains
/// of their own, so that neither can stand in for the other.
pub trait Holder {
    /// What is hashed before the token.
    const DOMAIN: &'static [u8];
    /// The name that `Debug` shows.
    const NAME: &'static str;
}

/// The browser that shows the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Browser {}

/// The phone that opened it.
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

/// 32 random bytes; in writing 43 characters of base64url (RFC 4648, section 5) without padding.
#[derive(Clone)]
pub struct Token<H> {
    bytes: [u8; 32],
    holder: PhantomData<H>,
}

/// What the browser got when it made the session.
pub type BrowserToken = Token<Browser>;

/// What the phone drew before it opened the session.
pub type MobileToken = Token<Mobile>;

/// A text that is no token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a token is 32 bytes in base64url without padding")]
pub struct MalformedToken;

impl<H: Holder> Token<H> {
    /// A new random token.
    #[must_use]
    pub fn generate(entropy: &dyn Entropy) -> Self {
        let mut bytes = [0; 32];
        entropy.fill(&mut bytes);
        Self {
            bytes,
            holder: PhantomData,
        }
    }

    /// The written form: to hand it over once.
    #[must_use]
    pub fn reveal(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.bytes)
    }

    /// What is kept of it.
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

    /// Reads the written form. There is one only: padding, and bits that no byte holds, are
    /// refused.
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
    /// What tells a confirmation that is sent again from another one, after the payload is gone.
    /// Without the token, which nobody keeps, no payload can be guessed from it.
    #[must_use]
    pub fn fingerprint(&self, payload: &Payload) -> PayloadFingerprint {
        let digest = Sha256::new()
            .chain_update(b"countersign/qr/payload/1\0")
            .chain_update(self.bytes)
            .chain_update([u8::from(payload.is_encrypted())])
            .chain_update(payload.as_str().as_bytes())
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

/// SHA-256 of a token in its holder's domain. The token has 256 random bits, so a plain hash is
/// enough. Equality takes the same time wherever two differ.
#[derive(Clone, Copy)]
pub struct TokenHash<H> {
    bytes: [u8; 32],
    holder: PhantomData<H>,
}

/// What is kept of a [`BrowserToken`].
pub type BrowserTokenHash = TokenHash<Browser>;

/// What is kept of a [`MobileToken`].
pub type MobileTokenHash = TokenHash<Mobile>;

impl<H> TokenHash<H> {
    /// A hash read back from a store.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self {
            bytes,
            holder: PhantomData,
        }
    }

    /// The 32 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.bytes
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

/// A hash over a phone's token and the payload that it sent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PayloadFingerprint([u8; 32]);

impl PayloadFingerprint {
    /// A fingerprint read back from a store.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

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
    fn a_token_reads_back_and_has_one_spelling() {
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
    fn a_token_of_one_kind_is_none_of_the_other() {
        let browser = BrowserToken::generate(&FixedEntropy(1)).hash();
        let mobile = MobileToken::generate(&FixedEntropy(1)).hash();
        assert_ne!(browser.as_bytes(), mobile.as_bytes());
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
    fn a_fingerprint_depends_on_token_and_payload() {
        let [one, two] = [1, 2].map(|n| MobileToken::generate(&FixedEntropy(n)));
        let [a, b] = ["a", "b"].map(|text| Payload::clear(text.to_owned()).unwrap());
        assert_eq!(one.fingerprint(&a), one.clone().fingerprint(&a));
        assert_ne!(one.fingerprint(&a), one.fingerprint(&b));
        assert_ne!(one.fingerprint(&a), two.fingerprint(&a));
    }
}
