//! The error of a port that failed.

use std::error::Error;

use thiserror::Error;

/// A failure behind a port. The failure is ours and never the caller's: it becomes an opaque 5xx
/// response and one log line with the cause.
#[derive(Debug, Error)]
#[error("{what} failed")]
pub struct Unavailable {
    what: &'static str,
    is_damage: bool,
    #[source]
    cause: Box<dyn Error + Send + Sync>,
}

impl Unavailable {
    /// Creates the failure of `what`, such as `"confirmation store: verify"`, with its cause.
    pub fn new(what: &'static str, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self {
            what,
            is_damage: false,
            cause: cause.into(),
        }
    }

    /// Creates the failure of data that is corrupt or that this release cannot read, while everything else behind
    /// the port works.
    pub fn damaged(what: &'static str, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self {
            is_damage: true,
            ..Self::new(what, cause)
        }
    }

    /// Returns whether only the requested data is corrupt: retrying does not help, but requests for other
    /// data succeed.
    #[must_use]
    pub const fn is_damage(&self) -> bool {
        self.is_damage
    }

    /// Returns the name of the operation or data that failed.
    #[must_use]
    pub const fn what(&self) -> &'static str {
        self.what
    }
}
