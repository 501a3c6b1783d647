//! The user's decision.

use serde::{Deserialize, Serialize};

/// The user's decision about a login.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "uniffi", derive(uniffi::Enum))]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// The user is logging in.
    Confirm,
    /// Someone else is logging in.
    Deny,
}

impl Decision {
    /// Returns the last path segment of the request to the service.
    pub(crate) const fn route(self) -> &'static str {
        match self {
            Self::Confirm => "confirm",
            Self::Deny => "deny",
        }
    }
}
