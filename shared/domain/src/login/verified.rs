//! Facts proved by a verified proof.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_with::serde_as;
use thiserror::Error;

use super::user::ClaimedUserId;
use crate::primitives::base64url::Base64Url;

/// A user who confirmed a login with a proof that the service verified with a registered key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerifiedUser {
    /// The owner of the key.
    pub user: ClaimedUserId,
    /// The proof's hash of payload and salt.
    pub pay: PayDigest,
}

/// The hash of a payload and its salt: the claim `pay` of a proof (docs/logins.md).
#[serde_as]
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PayDigest(#[serde_as(as = "Base64Url")] [u8; 32]);

impl PayDigest {
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

/// The error for a malformed digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a digest is 32 bytes in base64url without padding")]
pub struct MalformedDigest;

impl FromStr for PayDigest {
    type Err = MalformedDigest;

    /// Parses the text form. Each digest has only one text form: padding and surplus bits are
    /// refused.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut bytes = [0; 32];
        match BASE64_URL_SAFE_NO_PAD.decode_slice(text, &mut bytes) {
            Ok(32) => Ok(Self(bytes)),
            _ => Err(MalformedDigest),
        }
    }
}

/// The text form in a proof: base64url without padding.
impl fmt::Display for PayDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&BASE64_URL_SAFE_NO_PAD.encode(self.0))
    }
}

impl fmt::Debug for PayDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PayDigest({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digest_has_one_text_form() {
        let digest = PayDigest::from_bytes([7; 32]);
        let text = digest.to_string();
        assert_eq!(text.len(), 43);
        assert_eq!(text.parse::<PayDigest>(), Ok(digest));
        for odd in [
            "",
            "BwcH",
            &format!("{text}="),
            &format!("{text}A"),
            &text[1..],
        ] {
            assert_eq!(odd.parse::<PayDigest>(), Err(MalformedDigest), "{odd}");
        }
        let surplus_bits = format!("{}d", &text[..42]);
        assert_eq!(surplus_bits.parse::<PayDigest>(), Err(MalformedDigest));
    }
}
