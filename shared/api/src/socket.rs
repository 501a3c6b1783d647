//! What is said over a watching browser's socket, whatever carries it.
//!
//! The first message says which session and proves that it is the browser's own; from then on the
//! browser is poked at each change, and asks what changed with its token.

use countersign_domain::ports::Unavailable;
use countersign_domain::qr_session::{BrowserToken, QrSessionId, Status, WatcherId};
use countersign_domain::use_cases::qr::{self, WatchError};
use serde::Deserialize;
use thiserror::Error;

use crate::state::ApiState;

/// The longest message that is read, in bytes.
pub const LONGEST_MESSAGE: usize = 1_024;

/// The poke.
pub const CHANGED: &str = r#"{"changed":true}"#;

/// Why a browser is not told of changes.
#[derive(Debug, Error)]
pub enum SubscribeError {
    /// The message is not of the form `{"sessionId","browserToken"}`.
    #[error("not a subscription")]
    Malformed,
    /// The browser has no such session.
    #[error("there is no such session")]
    Unknown,
    /// Ours.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Subscription {
    session_id: String,
    browser_token: String,
}

/// Has a connection told of the changes of the session that its first message names.
pub async fn subscribe(
    state: &ApiState,
    message: &str,
    watcher: WatcherId,
) -> Result<Status, SubscribeError> {
    if message.len() > LONGEST_MESSAGE {
        return Err(SubscribeError::Malformed);
    }
    let read: Subscription =
        serde_json::from_str(message).map_err(|_| SubscribeError::Malformed)?;
    let id = QrSessionId::parse(&read.session_id).map_err(|_| SubscribeError::Unknown)?;
    let token = BrowserToken::parse(&read.browser_token).map_err(|_| SubscribeError::Unknown)?;
    let Some(logins) = &state.logins else {
        return Err(SubscribeError::Unknown);
    };
    let ports = qr::Ports {
        sessions: &*logins.sessions,
        history: &*logins.history,
        queue: &*state.queue,
        push: &*logins.push,
        geo: &*logins.geo,
        clock: &*state.clock,
        entropy: &*state.entropy,
        metrics: &*state.metrics,
    };
    qr::watch(ports, id, &token, watcher)
        .await
        .map_err(|error| match error {
            WatchError::Unknown => SubscribeError::Unknown,
            WatchError::Unavailable(cause) => SubscribeError::Unavailable(cause),
        })
}
