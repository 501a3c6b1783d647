//! The person's decision.

use serde::{Deserialize, Serialize};

/// Decision of the person about a login.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "uniffi", derive(uniffi::Enum))]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// They are logging in themselves.
    Confirm,
    /// Somebody else is.
    Deny,
}

impl Decision {
    /// Returns the last part of the path by which the service is told.
    pub(crate) const fn route(self) -> &'static str {
        match self {
            Self::Confirm => "confirm",
            Self::Deny => "deny",
        }
    }
}
