//! The port that notifies watching browsers and phones of changes.

use async_trait::async_trait;

use super::watcher::WatcherId;
use crate::primitives::unavailable::Unavailable;

/// Notifies watching browsers and phones that the watched item has changed.
///
/// Implementations MUST NOT send anything else: the device requests the new state with its token.
/// They MUST give up within a limited time if a connection does not accept data.
#[async_trait]
pub trait Push: Send + Sync {
    /// Sends `{"changed":true}`.
    async fn notify(&self, watcher: &WatcherId) -> Result<NotifyOutcome, Unavailable>;
}

/// The result of a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotifyOutcome {
    /// The message was handed to the connection.
    Sent,
    /// The connection is closed and its id will not be used again.
    Gone,
}
