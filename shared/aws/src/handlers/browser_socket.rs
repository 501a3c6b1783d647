//! The WebSocket over which browsers and phones are notified that their login changed, served by
//! API Gateway.
//!
//! The first message of a connection proves which login it may watch, as described in
//! [`countersign_api::socket`]. A message without such a proof ends the connection.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use aws_lambda_events::apigw::ApiGatewayProxyResponse;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use countersign_api::socket::{SubscribeError, subscribe};
use countersign_api::{ApiState, Causes};
use countersign_domain::event::{Event, Labels, LoginEvent, Metrics as _};
use countersign_domain::primitives::push::Push as _;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::primitives::watcher::WatcherId;
use serde::Deserialize;
use thiserror::Error;

use super::Handler;
use crate::metrics::EmbeddedMetrics;
use crate::push::SocketPush;

/// Handles the events of the WebSocket API.
#[derive(Debug)]
pub struct BrowserSocket {
    /// The API state, with the store of logins.
    pub api: ApiState,
    /// Notifies and closes connections.
    pub push: Arc<SocketPush>,
    /// The counters.
    pub metrics: Arc<EmbeddedMetrics>,
}

/// An event of the WebSocket API, with only the fields that are used. `aws_lambda_events` also parses the headers,
/// and fails on some that an unauthenticated caller may send, which Lambda would count as a function error.
///
/// Source: "Integration requests in WebSocket APIs", API Gateway Developer Guide.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SocketEvent {
    request_context: SocketContext,
    #[serde(default)]
    body: Option<String>,
    #[serde(default)]
    is_base64_encoded: Option<bool>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SocketContext {
    #[serde(default)]
    event_type: Option<String>,
    #[serde(default)]
    connection_id: Option<String>,
}

/// An event could not be handled.
#[derive(Debug, Error)]
pub enum BrowserSocketError {
    /// The event is neither `CONNECT`, `MESSAGE` nor `DISCONNECT`.
    #[error("the event is of an unknown kind")]
    UnknownKind,
    /// The event's connection id is missing or malformed.
    #[error("the event has no connection id")]
    NoConnection,
    /// The store is unavailable. The connection was closed; the device polls instead and may
    /// reconnect.
    #[error("cannot subscribe a device to changes")]
    Unavailable(#[source] Unavailable),
}

impl Handler for BrowserSocket {
    type Event = SocketEvent;
    type Response = ApiGatewayProxyResponse;
    type Error = BrowserSocketError;

    async fn handle(
        &self,
        event: SocketEvent,
        _: &str,
    ) -> Result<ApiGatewayProxyResponse, BrowserSocketError> {
        match event.request_context.event_type.as_deref() {
            Some("MESSAGE") => {
                let connection = event.request_context.connection_id.unwrap_or_default();
                let watcher = connection.parse::<WatcherId>();
                let watcher = watcher.map_err(|_| BrowserSocketError::NoConnection)?;
                let body = event.body.unwrap_or_default();
                self.message(
                    watcher,
                    &decoded(body, event.is_base64_encoded.unwrap_or_default()),
                )
                .await?;
            }
            // A new connection proves nothing before its first message. The next notification
            // detects a closed connection, and removes it from its login.
            Some("CONNECT" | "DISCONNECT") => {}
            _ => return Err(BrowserSocketError::UnknownKind),
        }
        let mut answer = ApiGatewayProxyResponse::default();
        answer.status_code = 200;
        Ok(answer)
    }
}

/// Returns the bytes of a message. A message that cannot be decoded is treated as empty, and
/// refused.
fn decoded(body: String, is_encoded: bool) -> Vec<u8> {
    if is_encoded {
        BASE64_STANDARD.decode(body).unwrap_or_default()
    } else {
        body.into_bytes()
    }
}

impl BrowserSocket {
    async fn message(&self, watcher: WatcherId, body: &[u8]) -> Result<(), BrowserSocketError> {
        match subscribe(&self.api, body, watcher.clone()).await {
            // The login may have changed before the device subscribed.
            Ok(_) => {
                if self.push.notify(&watcher).await.is_err() {
                    self.metrics
                        .count(&Event::Login(LoginEvent::PushFailed), Labels::default());
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

    /// Closes a connection. If that fails, the connection receives no notifications until the API
    /// closes it.
    async fn close(&self, watcher: &WatcherId) {
        if let Err(cause) = self.push.close(watcher).await {
            tracing::warn!(cause = %Causes(&cause), "cannot end a connection");
        }
    }
}
