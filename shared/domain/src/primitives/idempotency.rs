//! `Idempotency-Key`: repeating a request without starting a second session.

use std::str::FromStr;
use std::time::Duration;

use sha2::{Digest, Sha256};
use thiserror::Error;

/// How long a request is replayed with the same answer.
pub const WINDOW: Duration = Duration::from_hours(24);

/// The caller's `Idempotency-Key`: 1 to 255 visible ASCII characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyKey(String);

/// A header that is no idempotency key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("an Idempotency-Key is 1 to 255 visible ASCII characters")]
pub struct MalformedIdempotencyKey;

impl IdempotencyKey {
    /// The value.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for IdempotencyKey {
    type Err = MalformedIdempotencyKey;

    /// Reads the header's value.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if (1..=255).contains(&text.len()) && text.bytes().all(|c| c.is_ascii_graphic()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(MalformedIdempotencyKey)
        }
    }
}

/// SHA-256 over route and body, by which a replay is told from another request under the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestHash([u8; 32]);

impl RequestHash {
    /// The hash of a request.
    #[must_use]
    pub fn of(route: &str, body: &[u8]) -> Self {
        let digest = Sha256::new()
            .chain_update((route.len() as u64).to_be_bytes())
            .chain_update(route.as_bytes())
            .chain_update(body)
            .finalize();
        Self(digest.into())
    }

    /// A hash read back from a store.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_short_and_visible() {
        assert!("order-17".parse::<IdempotencyKey>().is_ok());
        for bad in ["", "a b", "ä", "a\n", &"a".repeat(256)] {
            assert!(bad.parse::<IdempotencyKey>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn route_and_body_are_told_apart() {
        assert_ne!(RequestHash::of("/a", b"b"), RequestHash::of("/ab", b""));
    }
}
