//! Ids of association keys.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_with::{DeserializeFromStr, SerializeDisplay};
use thiserror::Error;

/// The JWK thumbprint of an association key (RFC 7638): SHA-256 of its public half. Written as 43
/// characters of base64url, like `kid` in a proof's header.
///
/// The id is a pseudonym: the same key has the same id in every login of its user.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, SerializeDisplay, DeserializeFromStr,
)]
pub struct KeyId([u8; 32]);

/// The error for a malformed key id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a key's id is 32 bytes in base64url without padding")]
pub struct MalformedKeyId;

impl KeyId {
    /// Restores an id from its bytes, for stores.
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

impl FromStr for KeyId {
    type Err = MalformedKeyId;

    /// Parses the text form. Each id has only one text form: padding and surplus bits are refused.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut bytes = [0; 32];
        match BASE64_URL_SAFE_NO_PAD.decode_slice(text, &mut bytes) {
            Ok(32) => Ok(Self(bytes)),
            _ => Err(MalformedKeyId),
        }
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&BASE64_URL_SAFE_NO_PAD.encode(self.0))
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyId({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_round_trips_and_has_one_spelling() {
        let text = KeyId::from_bytes([0xa7; 32]).to_string();
        assert_eq!(text.len(), 43);
        assert_eq!(text.parse::<KeyId>(), Ok(KeyId::from_bytes([0xa7; 32])));
        let other_bits = format!("{}d", &text[..42]);
        let padded = format!("{text}=");
        for bad in ["", "AAAA", &text[..42], &padded, &other_bits] {
            assert_eq!(bad.parse::<KeyId>(), Err(MalformedKeyId), "{bad}");
        }
    }
}
