//! The origin of a callback URL.

use std::fmt;

use super::CallbackUrl;

/// An origin that an app's callbacks may go to: `https://host` or `https://host:port`, as
/// [`CallbackUrl::origin`] writes it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallbackOrigin(String);

impl CallbackOrigin {
    /// The origin of a callback URL.
    #[must_use]
    pub fn of(url: &CallbackUrl) -> Self {
        Self(url.origin())
    }

    /// An origin read back from a store.
    #[must_use]
    pub fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// The origin's text.
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
