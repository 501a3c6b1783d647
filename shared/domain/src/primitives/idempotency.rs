//! `Idempotency-Key`: repeating a request without starting a second confirmation or login.

use std::str::FromStr;
use std::time::Duration;

use sha2::{Digest, Sha256};
use thiserror::Error;

/// Time for which a repeated request gets the same answer.
pub const WINDOW: Duration = Duration::from_hours(24);

/// A caller's `Idempotency-Key`: 1 to 255 visible ASCII characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyKey(String);

/// The error for a header value that is not an idempotency key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("an Idempotency-Key is 1 to 255 visible ASCII characters")]
pub struct MalformedIdempotencyKey;

impl IdempotencyKey {
    /// Returns the key's text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for IdempotencyKey {
    type Err = MalformedIdempotencyKey;

    /// Parses the header's value.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if (1..=255).contains(&text.len()) && text.bytes().all(|c| c.is_ascii_graphic()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(MalformedIdempotencyKey)
        }
    }
}

/// SHA-256 of route and body, which tells a replay from a different request under the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestHash([u8; 32]);

impl RequestHash {
    /// Hashes a request.
    #[must_use]
    pub fn of(route: &str, body: &[u8]) -> Self {
        let digest = Sha256::new()
            .chain_update((route.len() as u64).to_be_bytes())
            .chain_update(route.as_bytes())
            .chain_update(body)
            .finalize();
        Self(digest.into())
    }

    /// Restores a hash from its bytes, for stores.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the 32 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_1_to_255_visible_ascii_characters() {
        assert!("order-17".parse::<IdempotencyKey>().is_ok());
        for bad in ["", "a b", "ä", "a\n", &"a".repeat(256)] {
            assert!(bad.parse::<IdempotencyKey>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn hash_differs_by_route_and_by_body() {
        assert_ne!(RequestHash::of("/a", b"b"), RequestHash::of("/ab", b""));
    }
}
