//! The push port for browsers that watch over a WebSocket of this process.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::push::{NotifyOutcome, Push};
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::primitives::watcher::WatcherId;
use tokio::sync::Notify;

/// The open connections. Clones share the connections.
#[derive(Clone, Debug, Default)]
pub struct LocalPush {
    open: Arc<Mutex<HashMap<WatcherId, Arc<Notify>>>>,
}

impl LocalPush {
    /// Registers a connection under a random id until it is dropped.
    ///
    /// The id is random, so ids that items stored for an earlier process match no connection of this
    /// one. Returns `None` only if the id is invalid, which its alphabet rules out.
    pub fn connect(&self, entropy: &dyn Entropy) -> Option<Connection> {
        let mut bytes = [0; 16];
        entropy.fill(&mut bytes);
        let id = BASE64_URL_SAFE_NO_PAD
            .encode(bytes)
            .parse::<WatcherId>()
            .ok()?;
        let changed = Arc::new(Notify::new());
        self.locked().insert(id.clone(), Arc::clone(&changed));
        Some(Connection {
            id,
            changed,
            push: self.clone(),
        })
    }

    /// Returns the number of open connections.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.locked().len()
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<WatcherId, Arc<Notify>>> {
        // Each lock guards a single map operation, so a panic cannot leave the map half-changed.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Push for LocalPush {
    async fn notify(&self, watcher: &WatcherId) -> Result<NotifyOutcome, Unavailable> {
        Ok(match self.locked().get(watcher) {
            Some(connection) => {
                connection.notify_one();
                NotifyOutcome::Sent
            }
            None => NotifyOutcome::Gone,
        })
    }
}

/// An open connection of a watching browser.
pub struct Connection {
    id: WatcherId,
    changed: Arc<Notify>,
    push: LocalPush,
}

impl Connection {
    /// Returns the connection's id.
    #[must_use]
    pub const fn id(&self) -> &WatcherId {
        &self.id
    }

    /// Waits for a notification. Notifications that arrive while nothing waits are merged into one.
    pub async fn notified(&self) {
        self.changed.notified().await;
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.push.locked().remove(&self.id);
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Connection").field(&self.id).finish()
    }
}

#[cfg(test)]
mod tests {
    use countersign_system::entropy::OsEntropy;

    use super::*;

    #[tokio::test]
    async fn notification_reaches_only_its_connection() {
        let push = LocalPush::default();
        let one = push.connect(&OsEntropy).unwrap();
        let other = push.connect(&OsEntropy).unwrap();
        assert_ne!(one.id(), other.id());
        assert_eq!(push.notify(one.id()).await.unwrap(), NotifyOutcome::Sent);
        assert_eq!(push.notify(one.id()).await.unwrap(), NotifyOutcome::Sent);
        one.notified().await;
        // Two notifications without a waiter were merged into one, and the other connection got
        // none.
        for quiet in [&one, &other] {
            let mut waiting = polled(quiet.notified());
            assert!(waiting().is_pending());
        }
    }

    #[tokio::test]
    async fn dropped_connection_is_gone() {
        let push = LocalPush::default();
        let connection = push.connect(&OsEntropy).unwrap();
        let id = connection.id().clone();
        assert_eq!(push.connections(), 1);
        drop(connection);
        assert_eq!(push.connections(), 0);
        assert_eq!(push.notify(&id).await.unwrap(), NotifyOutcome::Gone);
    }

    /// Returns a function that polls the future once per call.
    fn polled(future: impl Future<Output = ()>) -> impl FnMut() -> std::task::Poll<()> {
        let mut future = Box::pin(future);
        move || {
            let waker = std::task::Waker::noop();
            future
                .as_mut()
                .poll(&mut std::task::Context::from_waker(waker))
        }
    }
}
