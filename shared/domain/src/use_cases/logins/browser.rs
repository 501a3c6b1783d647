//! The browser's use cases after it has created a login. The phone may watch it, too.

use thiserror::Error;

use super::Ports;
use crate::event::LoginEvent;
use crate::login::transitions::{self, AttachOutcome, CancelOutcome, RedeemOutcome};
use crate::login::{
    BrowserToken, BrowserTokenHash, CheckCode, DeviceToken, Login, PhonePayload, Receipt, Status,
    WatcherId,
};
use crate::primitives::ids::LoginId;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// The part of a login's state that its browser and its phone see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoginStatus {
    /// Status of the login.
    pub status: Status,
    /// Time at which the login expires or ended.
    pub expires_at: Timestamp,
    /// Time of the answer, by which a device corrects its own clock.
    pub server_time: Timestamp,
}

/// The reason why a login was not cancelled.
#[derive(Debug, Error)]
pub enum CancelError {
    /// The browser, or the app, has no such login.
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

/// Returns the status of a login to its browser or its phone: `GET /qr-sessions/{id}`.
///
/// # Errors
///
/// Fails if the device has no such login, or if the store fails.
pub async fn status(
    ports: Ports<'_>,
    id: LoginId,
    token: &DeviceToken,
) -> Result<LoginStatus, WatchError> {
    let now = ports.clock.now();
    let found = ports.store.find::<Login>(id, now).await?;
    let own = found.filter(|item| token.hash().fits(item));
    let login = own.ok_or(WatchError::Unknown)?;
    Ok(LoginStatus {
        status: login.status(now),
        expires_at: login.expires_at(),
        server_time: now,
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
    cancel_by(ports, id, &token.hash()).await
}

/// Cancels the login of the browser with this token.
pub(super) async fn cancel_by(
    ports: Ports<'_>,
    id: LoginId,
    browser: &BrowserTokenHash,
) -> Result<(), CancelError> {
    let now = ports.clock.now();
    let decide = |current| transitions::cancel(current, browser, now);
    match ports.store.change(id, decide).await? {
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
    /// The payload was redeemed before, and is not answered to this receipt, or no longer.
    #[error("the payload was redeemed before")]
    Redeemed,
    /// The login is not confirmed: not yet, or never.
    #[error("the login is {}", .0.as_str())]
    NotConfirmed(Status),
    /// The login requires a check code, and there is none.
    #[error("the login needs the check code")]
    CheckCodeRequired,
    /// The check code is wrong.
    #[error("the check code is wrong")]
    CheckCodeWrong {
        /// How many different wrong codes it still takes to block the login; at least 1.
        tries_left: u8,
    },
    /// The check code was wrong once too often, and the login is blocked.
    #[error("the check code was wrong too often; the login is blocked")]
    CheckCodeBlocked,
    /// The login has expired.
    #[error("the login has expired")]
    Expired,
    /// A port failed.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// Returns the payload to the browser: `POST /qr-sessions/{id}/redeem`. A readable one is returned
/// once; a sealed one again to the same receipt, until its time is over.
///
/// # Errors
///
/// Fails if the browser has no such login, if no payload waits for this receipt, if the check code is
/// missing or wrong, or if the store fails.
pub async fn redeem(
    ports: Ports<'_>,
    id: LoginId,
    token: &BrowserToken,
    receipt: &Receipt,
    check_code: Option<CheckCode>,
) -> Result<PhonePayload, RedeemError> {
    let now = ports.clock.now();
    let (browser, receipt) = (token.hash(), receipt.hash());
    let decide = |current| transitions::redeem(current, &browser, &receipt, check_code, now);
    match ports.store.change(id, decide).await? {
        RedeemOutcome::Redeemed { payload, login } => {
            ports.count(LoginEvent::Redeemed);
            ports.tell(&login, now).await;
            Ok(payload)
        }
        RedeemOutcome::Repeated(payload) => Ok(payload),
        RedeemOutcome::CheckCodeRequired => Err(RedeemError::CheckCodeRequired),
        RedeemOutcome::CheckCodeWrong { tries_left } => {
            ports.count(LoginEvent::CheckCodeWrong);
            Err(RedeemError::CheckCodeWrong { tries_left })
        }
        RedeemOutcome::CheckCodeBlocked(login) => {
            ports.count(LoginEvent::CheckCodeBlocked);
            ports.tell(&login, now).await;
            Err(RedeemError::CheckCodeBlocked)
        }
        RedeemOutcome::AlreadyRedeemed => Err(RedeemError::Redeemed),
        RedeemOutcome::Refused(status) => Err(RedeemError::NotConfirmed(status)),
        RedeemOutcome::Expired => Err(RedeemError::Expired),
        RedeemOutcome::Unknown => Err(RedeemError::Unknown),
    }
}

/// The reason why a device or an app cannot see a login.
#[derive(Debug, Error)]
pub enum WatchError {
    /// The device, or the app, has no such login.
    #[error("there is no such login")]
    Unknown,
    /// A port failed.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// Subscribes a connection of the browser or the phone to changes of a login (the first message over the socket), and returns
/// the status. The connection missed earlier changes, so the caller should notify it at once.
///
/// # Errors
///
/// Fails if the device has no such login, or if the store fails.
pub async fn watch(
    ports: Ports<'_>,
    id: LoginId,
    token: &DeviceToken,
    watcher: WatcherId,
) -> Result<Status, WatchError> {
    let now = ports.clock.now();
    let device = token.hash();
    let decide = |current| transitions::attach_watcher(current, &device, watcher.clone(), now);
    match ports.store.change(id, decide).await? {
        AttachOutcome::Attached(status) | AttachOutcome::Ended(status) => Ok(status),
        AttachOutcome::Unknown => Err(WatchError::Unknown),
    }
}
