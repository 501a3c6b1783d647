//! What the browser does with the session that it opened.

use thiserror::Error;

use super::Ports;
use crate::event::LoginEvent;
use crate::login::transitions::{AttachOutcome, CancelOutcome, RedeemOutcome};
use crate::login::{BrowserToken, Payload, Status, WatcherId};
use crate::primitives::ids::LoginId;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// All that a browser learns before the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionStatus {
    /// Where the session stands.
    pub status: Status,
    /// Until when, or when it ended.
    pub expires_at: Timestamp,
}

/// Why a session was not given up.
#[derive(Debug, Error)]
pub enum CancelError {
    /// The browser has no such session.
    #[error("there is no such session")]
    Unknown,
    /// It had ended.
    #[error("the session is {}", .0.as_str())]
    Ended(Status),
    /// The time is over.
    #[error("the session has expired")]
    Expired,
    /// Ours.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// Where a session of this browser stands: `GET /qr-sessions/{id}`.
pub async fn status(
    ports: Ports<'_>,
    id: LoginId,
    token: &BrowserToken,
) -> Result<SessionStatus, WatchError> {
    let now = ports.clock.now();
    let found = ports.sessions.find(id, now).await?;
    let own = found.filter(|item| item.browser_token == token.hash());
    let session = own.ok_or(WatchError::Unknown)?;
    Ok(SessionStatus {
        status: session.status(now),
        expires_at: session.expires_at(),
    })
}

/// Gives a session of this browser up: `DELETE /qr-sessions/{id}`.
pub async fn cancel(
    ports: Ports<'_>,
    id: LoginId,
    token: &BrowserToken,
) -> Result<(), CancelError> {
    let now = ports.clock.now();
    match ports.sessions.cancel(id, &token.hash(), now).await? {
        CancelOutcome::Cancelled(session) => {
            ports.count(LoginEvent::Cancelled);
            ports.tell(&session, now).await;
            Ok(())
        }
        CancelOutcome::Ended(status) => Err(CancelError::Ended(status)),
        CancelOutcome::Expired => Err(CancelError::Expired),
        CancelOutcome::Unknown => Err(CancelError::Unknown),
    }
}

/// Why a browser got no payload.
#[derive(Debug, Error)]
pub enum RedeemError {
    /// The browser has no such session.
    #[error("there is no such session")]
    Unknown,
    /// It is not confirmed: not yet, no longer, or never.
    #[error("the session is {}", .0.as_str())]
    NotConfirmed(Status),
    /// The time is over.
    #[error("the session has expired")]
    Expired,
    /// Ours.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// Hands the payload over, once: `POST /qr-sessions/{id}/redeem`.
pub async fn redeem(
    ports: Ports<'_>,
    id: LoginId,
    token: &BrowserToken,
) -> Result<Payload, RedeemError> {
    let now = ports.clock.now();
    match ports.sessions.redeem(id, &token.hash(), now).await? {
        RedeemOutcome::Redeemed { payload, session } => {
            ports.count(LoginEvent::Redeemed);
            ports.tell(&session, now).await;
            Ok(payload)
        }
        RedeemOutcome::Refused(status) => Err(RedeemError::NotConfirmed(status)),
        RedeemOutcome::Expired => Err(RedeemError::Expired),
        RedeemOutcome::Unknown => Err(RedeemError::Unknown),
    }
}

/// Why a browser cannot see a session.
#[derive(Debug, Error)]
pub enum WatchError {
    /// The browser has no such session.
    #[error("there is no such session")]
    Unknown,
    /// Ours.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// Has a connection told of changes: the first message over the socket. Answers where the session
/// stands. What changed before, nobody told the connection: it is to be poked at once.
pub async fn watch(
    ports: Ports<'_>,
    id: LoginId,
    token: &BrowserToken,
    watcher: WatcherId,
) -> Result<Status, WatchError> {
    let now = ports.clock.now();
    let sessions = ports.sessions;
    match sessions
        .attach_watcher(id, &token.hash(), watcher, now)
        .await?
    {
        AttachOutcome::Attached(status) | AttachOutcome::Ended(status) => Ok(status),
        AttachOutcome::Unknown => Err(WatchError::Unknown),
    }
}
