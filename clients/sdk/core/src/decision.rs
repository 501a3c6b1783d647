//! The person's decision.

use serde::{Deserialize, Serialize};

/// Decision of the person about a login.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "uniffi", derive(uniffi::Enum))]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// They are logging in themselves.
    Confirm,
    /// Another person is logging in.
    Deny,
}

impl Decision {
    /// Returns the last part of the path of the request to the service.
    pub(crate) const fn route(self) -> &'static str {
        match self {
            Self::Confirm => "confirm",
            Self::Deny => "deny",
        }
    }
}
