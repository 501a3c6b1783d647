//! `Idempotency-Key`: repeating a request without starting a second confirmation or login.

use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_with::serde_as;
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::primitives::base64url::Base64Url;

/// Time during which a repeated request gets the same answer.
pub const WINDOW: Duration = Duration::from_hours(24);

/// A caller's `Idempotency-Key`: 1 to 255 visible ASCII characters. `draft-ietf-httpapi-idempotency-key`
/// makes it a string in the syntax of structured fields (RFC 8941, section 3.3.3), in quotes; many
/// callers send it without quotes. Both forms are the same key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyKey(String);

/// The error for a malformed idempotency key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("an Idempotency-Key is 1 to 255 visible ASCII characters")]
pub struct MalformedIdempotencyKey;

impl IdempotencyKey {
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for IdempotencyKey {
    type Err = MalformedIdempotencyKey;

    /// Parses the header's value.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let key = match text.strip_prefix('"') {
            Some(quoted) => unquoted(quoted).ok_or(MalformedIdempotencyKey)?,
            None => text.to_owned(),
        };
        if (1..=255).contains(&key.len()) && key.bytes().all(|c| c.is_ascii_graphic()) {
            Ok(Self(key))
        } else {
            Err(MalformedIdempotencyKey)
        }
    }
}

/// Returns the content of a quoted string whose opening quote has been read.
fn unquoted(text: &str) -> Option<String> {
    let mut rest = text.chars();
    let mut value = String::new();
    loop {
        match rest.next()? {
            '"' => return rest.next().is_none().then_some(value),
            '\\' => value.push(rest.next().filter(|c| matches!(c, '"' | '\\'))?),
            plain => value.push(plain),
        }
    }
}

/// SHA-256 of route and body, which distinguishes a replay from a different request with the same
/// key.
#[serde_as]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestHash(#[serde_as(as = "Base64Url")] [u8; 32]);

impl RequestHash {
    #[must_use]
    pub fn new(route: &str, body: &[u8]) -> Self {
        let digest = Sha256::new()
            .chain_update((route.len() as u64).to_be_bytes())
            .chain_update(route.as_bytes())
            .chain_update(body)
            .finalize();
        Self(digest.into())
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
    fn quoted_key_is_the_bare_one() {
        let key = |text: &str| text.parse::<IdempotencyKey>();
        assert_eq!(key("\"order-17\""), key("order-17"));
        assert_eq!(key(r#""a\"b\\c""#).unwrap().as_str(), r#"a"b\c"#);
        let longest = "a".repeat(255);
        assert_eq!(key(&format!("\"{longest}\"")), key(&longest));
        for bad in [
            "\"",
            "\"\"",
            "\"a",
            "\"a\"b",
            "\"a b\"",
            "\"a\";x=1",
            r#""a\""#,
            r#""a\b""#,
            "\"a\" ",
            &format!("\"{longest}a\""),
        ] {
            assert!(key(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn hash_differs_by_route_and_by_body() {
        assert_ne!(RequestHash::new("/a", b"b"), RequestHash::new("/ab", b""));
    }
}
