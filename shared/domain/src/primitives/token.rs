//! Tokens with which a device proves that it is the same as before. Only their hashes are stored.

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

use super::base64url::Base64Url;
use super::entropy::Entropy;

/// The holder of a token. Each kind of holder has its own type and its own hash domain, so that a token
/// of one kind can never be used as one of another.
pub trait Holder {
    /// Prefix of the hashed text, which separates the domains.
    const DOMAIN: &'static [u8];
    /// Name shown by `Debug`.
    const NAME: &'static str;
}

/// A secret of 32 random bytes, written as 43 characters of base64url (RFC 4648, section 5) without
/// padding.
#[derive(Clone)]
pub struct Token<H> {
    bytes: [u8; 32],
    holder: PhantomData<H>,
}

/// The error for a malformed token.
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

    pub(crate) const fn as_bytes(&self) -> &[u8; 32] {
        &self.bytes
    }

    /// Returns the text form, for sending it.
    #[must_use]
    pub fn reveal(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.bytes)
    }

    /// Returns the hash of the token. Only the hash is stored.
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

    /// Parses the text form. Each token has only one text form: padding and surplus bits are
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

/// Compares in constant time.
impl<H> PartialEq for Token<H> {
    fn eq(&self, other: &Self) -> bool {
        self.bytes.ct_eq(&other.bytes).into()
    }
}

impl<H> Eq for Token<H> {}

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

/// SHA-256 of a token, with its holder's domain. A plain hash is enough for 256 random bits.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitives::entropy::FixedEntropy;

    enum Device {}

    impl Holder for Device {
        const DOMAIN: &'static [u8] = b"device";
        const NAME: &'static str = "DeviceToken";
    }

    #[test]
    fn token_round_trips_and_has_one_spelling() {
        let token = Token::<Device>::generate(&FixedEntropy(0xa7));
        let text = token.reveal();
        assert_eq!(text.len(), 43);
        let read = text.parse::<Token<Device>>().unwrap();
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
            assert!(bad.parse::<Token::<Device>>().is_err(), "{bad}");
        }
        let standard = "/".repeat(42) + "8";
        assert!(
            standard.parse::<Token::<Device>>().is_err(),
            "not base64url"
        );
        assert!(
            standard
                .replace('/', "_")
                .parse::<Token::<Device>>()
                .is_ok()
        );
    }
}
