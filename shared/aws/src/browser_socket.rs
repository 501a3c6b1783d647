//! The socket over which browsers are told that their session changed, carried by API Gateway.
//!
//! A connection proves nothing by being there; its first message does. One that fits no session
//! ends the connection, as [`countersign_api::socket`] says.

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

use crate::metrics::EmbeddedMetrics;
use crate::push::SocketPush;
use crate::socket_event::{MalformedSocketEvent, SocketAnswer, SocketChange, SocketEvent};
use crate::start::Handler;

/// Answers the WebSocket API.
#[derive(Debug)]
pub struct BrowserSocket {
    /// Where sessions are kept.
    pub api: ApiState,
    /// What pokes and ends connections.
    pub push: Arc<SocketPush>,
    /// What is counted.
    pub metrics: Arc<EmbeddedMetrics>,
}

/// Why an event was not seen to.
#[derive(Debug, Error)]
pub enum BrowserSocketError {
    /// It is none.
    #[error(transparent)]
    Malformed(#[from] MalformedSocketEvent),
    /// Something of ours did not work. The connection is ended: the browser asks by itself, and may
    /// come again.
    #[error("a browser could not be told of changes")]
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
            // Whether it may watch, its first message says; that it is gone, the next poke finds,
            // and takes it out of its session.
            SocketChange::Connected | SocketChange::Disconnected => {}
        }
        Ok(SocketAnswer::OK)
    }
}

impl BrowserSocket {
    async fn message(&self, watcher: WatcherId, body: &[u8]) -> Result<(), BrowserSocketError> {
        match subscribe(&self.api, body, watcher.clone()).await {
            // What changed before, nobody told this connection.
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

    /// Ends a connection. One that cannot be ended is told nothing, and the API ends it in time.
    async fn close(&self, watcher: &WatcherId) {
        if let Err(cause) = self.push.close(watcher).await {
            tracing::warn!(cause = %Causes(&cause), "cannot end a connection");
        }
    }
}
