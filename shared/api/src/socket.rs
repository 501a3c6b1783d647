//! What the WebSocket at `socketUrl` says, whatever carries it.
//!
//! The browser's first message names its session and proves that it is its own. From then on the
//! browser is told *that* something changed, at once and at each change, and asks with
//! `GET /qr-sessions/{id}` what it was. A message that fits no session ends the connection.

use std::fmt;

use countersign_domain::event::{Event, LoginEvent};
use countersign_domain::login::{BrowserToken, Status, WatcherId};
use countersign_domain::primitives::canonical_json::Members;
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::use_cases::logins;
use countersign_domain::use_cases::logins::WatchError;
use countersign_domain::web::address_block::AddressBlock;
use http::HeaderMap;
use thiserror::Error;

use crate::problem::Problem;
use crate::rate_limit::Source;
use crate::state::ApiState;
use crate::viewer::{PeerAddress, Viewer};

/// All that a browser is ever sent.
pub const CHANGED: &str = r#"{"changed":true}"#;

/// The longest first message, in bytes.
pub const MAX_MESSAGE: usize = 1024;

/// Why a connection is to be closed.
#[derive(Debug, Error)]
pub enum SubscribeError {
    /// The message does not fit a session, or is no message.
    #[error("the message fits no session")]
    Unknown,
    /// Ours.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// Has a connection told of changes: the first message over it, as it came. Answers where the
/// session stands; the host then sends [`CHANGED`], for nobody told the connection of what was
/// before. Where the status is not [live](Status::is_live), nothing more will change.
pub async fn subscribe(
    state: &ApiState,
    message: &[u8],
    watcher: WatcherId,
) -> Result<Status, SubscribeError> {
    let Subscription { id, token } = Subscription::read(message).ok_or(SubscribeError::Unknown)?;
    let ports = state
        .login_ports()
        .map_err(|_| Unavailable::new("socket", "this host serves no logins"))?;
    let status = logins::watch(ports, id, &token, watcher).await;
    status.map_err(|error| match error {
        WatchError::Unknown => SubscribeError::Unknown,
        WatchError::Unavailable(cause) => cause.into(),
    })
}

/// Where a connection comes from, for the limits that hold for it.
#[derive(Clone, Copy, Debug)]
pub struct Origin(Source);

impl Origin {
    /// Reads it from the request that opens a connection.
    pub fn of(state: &ApiState, peer: PeerAddress, headers: &HeaderMap) -> Result<Self, Problem> {
        let viewer = Viewer::believed(&state.logins()?.viewers, peer.0, headers);
        Ok(Self(Source::of(&viewer, headers)))
    }

    /// The block of addresses.
    #[must_use]
    pub const fn block(&self) -> AddressBlock {
        self.0.block()
    }

    /// Counts a first message that fitted no session. Fails where it is one too many: the browser
    /// should wait before it comes back.
    pub fn count_miss(&self, state: &ApiState) -> Result<(), Problem> {
        let counted = state.rate_limiter().count_miss(self.0, state.clock.now());
        if counted.is_err() {
            state.metrics.count(&Event::Login(LoginEvent::MissLimited));
        }
        counted
    }
}

/// The first message: `{"sessionId": …, "browserToken": …}`. Other members are ignored.
struct Subscription {
    id: LoginId,
    token: BrowserToken,
}

impl Subscription {
    /// Reads a message. What is malformed and what is unknown are one to who sent it.
    fn read(message: &[u8]) -> Option<Self> {
        if message.len() > MAX_MESSAGE {
            return None;
        }
        let members = Members::parse(message).ok()?;
        let text = |name| members.text(name).ok().flatten();
        Some(Self {
            id: text("sessionId")?.parse::<LoginId>().ok()?,
            token: text("browserToken")?.parse::<BrowserToken>().ok()?,
        })
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Subscription({}, …)", self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "qrs_abababababababababababababababab";
    const TOKEN: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

    #[test]
    fn a_message_names_a_session_and_proves_it() {
        let message =
            format!(r#" {{"more": [1, {{}}], "browserToken": "{TOKEN}", "sessionId": "{ID}"}} "#);
        let read = Subscription::read(message.as_bytes()).unwrap();
        assert_eq!(read.id.to_string(), ID);
        assert_eq!(read.token.reveal(), TOKEN);
        assert!(!format!("{read:?}").contains(TOKEN));
    }

    #[test]
    fn what_is_no_such_message_is_not_read() {
        let long = format!(
            r#"{{"sessionId":"{ID}","browserToken":"{TOKEN}","x":"{}"}}"#,
            "x".repeat(MAX_MESSAGE)
        );
        for bad in [
            "",
            "{}",
            "[]",
            "null",
            &format!(r#"{{"sessionId":"{ID}"}}"#),
            &format!(r#"{{"browserToken":"{TOKEN}"}}"#),
            &format!(r#"{{"sessionId":"{ID}","browserToken":null}}"#),
            &format!(r#"{{"sessionId":"{ID}","browserToken":7}}"#),
            &format!(r#"{{"sessionId":"{ID}","browserToken":"{TOKEN}="}}"#),
            &format!(r#"{{"sessionId":"{ID}x","browserToken":"{TOKEN}"}}"#),
            &format!(r#"{{"sessionId":"{ID}","sessionId":"{ID}","browserToken":"{TOKEN}"}}"#),
            &format!(r#"{{"sessionId":"{ID}","browserToken":"{TOKEN}"}}{{}}"#),
            &long,
        ] {
            assert!(Subscription::read(bad.as_bytes()).is_none(), "{bad}");
        }
    }

    #[test]
    fn a_message_has_a_bound() {
        let padded = |length: usize| {
            let message = format!(r#"{{"sessionId":"{ID}","browserToken":"{TOKEN}"}}"#);
            format!("{}{message}", " ".repeat(length - message.len()))
        };
        assert!(Subscription::read(padded(MAX_MESSAGE).as_bytes()).is_some());
        assert!(Subscription::read(padded(MAX_MESSAGE + 1).as_bytes()).is_none());
    }
}
