//! The protocol of the WebSocket at `socketUrl`, independent of the server that carries it.
//!
//! The first message of a browser or a phone names its login and proves that the login is its own. From
//! then on the device is sent [`CHANGED`], at once and at each change, and asks with
//! `GET /qr-sessions/{id}` what has changed. A message that fits no login ends the connection.

use std::fmt;

use countersign_domain::event::{Event, Labels, LoginEvent};
use countersign_domain::login::{DeviceToken, Status, WatcherId};
use countersign_domain::primitives::canonical_json::Members;
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::use_cases::logins;
use countersign_domain::use_cases::logins::LoginError;
use countersign_domain::web::address_block::AddressBlock;
use http::HeaderMap;
use thiserror::Error;

use crate::problem::{Problem, ProblemCode};
use crate::rate_limit::source::Source;
use crate::schema::problems::problems;
use crate::state::ApiState;
use crate::viewer::{PeerAddress, Viewer};

/// The only message that a device is ever sent.
pub const CHANGED: &str = r#"{"changed":true}"#;

/// The largest first message, in bytes.
pub const MAX_MESSAGE: usize = 1024;

problems![&[ProblemCode::NotFound, ProblemCode::TooManySockets,]];

/// Watch a login
///
/// A WebSocket (RFC 6455) at the `socketUrl` of the session; on AWS that is another host. The first message
/// is JSON with the session's id and the device's token, `{"sessionId", "token"}`, of at most 1,024 bytes. From
/// then on the service sends `{"changed":true}`, at once and at each change: fetch the session to see what has
/// changed. Another first message ends the connection with code 1008.
#[utoipa::path(
    get,
    path = "/qr-socket",
    operation_id = "watchSession",
    tag = "logins",
    responses(
        (status = 101, description = "The connection is a WebSocket from now on."),
        Problems,
    ),
)]
#[expect(
    dead_code,
    reason = "describes the socket, which each host opens in its own way"
)]
pub(crate) fn open() {}

/// Why a connection must be closed.
#[derive(Debug, Error)]
pub enum SubscribeError {
    /// The message is malformed, or fits no login.
    #[error("the message fits no login")]
    Unknown,
    /// A port failed.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// Subscribes a connection to changes, given the first message over it. Returns the login's status.
/// The host then sends [`CHANGED`], since the connection has missed earlier changes. If the status is
/// not [live](Status::is_live), nothing will change any more.
///
/// # Errors
///
/// If the message is malformed or fits no login, or a port fails.
pub async fn subscribe(
    state: &ApiState,
    message: &[u8],
    watcher: WatcherId,
) -> Result<Status, SubscribeError> {
    let Subscription { id, token } = Subscription::parse(message).ok_or(SubscribeError::Unknown)?;
    let ports = state
        .login_ports()
        .map_err(|_| Unavailable::new("socket", "this host serves no logins"))?;
    let status = logins::watch(ports, id, &token, watcher).await;
    status.map_err(|error| match error {
        LoginError::Refused(_) => SubscribeError::Unknown,
        LoginError::Unavailable(cause) => cause.into(),
    })
}

/// Where a connection comes from, for the limits that apply to it.
#[derive(Clone, Copy, Debug)]
pub struct Origin(Source);

impl Origin {
    /// Returns the origin of the request that opens a connection.
    ///
    /// # Errors
    ///
    /// If this host serves no logins.
    pub fn new(state: &ApiState, peer: PeerAddress, headers: &HeaderMap) -> Result<Self, Problem> {
        let viewer = Viewer::new(&state.logins()?.viewers, peer.0, headers);
        Ok(Self(Source::new(&viewer, headers)))
    }

    /// Returns the block of addresses.
    #[must_use]
    pub const fn block(&self) -> AddressBlock {
        self.0.block()
    }

    /// Counts a first message that fitted no login.
    ///
    /// # Errors
    ///
    /// If it is one too many. The device should wait before it connects again.
    pub fn count_miss(&self, state: &ApiState) -> Result<(), Problem> {
        let counted = state.rate_limiter().count_miss(self.0, state.clock.now());
        if counted.is_err() {
            state
                .metrics
                .count(&Event::Login(LoginEvent::MissLimited), Labels::default());
        }
        counted
    }
}

/// The first message: `{"sessionId": …, "token": …}`. Other members are ignored.
struct Subscription {
    id: LoginId,
    token: DeviceToken,
}

impl Subscription {
    /// Parses a message. The sender cannot tell a malformed message from an unknown login.
    fn parse(message: &[u8]) -> Option<Self> {
        if message.len() > MAX_MESSAGE {
            return None;
        }
        let members = Members::parse(message).ok()?;
        let text = |name| members.text(name).ok().flatten();
        Some(Self {
            id: text("sessionId")?.parse::<LoginId>().ok()?,
            token: text("token")?.parse::<DeviceToken>().ok()?,
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
    fn message_names_a_login_and_proves_it() {
        let message =
            format!(r#" {{"more": [1, {{}}], "token": "{TOKEN}", "sessionId": "{ID}"}} "#);
        let read = Subscription::parse(message.as_bytes()).unwrap();
        assert_eq!(read.id.to_string(), ID);
        let token = TOKEN.parse::<DeviceToken>().unwrap();
        assert_eq!(read.token.hash(), token.hash());
        assert!(!format!("{read:?}").contains(TOKEN));
    }

    #[test]
    fn malformed_messages_are_refused() {
        let long = format!(
            r#"{{"sessionId":"{ID}","token":"{TOKEN}","x":"{}"}}"#,
            "x".repeat(MAX_MESSAGE)
        );
        for bad in [
            "",
            "{}",
            "[]",
            "null",
            &format!(r#"{{"sessionId":"{ID}"}}"#),
            &format!(r#"{{"token":"{TOKEN}"}}"#),
            &format!(r#"{{"sessionId":"{ID}","token":null}}"#),
            &format!(r#"{{"sessionId":"{ID}","token":7}}"#),
            &format!(r#"{{"sessionId":"{ID}","token":"{TOKEN}="}}"#),
            &format!(r#"{{"sessionId":"{ID}x","token":"{TOKEN}"}}"#),
            &format!(r#"{{"sessionId":"{ID}","sessionId":"{ID}","token":"{TOKEN}"}}"#),
            &format!(r#"{{"sessionId":"{ID}","token":"{TOKEN}"}}{{}}"#),
            &long,
        ] {
            assert!(Subscription::parse(bad.as_bytes()).is_none(), "{bad}");
        }
    }

    #[test]
    fn message_size_is_bounded() {
        let padded = |length: usize| {
            let message = format!(r#"{{"sessionId":"{ID}","token":"{TOKEN}"}}"#);
            format!("{}{message}", " ".repeat(length - message.len()))
        };
        assert!(Subscription::parse(padded(MAX_MESSAGE).as_bytes()).is_some());
        assert!(Subscription::parse(padded(MAX_MESSAGE + 1).as_bytes()).is_none());
    }
}
