//! The browser's public key, for which the phone encrypts.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_with::serde_as;
use thiserror::Error;

use crate::primitives::base64url::Base64Url;

/// The browser's public key for one login: an uncompressed P-256 point (SEC 1, section 2.3.3), 65
/// bytes. The phone uses the key and must check that the point is on the curve.
#[serde_as]
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrowserPublicKey(#[serde_as(as = "Base64Url")] [u8; 65]);

/// The error for a malformed browser key.
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
        write!(f, "BrowserPublicKey({self})")
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
    fn key_round_trips_through_text() {
        let key = key(9);
        let text = key.to_string();
        assert_eq!(text.len(), 87);
        assert_eq!(text.parse::<BrowserPublicKey>(), Ok(key));
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
}
