//! The WebSocket over which browsers and phones learn that their login changed, carried by API
//! Gateway.
//!
//! The first message of a connection proves which login it may watch, as
//! [`countersign_api::socket`] says. A message without such a proof ends the connection.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use countersign_api::socket::{SubscribeError, subscribe};
use countersign_api::{ApiState, Causes};
use countersign_domain::event::{Event, LoginEvent, Metrics as _};
use countersign_domain::login::WatcherId;
use countersign_domain::login::push::Push as _;
use countersign_domain::primitives::unavailable::Unavailable;
use thiserror::Error;

use super::Handler;
use crate::events::socket::{MalformedSocketEvent, SocketAnswer, SocketChange, SocketEvent};
use crate::metrics::EmbeddedMetrics;
use crate::push::SocketPush;

/// Handles the events of the WebSocket API.
#[derive(Debug)]
pub struct BrowserSocket {
    /// The API, with the store of logins.
    pub api: ApiState,
    /// Pokes and ends connections.
    pub push: Arc<SocketPush>,
    /// The counters.
    pub metrics: Arc<EmbeddedMetrics>,
}

/// An event could not be handled.
#[derive(Debug, Error)]
pub enum BrowserSocketError {
    /// It is not an event of the WebSocket API.
    #[error(transparent)]
    Malformed(#[from] MalformedSocketEvent),
    /// The store is unavailable. The connection was ended; the device polls instead and may connect
    /// again.
    #[error("cannot subscribe a device to changes")]
    Unavailable(#[source] Unavailable),
}

impl Handler for BrowserSocket {
    type Event = SocketEvent;
    type Answer = SocketAnswer;
    type Error = BrowserSocketError;

    async fn handle(
        &self,
        event: SocketEvent,
        _: &str,
    ) -> Result<SocketAnswer, BrowserSocketError> {
        match event.read()? {
            SocketChange::Message { watcher, body } => self.message(watcher, &body).await?,
            // A new connection proves nothing before its first message. The next poke finds a
            // connection that has ended, and removes it from its login.
            SocketChange::Connected | SocketChange::Disconnected => {}
        }
        Ok(SocketAnswer::OK)
    }
}

impl BrowserSocket {
    async fn message(&self, watcher: WatcherId, body: &[u8]) -> Result<(), BrowserSocketError> {
        match subscribe(&self.api, body, watcher.clone()).await {
            // The login may have changed before the device subscribed.
            Ok(_) => {
                if self.push.poke(&watcher).await.is_err() {
                    self.metrics.count(&Event::Login(LoginEvent::PushFailed));
                }
                Ok(())
            }
            Err(SubscribeError::Unknown) => {
                self.close(&watcher).await;
                Ok(())
            }
            Err(SubscribeError::Unavailable(cause)) => {
                self.close(&watcher).await;
                Err(BrowserSocketError::Unavailable(cause))
            }
        }
    }

    /// Ends a connection. If that fails, the connection gets no pokes until the API ends it.
    async fn close(&self, watcher: &WatcherId) {
        if let Err(cause) = self.push.close(watcher).await {
            tracing::warn!(cause = %Causes(&cause), "cannot end a connection");
        }
    }
}
