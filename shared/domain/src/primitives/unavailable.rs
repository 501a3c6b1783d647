//! The error of a port that did not work.

use std::error::Error;

use thiserror::Error;

/// Something behind a port did not work. Ours, never the caller's: it becomes an opaque 5xx, and
/// one log line with the cause.
#[derive(Debug, Error)]
#[error("{what} failed")]
pub struct Unavailable {
    what: &'static str,
    #[source]
    cause: Box<dyn Error + Send + Sync>,
}

impl Unavailable {
    /// A failure of `what` (`"confirmation store: verify"`).
    pub fn new(what: &'static str, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self {
            what,
            cause: cause.into(),
        }
    }

    /// What failed.
    #[must_use]
    pub const fn what(&self) -> &'static str {
        self.what
    }
}
