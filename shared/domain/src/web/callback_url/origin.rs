//! Origins of callback URLs, to which apps may restrict webhooks.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::CallbackUrl;

/// An origin that an app's callbacks may use, written as in [`CallbackUrl::origin`]
/// (`https://host:443`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CallbackOrigin(String);

impl CallbackOrigin {
    #[must_use]
    pub fn from_url(url: &CallbackUrl) -> Self {
        Self(url.origin())
    }

    /// Restores an origin from its text, for stores.
    #[must_use]
    pub fn from_stored(text: String) -> Self {
        Self(text)
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CallbackOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
