//! What the WebSocket API tells of a connection.
//!
//! Source: "Lambda proxy integrations for WebSocket APIs" and "API Gateway WebSocket API mapping
//! template reference", API Gateway Developer Guide. No event makes this panic: a panic ends the
//! function's process, and messages are what anybody sent.

#[cfg(test)]
mod tests;

use std::fmt;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use countersign_domain::login::WatcherId;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// As much of the event as there is use for.
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
    /// It is opened. It stands once this is answered.
    Connected,
    /// The browser says something.
    Message {
        /// On which connection.
        watcher: WatcherId,
        /// What; Base64, where the API made it that, is undone.
        body: Vec<u8>,
    },
    /// It is gone.
    Disconnected,
}

/// An event that tells of none of that. It does not happen with the real API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum MalformedSocketEvent {
    /// Neither of the three.
    #[error("the event is neither CONNECT, MESSAGE nor DISCONNECT")]
    Kind,
    /// The connection's name is none.
    #[error("the event names no connection")]
    Connection,
}

/// What the API makes its answer of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SocketAnswer {
    status_code: u16,
}

impl SocketAnswer {
    /// All is well. To a message that is no answer: nothing is sent for it.
    pub const OK: Self = Self { status_code: 200 };
}

impl SocketEvent {
    /// What the event tells.
    pub fn read(self) -> Result<SocketChange, MalformedSocketEvent> {
        let context = self.request_context;
        match context.event_type.as_str() {
            "CONNECT" => Ok(SocketChange::Connected),
            "DISCONNECT" => Ok(SocketChange::Disconnected),
            "MESSAGE" => {
                let watcher = context.connection_id.parse::<WatcherId>();
                let text = self.body.unwrap_or_default();
                // What is not the Base64 that it is said to be is no message of ours either way.
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

/// Without the message, which holds a token.
impl fmt::Debug for SocketEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SocketEvent")
            .field("event_type", &self.request_context.event_type)
            .finish_non_exhaustive()
    }
}

/// Without the message, which holds a token.
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
