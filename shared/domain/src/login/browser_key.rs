//! The browser's key, for which the phone encrypts, and the hash by which the phone verifies it.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use thiserror::Error;

/// The browser's public key for one login: an uncompressed P-256 point (SEC 1, section 2.3.3), 65
/// bytes. The phone, which uses the key, must check that it lies on the curve.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct BrowserPublicKey([u8; 65]);

/// The error for a text or bytes that are not a browser's key or its hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a browser key is an uncompressed P-256 point: 65 bytes in base64url without padding")]
pub struct MalformedBrowserKey;

impl BrowserPublicKey {
    /// Creates a key from its bytes.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are not marked as an uncompressed point.
    pub const fn from_bytes(bytes: [u8; 65]) -> Result<Self, MalformedBrowserKey> {
        if bytes[0] == 4 {
            Ok(Self(bytes))
        } else {
            Err(MalformedBrowserKey)
        }
    }

    /// Returns the 65 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 65] {
        &self.0
    }

    /// Returns the hash of the key, which the link contains.
    #[must_use]
    pub fn hash(&self) -> BrowserKeyHash {
        BrowserKeyHash(Sha256::digest(self.0).into())
    }
}

impl FromStr for BrowserPublicKey {
    type Err = MalformedBrowserKey;

    /// Parses base64url.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut bytes = [0; 65];
        match BASE64_URL_SAFE_NO_PAD.decode_slice(text, &mut bytes) {
            Ok(65) => Self::from_bytes(bytes),
            _ => Err(MalformedBrowserKey),
        }
    }
}

impl fmt::Display for BrowserPublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&BASE64_URL_SAFE_NO_PAD.encode(self.0))
    }
}

impl fmt::Debug for BrowserPublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BrowserPublicKey({:?})", self.hash())
    }
}

/// SHA-256 of a browser's key: `k` in the link's fragment. It reaches the phone only through the
/// screen, so that nobody in between, not even the service, can substitute another key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct BrowserKeyHash([u8; 32]);

impl BrowserKeyHash {
    /// Returns whether this is the hash of `key`. If it is not, the phone must not send anything.
    #[must_use]
    pub fn fits(&self, key: &BrowserPublicKey) -> bool {
        key.hash() == *self
    }
}

impl FromStr for BrowserKeyHash {
    type Err = MalformedBrowserKey;

    /// Parses base64url.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut bytes = [0; 32];
        match BASE64_URL_SAFE_NO_PAD.decode_slice(text, &mut bytes) {
            Ok(32) => Ok(Self(bytes)),
            _ => Err(MalformedBrowserKey),
        }
    }
}

impl fmt::Display for BrowserKeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&BASE64_URL_SAFE_NO_PAD.encode(self.0))
    }
}

impl fmt::Debug for BrowserKeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(fill: u8) -> BrowserPublicKey {
        let mut bytes = [fill; 65];
        bytes[0] = 4;
        BrowserPublicKey::from_bytes(bytes).unwrap()
    }

    #[test]
    fn key_and_hash_round_trip_through_text() {
        let key = key(9);
        let text = key.to_string();
        assert_eq!(text.len(), 87);
        assert_eq!(text.parse::<BrowserPublicKey>(), Ok(key));
        let hash = key.hash();
        assert_eq!(hash.to_string().len(), 43);
        assert_eq!(hash.to_string().parse::<BrowserKeyHash>(), Ok(hash));
    }

    #[test]
    fn bytes_that_are_not_a_key_are_refused() {
        let compressed = BASE64_URL_SAFE_NO_PAD.encode([2; 33]);
        let hybrid = BASE64_URL_SAFE_NO_PAD.encode([6; 65]);
        for text in ["", "A", &compressed, &hybrid, &format!("{}=", key(1))] {
            assert_eq!(
                text.parse::<BrowserPublicKey>(),
                Err(MalformedBrowserKey),
                "{text}"
            );
        }
    }

    #[test]
    fn substituted_browser_key_does_not_fit_the_hash_in_the_link() {
        let in_the_code = key(1).hash();
        assert!(in_the_code.fits(&key(1)));
        assert!(!in_the_code.fits(&key(2)));
    }
}
