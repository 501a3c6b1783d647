//! The port that tells watching browsers of changes.

use async_trait::async_trait;

use super::watcher::WatcherId;
use crate::primitives::unavailable::Unavailable;

/// Tells a watching browser that its session changed.
///
/// Every implementation MUST send no more than that: what it changed to, the browser asks for with
/// its token. It MUST give up within a bound rather than wait for a connection that takes nothing.
#[async_trait]
pub trait Push: Send + Sync {
    /// Sends `{"changed":true}`.
    async fn poke(&self, watcher: &WatcherId) -> Result<PokeOutcome, Unavailable>;
}

/// What became of a poke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PokeOutcome {
    /// It is on its way.
    Sent,
    /// Nobody is there any more, and nobody will come back under that name.
    Gone,
}
