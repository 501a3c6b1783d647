//! The error of a port that failed.

use std::error::Error;

use thiserror::Error;

/// A failure behind a port. It is our fault, never the caller's: it becomes an opaque 5xx response
/// and one log line with the cause.
#[derive(Debug, Error)]
#[error("{what} failed")]
pub struct Unavailable {
    what: &'static str,
    #[source]
    cause: Box<dyn Error + Send + Sync>,
}

impl Unavailable {
    /// Creates the failure of `what`, such as `"confirmation store: verify"`, with its cause.
    pub fn new(what: &'static str, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self {
            what,
            cause: cause.into(),
        }
    }

    /// Returns the name of what failed.
    #[must_use]
    pub const fn what(&self) -> &'static str {
        self.what
    }
}
