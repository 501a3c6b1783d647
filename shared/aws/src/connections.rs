//! The connections that a function makes while it starts, all at once.
//!
//! Each is a call that warms a client up: its connection stands before the first request comes. What
//! a request can do without for a while does not stop the start, since its client connects again by
//! itself when it is needed.

#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use countersign_api::Causes;
use countersign_domain::primitives::unavailable::Unavailable;
use futures_util::future::try_join_all;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// How long a start waits for what the first request can do without. A healthy service answers
/// within a fraction of a second.
const OPTIONAL_TIMEOUT: Duration = Duration::from_secs(2);

/// A connection that is being made.
type Connecting = JoinHandle<Result<(), Unavailable>>;

/// Connections that are being made. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Connections(Arc<Mutex<Vec<Connecting>>>);

impl Connections {
    /// Begins to connect to what no request can do without: a failure is the start's.
    pub fn require<C>(&self, connect: C)
    where
        C: Future<Output = Result<(), Unavailable>> + Send + 'static,
    {
        self.add(connect);
    }

    /// Begins to connect to what the first request can do without: a failure is logged.
    pub fn attempt<C>(&self, what: &'static str, connect: C)
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

    /// Waits for all that was begun, or for the first failure.
    pub async fn made(&self) -> Result<(), Unavailable> {
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
