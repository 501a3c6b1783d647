//! The protocol of the WebSocket at `socketUrl`, independent of the server that carries it.
//!
//! The first message of a browser or a phone identifies its login, or the confirmation that a page shows, and proves
//! ownership of it. From then on the device receives [`CHANGED`], immediately and at each change, and fetches the
//! new status with `GET /qr-sessions/{id}` or `GET /confirmation-status/{id}`. A message that matches neither ends
//! the connection.

use std::fmt;

use countersign_domain::confirmation;
use countersign_domain::confirmation::client::ClientToken;
use countersign_domain::event::{Event, Labels, LoginEvent};
use countersign_domain::login::{DeviceToken, Status};
use countersign_domain::primitives::canonical_json::Members;
use countersign_domain::primitives::ids::{ConfirmationId, LoginId};
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::primitives::watcher::WatcherId;
use countersign_domain::use_cases::logins::LoginError;
use countersign_domain::use_cases::{client_channel, logins};
use countersign_domain::web::address_block::AddressBlock;
use http::HeaderMap;
use thiserror::Error;

use crate::problem::{Problem, ProblemCode};
use crate::rate_limit::source::Source;
use crate::schema::problems::problems;
use crate::state::ApiState;
use crate::viewer::{PeerAddress, Viewer};

/// The only message that a device ever receives.
pub const CHANGED: &str = r#"{"changed":true}"#;

/// Maximum size of the first message, in bytes.
pub const MAX_MESSAGE: usize = 1024;

problems![&[ProblemCode::NotFound, ProblemCode::TooManySockets,]];

/// Watch a login or a confirmation
///
/// A WebSocket (RFC 6455) at `socketUrl`; on AWS its host differs. The first message is JSON with the id and the token,
/// `{"sessionId", "token"}` or `{"confirmationId", "token"}`, of at most 1,024 bytes. From then on the service sends
/// `{"changed":true}`, immediately and at each change of a login, and when a number was verified: fetch the status to
/// see what has changed. Any other first message ends the connection with code 1008.
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
    /// The message is malformed, or matches no login and no confirmation.
    #[error("the message matches no login and no confirmation")]
    Unknown,
    /// A port failed.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// Whether more changes can follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subscribed {
    Live,
    Over,
}

/// Subscribes a connection to changes, given the first message over it. The host then sends [`CHANGED`], since the
/// connection has missed earlier changes.
///
/// # Errors
///
/// Fails if the message is malformed or matches no login and no confirmation, or if a port fails.
pub async fn subscribe(
    state: &ApiState,
    message: &[u8],
    watcher: WatcherId,
) -> Result<Subscribed, SubscribeError> {
    let is_live = match Subscription::parse(message).ok_or(SubscribeError::Unknown)? {
        Subscription::Login { id, token } => {
            watch_login(state, id, &token, watcher).await?.is_live()
        }
        Subscription::Confirmation { id, token } => {
            let status = client_channel::watch(state.ports(), id, &token, watcher).await?;
            status.ok_or(SubscribeError::Unknown)? == confirmation::Status::Open
        }
    };
    Ok(if is_live {
        Subscribed::Live
    } else {
        Subscribed::Over
    })
}

async fn watch_login(
    state: &ApiState,
    id: LoginId,
    token: &DeviceToken,
    watcher: WatcherId,
) -> Result<Status, SubscribeError> {
    let ports = state
        .login_ports()
        .map_err(|_| Unavailable::new("socket", "this host serves no logins"))?;
    let status = logins::watch(ports, id, token, watcher).await;
    status.map_err(|error| match error {
        LoginError::Refused(_) => SubscribeError::Unknown,
        LoginError::Unavailable(cause) => cause.into(),
    })
}

/// The network that a connection comes from, for its rate limits.
#[derive(Clone, Copy, Debug)]
pub struct Origin(Source);

impl Origin {
    /// Returns the origin of the request that opens a connection.
    ///
    /// # Errors
    ///
    /// Fails if this host serves no logins.
    pub fn new(state: &ApiState, peer: PeerAddress, headers: &HeaderMap) -> Result<Self, Problem> {
        let viewer = Viewer::new(&state.logins()?.viewers, peer.0, headers);
        Ok(Self(Source::new(&viewer, headers)))
    }

    /// Returns the address block.
    #[must_use]
    pub const fn block(&self) -> AddressBlock {
        self.0.block()
    }

    /// Counts a first message that matched nothing.
    ///
    /// # Errors
    ///
    /// Fails if the limit is exceeded. The device should then wait before it connects again.
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

/// The first message. Other members are ignored.
enum Subscription {
    /// `{"sessionId": …, "token": …}`.
    Login { id: LoginId, token: DeviceToken },
    /// `{"confirmationId": …, "token": …}`.
    Confirmation {
        id: ConfirmationId,
        token: ClientToken,
    },
}

impl Subscription {
    /// Parses a message. The sender cannot distinguish a malformed message from one that matches
    /// nothing.
    fn parse(message: &[u8]) -> Option<Self> {
        if message.len() > MAX_MESSAGE {
            return None;
        }
        let members = Members::parse(message).ok()?;
        let text = |name| members.text(name).ok().flatten();
        let token = text("token")?;
        Some(match (text("sessionId"), text("confirmationId")) {
            (Some(id), None) => Self::Login {
                id: id.parse().ok()?,
                token: token.parse().ok()?,
            },
            (None, Some(id)) => Self::Confirmation {
                id: id.parse().ok()?,
                token: token.parse().ok()?,
            },
            (Some(_), Some(_)) | (None, None) => return None,
        })
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Login { id, .. } => write!(f, "Login({id}, …)"),
            Self::Confirmation { id, .. } => write!(f, "Confirmation({id}, …)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "qrs_abababababababababababababababab";
    const CONFIRMATION: &str = "cfm_abababababababababababababababab";
    const TOKEN: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

    #[test]
    fn message_names_a_login_and_proves_it() {
        let message =
            format!(r#" {{"more": [1, {{}}], "token": "{TOKEN}", "sessionId": "{ID}"}} "#);
        let read = Subscription::parse(message.as_bytes()).unwrap();
        assert_eq!(format!("{read:?}"), format!("Login({ID}, …)"));
        let Subscription::Login { token, .. } = read else {
            panic!("not a login")
        };
        assert_eq!(token.hash(), TOKEN.parse::<DeviceToken>().unwrap().hash());
    }

    #[test]
    fn message_names_a_confirmation_and_proves_it() {
        let message = format!(r#"{{"confirmationId": "{CONFIRMATION}", "token": "{TOKEN}"}}"#);
        let read = Subscription::parse(message.as_bytes()).unwrap();
        assert_eq!(
            format!("{read:?}"),
            format!("Confirmation({CONFIRMATION}, …)")
        );
        let Subscription::Confirmation { token, .. } = read else {
            panic!("not a confirmation")
        };
        assert_eq!(token.hash(), TOKEN.parse::<ClientToken>().unwrap().hash());
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
            &format!(r#"{{"confirmationId":"{ID}","token":"{TOKEN}"}}"#),
            &format!(r#"{{"sessionId":"{CONFIRMATION}","token":"{TOKEN}"}}"#),
            &format!(
                r#"{{"sessionId":"{ID}","confirmationId":"{CONFIRMATION}","token":"{TOKEN}"}}"#
            ),
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
