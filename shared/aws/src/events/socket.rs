//! Events of the WebSocket API.
//!
//! Source: "Lambda proxy integrations for WebSocket APIs" and "API Gateway WebSocket API mapping
//! template reference", API Gateway Developer Guide. `lambda_http` reads these events as HTTP
//! requests, without the kind of event and the connection's id that count here.

#[cfg(test)]
mod tests;

use std::fmt;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use countersign_domain::login::WatcherId;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// An event of the WebSocket API, as far as it is needed.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SocketEvent {
    request_context: RequestContext,
    #[serde(default)]
    body: Option<String>,
    #[serde(default)]
    is_base64_encoded: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RequestContext {
    connection_id: String,
    event_type: String,
}

/// What happened to a connection.
#[derive(Clone, PartialEq, Eq)]
pub enum SocketChange {
    /// A browser opens it. It stands once this is answered.
    Connected,
    /// A browser sends a message.
    Message {
        /// The connection.
        watcher: WatcherId,
        /// The message, decoded where the API sent it in Base64.
        body: Vec<u8>,
    },
    /// It has ended.
    Disconnected,
}

/// An event that the WebSocket API does not send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum MalformedSocketEvent {
    /// Its kind is unknown.
    #[error("the event is neither CONNECT, MESSAGE nor DISCONNECT")]
    Kind,
    /// The connection's id is missing or malformed.
    #[error("the event names no connection")]
    Connection,
}

/// The answer to an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SocketAnswer {
    status_code: u16,
}

impl SocketAnswer {
    /// Accepts the event. The API sends nothing to the browser for it.
    pub const OK: Self = Self { status_code: 200 };
}

impl SocketEvent {
    /// Reads the change of the connection.
    ///
    /// # Errors
    /// Fails if the kind of the event is unknown, or the id of its connection is malformed.
    pub fn read(self) -> Result<SocketChange, MalformedSocketEvent> {
        let context = self.request_context;
        match context.event_type.as_str() {
            "CONNECT" => Ok(SocketChange::Connected),
            "DISCONNECT" => Ok(SocketChange::Disconnected),
            "MESSAGE" => {
                let watcher = context.connection_id.parse::<WatcherId>();
                let text = self.body.unwrap_or_default();
                // A message that cannot be decoded is refused as an empty one.
                let body = match self.is_base64_encoded {
                    Some(true) => BASE64_STANDARD.decode(&text).unwrap_or_default(),
                    _ => text.into_bytes(),
                };
                Ok(SocketChange::Message {
                    watcher: watcher.map_err(|_| MalformedSocketEvent::Connection)?,
                    body,
                })
            }
            _ => Err(MalformedSocketEvent::Kind),
        }
    }
}

/// Leaves the message out, which holds a token.
impl fmt::Debug for SocketEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SocketEvent")
            .field("event_type", &self.request_context.event_type)
            .finish_non_exhaustive()
    }
}

/// Leaves the message out, which holds a token.
impl fmt::Debug for SocketChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connected => f.write_str("Connected"),
            Self::Disconnected => f.write_str("Disconnected"),
            Self::Message { watcher, body } => f
                .debug_struct("Message")
                .field("watcher", watcher)
                .field("bytes", &body.len())
                .finish(),
        }
    }
}
