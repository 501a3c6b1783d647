//! The key for which the phone encrypts, and its hash, by which the phone knows it.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use thiserror::Error;

/// The browser's public key of this session: an uncompressed P-256 point (SEC 1, section 2.3.3),
/// 65 bytes. Whether it lies on the curve is for the phone to check, which is the one to use it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct BrowserPublicKey([u8; 65]);

/// A text that is no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a browser's key is an uncompressed P-256 point: 65 bytes in base64url without padding")]
pub struct MalformedBrowserKey;

impl BrowserPublicKey {
    /// The key of these bytes.
    pub const fn from_bytes(bytes: [u8; 65]) -> Result<Self, MalformedBrowserKey> {
        if bytes[0] == 4 {
            Ok(Self(bytes))
        } else {
            Err(MalformedBrowserKey)
        }
    }

    /// The 65 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 65] {
        &self.0
    }

    /// What the link carries of it.
    #[must_use]
    pub fn hash(&self) -> BrowserKeyHash {
        BrowserKeyHash(Sha256::digest(self.0).into())
    }
}

impl FromStr for BrowserPublicKey {
    type Err = MalformedBrowserKey;

    /// Reads base64url.
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

/// SHA-256 over a browser's key: `k` in the link's fragment. It reaches the phone through the
/// screen alone, so that nobody on the way, the service included, can put another key in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct BrowserKeyHash([u8; 32]);

impl BrowserKeyHash {
    /// Whether this is the key that the code on the screen spoke of. Where it is not, the phone
    /// must not send anything.
    #[must_use]
    pub fn fits(&self, key: &BrowserPublicKey) -> bool {
        key.hash() == *self
    }
}

impl FromStr for BrowserKeyHash {
    type Err = MalformedBrowserKey;

    /// Reads base64url.
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
    fn a_key_and_its_hash_read_back() {
        let key = key(9);
        let text = key.to_string();
        assert_eq!(text.len(), 87);
        assert_eq!(text.parse::<BrowserPublicKey>(), Ok(key));
        let hash = key.hash();
        assert_eq!(hash.to_string().len(), 43);
        assert_eq!(hash.to_string().parse::<BrowserKeyHash>(), Ok(hash));
    }

    #[test]
    fn other_bytes_are_no_key() {
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
    fn a_swapped_browser_key_does_not_fit_the_hash_in_the_code() {
        let in_the_code = key(1).hash();
        assert!(in_the_code.fits(&key(1)));
        assert!(!in_the_code.fits(&key(2)));
    }
}
