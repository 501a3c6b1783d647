//! The connections over which browsers and phones are notified.

use std::collections::BTreeMap;

use async_trait::async_trait;
use countersign_domain::primitives::push::{NotifyOutcome, Push};
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::primitives::watcher::WatcherId;
use tokio::sync::oneshot;

use crate::env::{Env, Link};
use crate::sim::Shared;

/// The open connections.
#[derive(Clone)]
pub struct Connections {
    env: Env,
    open: Shared<BTreeMap<WatcherId, Option<oneshot::Sender<()>>>>,
}

impl Connections {
    /// Creates a carrier without connections.
    #[must_use]
    pub fn new(env: Env) -> Self {
        Self {
            env,
            open: Shared::new(BTreeMap::new()),
        }
    }

    /// Opens a connection, or waits on an open one. Returns a receiver of its next notification.
    #[must_use]
    pub fn listen(&self, watcher: &WatcherId) -> oneshot::Receiver<()> {
        let (notify, notified) = oneshot::channel();
        self.open
            .with(|open| open.insert(watcher.clone(), Some(notify)));
        notified
    }

    pub fn close(&self, watcher: &WatcherId) {
        self.open.with(|open| open.remove(watcher));
    }

    fn notify(&self, watcher: &WatcherId) -> NotifyOutcome {
        let found = self
            .open
            .with(|open| open.get_mut(watcher).map(Option::take));
        let is_open = found.is_some();
        if let Some(Some(waiting)) = found {
            // The browser may have stopped waiting.
            let _ = waiting.send(());
        }
        self.env
            .oracle
            .with(|oracle| oracle.notified(watcher, is_open));
        if is_open {
            NotifyOutcome::Sent
        } else {
            self.env.count("connection gone");
            NotifyOutcome::Gone
        }
    }
}

/// A process's link to the connections.
pub struct PushLink {
    /// The process.
    pub link: Link,
    pub connections: Connections,
}

#[async_trait]
impl Push for PushLink {
    async fn notify(&self, watcher: &WatcherId) -> Result<NotifyOutcome, Unavailable> {
        let (connections, watcher) = (self.connections.clone(), watcher.clone());
        let effect = async move { Ok(connections.notify(&watcher)) };
        self.link.call("push: poke", effect).await
    }
}
