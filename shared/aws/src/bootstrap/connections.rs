//! The connections that a function establishes concurrently while it starts.
//!
//! Each is a call that warms up a client, so that its connection is established when the first
//! request comes. A failure aborts the startup only if every request needs the connection; other
//! clients connect on first use.

#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use countersign_api::Causes;
use countersign_domain::primitives::unavailable::Unavailable;
use futures_util::future::try_join_all;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Maximum time that the startup waits for a connection that the first request does not need. A
/// healthy service answers within a fraction of a second.
const OPTIONAL_TIMEOUT: Duration = Duration::from_secs(2);

/// A connection in progress.
type ConnectionTask = JoinHandle<Result<(), Unavailable>>;

/// Connections in progress. Clones share the connections.
#[derive(Clone, Debug, Default)]
pub(super) struct Connections(Arc<Mutex<Vec<ConnectionTask>>>);

impl Connections {
    /// Starts a connection that every request needs: its failure fails the startup.
    pub(super) fn require<C>(&self, connect: C)
    where
        C: Future<Output = Result<(), Unavailable>> + Send + 'static,
    {
        self.add(connect);
    }

    /// Starts a connection that the first request does not need: its failure is logged.
    pub(super) fn attempt<C>(&self, what: &'static str, connect: C)
    where
        C: Future<Output = Result<(), Unavailable>> + Send + 'static,
    {
        self.add(async move {
            let cause = match timeout(OPTIONAL_TIMEOUT, connect).await {
                Ok(Ok(())) => return Ok(()),
                Ok(Err(cause)) => cause,
                Err(elapsed) => Unavailable::new(what, elapsed),
            };
            tracing::warn!(cause = %Causes(&cause), "started without a connection");
            Ok(())
        });
    }

    /// Waits for all connections, or for the first failure.
    ///
    /// # Errors
    /// Fails if a required connection failed.
    pub(super) async fn made(&self) -> Result<(), Unavailable> {
        let begun = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let ended = begun.into_iter().map(async |task| {
            let ended = task.await;
            ended.map_err(|error| Unavailable::new("start: connect", error))?
        });
        try_join_all(ended).await.map(|_| ())
    }

    fn add(&self, connect: impl Future<Output = Result<(), Unavailable>> + Send + 'static) {
        let task = tokio::spawn(connect);
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(task);
    }
}
