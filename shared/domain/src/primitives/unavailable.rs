//! The error of a port that failed.

use std::error::Error;

use thiserror::Error;

/// A failure behind a port. It is our fault, never the caller's: it becomes an opaque 5xx response
/// and one log line with the cause.
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

    /// Creates the failure of something that is damaged, or that this release cannot read, while all else behind the
    /// port works.
    pub fn damaged(what: &'static str, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self {
            is_damage: true,
            ..Self::new(what, cause)
        }
    }

    /// Returns whether only what was asked for is damaged, so that asking again does not help and asking for
    /// something else does.
    #[must_use]
    pub const fn is_damage(&self) -> bool {
        self.is_damage
    }

    /// Returns the name of what failed.
    #[must_use]
    pub const fn what(&self) -> &'static str {
        self.what
    }
}
