//! The browser's use cases after it has created a login.

use thiserror::Error;

use super::Ports;
use crate::event::LoginEvent;
use crate::login::transitions::{AttachOutcome, CancelOutcome, RedeemOutcome};
use crate::login::{BrowserToken, Payload, Status, WatcherId};
use crate::primitives::ids::LoginId;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// The part of a login's state that its browser sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoginStatus {
    /// Status of the login.
    pub status: Status,
    /// Time at which the login expires or ended.
    pub expires_at: Timestamp,
}

/// The reason why a login was not cancelled.
#[derive(Debug, Error)]
pub enum CancelError {
    /// The browser has no such login.
    #[error("there is no such login")]
    Unknown,
    /// The login had already ended.
    #[error("the login is {}", .0.as_str())]
    Ended(Status),
    /// The login has expired.
    #[error("the login has expired")]
    Expired,
    /// A port failed.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// Returns the status of a login to its browser: `GET /qr-sessions/{id}`.
///
/// # Errors
///
/// Fails if the browser has no such login, or if the store fails.
pub async fn status(
    ports: Ports<'_>,
    id: LoginId,
    token: &BrowserToken,
) -> Result<LoginStatus, WatchError> {
    let now = ports.clock.now();
    let found = ports.logins.find(id, now).await?;
    let own = found.filter(|item| item.browser_token == token.hash());
    let login = own.ok_or(WatchError::Unknown)?;
    Ok(LoginStatus {
        status: login.status(now),
        expires_at: login.expires_at(),
    })
}

/// Cancels a login for its browser: `DELETE /qr-sessions/{id}`.
///
/// # Errors
///
/// Fails if the browser has no such login, if it has ended, or if the store fails.
pub async fn cancel(
    ports: Ports<'_>,
    id: LoginId,
    token: &BrowserToken,
) -> Result<(), CancelError> {
    let now = ports.clock.now();
    match ports.logins.cancel(id, &token.hash(), now).await? {
        CancelOutcome::Cancelled(login) => {
            ports.count(LoginEvent::Cancelled);
            ports.tell(&login, now).await;
            Ok(())
        }
        CancelOutcome::Ended(status) => Err(CancelError::Ended(status)),
        CancelOutcome::Expired => Err(CancelError::Expired),
        CancelOutcome::Unknown => Err(CancelError::Unknown),
    }
}

/// The reason why a browser got no payload.
#[derive(Debug, Error)]
pub enum RedeemError {
    /// The browser has no such login.
    #[error("there is no such login")]
    Unknown,
    /// The login is not confirmed: not yet, no longer, or never.
    #[error("the login is {}", .0.as_str())]
    NotConfirmed(Status),
    /// The login has expired.
    #[error("the login has expired")]
    Expired,
    /// A port failed.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// Returns the payload to the browser, once: `POST /qr-sessions/{id}/redeem`.
///
/// # Errors
///
/// Fails if the browser has no such login, if no payload waits, or if the store fails.
pub async fn redeem(
    ports: Ports<'_>,
    id: LoginId,
    token: &BrowserToken,
) -> Result<Payload, RedeemError> {
    let now = ports.clock.now();
    match ports.logins.redeem(id, &token.hash(), now).await? {
        RedeemOutcome::Redeemed { payload, login } => {
            ports.count(LoginEvent::Redeemed);
            ports.tell(&login, now).await;
            Ok(payload)
        }
        RedeemOutcome::Refused(status) => Err(RedeemError::NotConfirmed(status)),
        RedeemOutcome::Expired => Err(RedeemError::Expired),
        RedeemOutcome::Unknown => Err(RedeemError::Unknown),
    }
}

/// The reason why a browser cannot see a login.
#[derive(Debug, Error)]
pub enum WatchError {
    /// The browser has no such login.
    #[error("there is no such login")]
    Unknown,
    /// A port failed.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// Subscribes a connection to changes of a login (the first message over the socket), and returns
/// the status. The connection missed earlier changes, so the caller should notify it at once.
///
/// # Errors
///
/// Fails if the browser has no such login, or if the store fails.
pub async fn watch(
    ports: Ports<'_>,
    id: LoginId,
    token: &BrowserToken,
    watcher: WatcherId,
) -> Result<Status, WatchError> {
    let now = ports.clock.now();
    let logins = ports.logins;
    match logins
        .attach_watcher(id, &token.hash(), watcher, now)
        .await?
    {
        AttachOutcome::Attached(status) | AttachOutcome::Ended(status) => Ok(status),
        AttachOutcome::Unknown => Err(WatchError::Unknown),
    }
}
