//! Denials: data that a phone sends when the person, or the phone itself, refuses a login.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::payload::MAX_BYTES;

/// The data that the phone sends with a denial, for the app's server. The payload of a denial is
/// never encrypted, so apps must not put the payload of a confirmation there. `Debug` hides the
/// text.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DenialPayload(String);

/// The error for a text that is too long for a denial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the payload is longer than {MAX_BYTES} bytes")]
pub struct DenialTooLong;

impl DenialPayload {
    /// Creates the payload of a denial.
    ///
    /// # Errors
    ///
    /// Fails if the text is longer than [`MAX_BYTES`].
    pub fn new(text: String) -> Result<Self, DenialTooLong> {
        if text.len() > MAX_BYTES {
            return Err(DenialTooLong);
        }
        Ok(Self(text))
    }

    /// Returns the text as it was sent.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for DenialPayload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DenialPayload({} bytes)", self.0.len())
    }
}

/// Why a phone refused a login by itself.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    serde::Serialize,
    strum::IntoStaticStr,
    utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[schema(as = LoginDenyReason)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum DenyReason {
    /// The session's id does not vouch for what the phone was told ([`check`](super::identity::check)). The login is
    /// blocked.
    KeyMismatch,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payload_is_any_text_within_the_limit() {
        for text in ["", "not me", "ünï\u{0}"] {
            assert_eq!(DenialPayload::new(text.to_owned()).unwrap().as_str(), text);
        }
        assert!(DenialPayload::new("x".repeat(MAX_BYTES)).is_ok());
        let long = DenialPayload::new("x".repeat(MAX_BYTES + 1));
        assert_eq!(long, Err(DenialTooLong));
    }

    #[test]
    fn debug_hides_the_payload() {
        let payload = DenialPayload::new("secret".to_owned()).unwrap();
        assert_eq!(format!("{payload:?}"), "DenialPayload(6 bytes)");
    }
}
