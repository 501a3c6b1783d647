//! The ids of passkeys.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_with::{DeserializeFromStr, SerializeDisplay};
use thiserror::Error;

/// Maximum length in bytes (Web Authentication, section 4).
const MAX_BYTES: usize = 1023;

/// The id of a passkey on its phone: 1 to 1,023 bytes, in base64url without padding.
#[derive(Clone, Debug, PartialEq, Eq, SerializeDisplay, DeserializeFromStr)]
pub struct CredentialId(String);

/// The error for a text that is not the id of a passkey.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the id of a passkey is 1 to {MAX_BYTES} bytes in base64url without padding")]
pub struct MalformedCredentialId;

impl CredentialId {
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for CredentialId {
    type Err = MalformedCredentialId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_short = text.len() <= MAX_BYTES * 2;
        let bytes = is_short.then(|| BASE64_URL_SAFE_NO_PAD.decode(text).ok());
        match bytes.flatten().map(|bytes| bytes.len()) {
            Some(1..=MAX_BYTES) => Ok(Self(text.to_owned())),
            _ => Err(MalformedCredentialId),
        }
    }
}

impl fmt::Display for CredentialId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credential_id_is_bounded_and_has_one_spelling() {
        let longest = BASE64_URL_SAFE_NO_PAD.encode([7; MAX_BYTES]);
        for text in ["AQ", "q7sXmOJ0vC2m3yY0bq0u3g", &longest] {
            assert_eq!(text.parse::<CredentialId>().unwrap().as_str(), text);
        }
        let too_long = BASE64_URL_SAFE_NO_PAD.encode([7; MAX_BYTES + 1]);
        for text in ["", "AQ==", "AR", "a b", &too_long] {
            let refused = text.parse::<CredentialId>();
            assert_eq!(refused, Err(MalformedCredentialId), "{text}");
        }
    }
}
