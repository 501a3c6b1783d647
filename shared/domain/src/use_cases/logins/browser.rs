//! The browser's use cases after it has created a login. The phone may also watch it.

use super::{LoginError, LoginPorts};
use crate::event::LoginEvent;
use crate::login::transitions;
use crate::login::{
    BrowserBinding, BrowserToken, BrowserTokenHash, CheckCode, DeviceToken, Login, LoginPageToken,
    PhonePayload, Receipt, Refusal, Status,
};
use crate::primitives::ids::LoginId;
use crate::primitives::time::Timestamp;
use crate::primitives::watcher::WatcherId;

/// The part of a login's state that its browser and its phone see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoginStatus {
    pub status: Status,
    /// Time at which the login expires or ended.
    pub expires_at: Timestamp,
    /// Time of the answer, with which a device corrects its own clock.
    pub server_time: Timestamp,
}

/// Returns the status of a login to its browser or its phone: `GET /qr-sessions/{id}`.
///
/// # Errors
///
/// Fails if the device has no such login, or if the store fails.
pub async fn status(
    ports: LoginPorts<'_>,
    id: LoginId,
    token: &DeviceToken,
) -> Result<LoginStatus, LoginError> {
    let now = ports.clock.now();
    let found = ports.store.find::<Login>(id, now).await?;
    let own = found.filter(|item| token.hash().fits(item));
    let login = own.ok_or(Refusal::Unknown)?;
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
/// Fails if the browser has no such login, if the login has ended, or if the store fails.
pub async fn cancel(
    ports: LoginPorts<'_>,
    id: LoginId,
    token: &BrowserToken,
) -> Result<(), LoginError> {
    cancel_by(ports, id, &token.hash()).await
}

pub(super) async fn cancel_by(
    ports: LoginPorts<'_>,
    id: LoginId,
    browser: &BrowserTokenHash,
) -> Result<(), LoginError> {
    let now = ports.clock.now();
    let decide = |current| transitions::cancel(current, browser, now);
    let ((), cancelled) = ports.change(id, decide, now).await?;
    if let Some(login) = cancelled {
        let ports = ports.about(&login);
        ports.count(LoginEvent::Cancelled, Some(&login.app));
    }
    Ok(())
}

/// Returns the payload to the browser: `POST /qr-sessions/{id}/redeem`. A readable payload is
/// returned once; a sealed one is returned again to the same receipt for a limited time.
///
/// # Errors
///
/// Fails if the browser has no such login, if no payload waits for this receipt, if the evidence that the
/// person is at the browser is missing or wrong, or if the store fails.
pub async fn redeem(
    ports: LoginPorts<'_>,
    id: LoginId,
    token: &BrowserToken,
    receipt: &Receipt,
    shown: Option<BrowserBinding>,
) -> Result<PhonePayload, LoginError> {
    let now = ports.clock.now();
    let (browser, receipt) = (token.hash(), receipt.hash());
    let read = ports.store.read::<Login>(id).await?;
    let own = read.entity().filter(|item| item.browser_token == browser);
    let app = ports.app_of(own).await?;
    let settings = app.as_deref().map(|app| &app.login);
    let decide = |current| {
        let redeem = |current| transitions::redeem(current, &browser, &receipt, shown, now);
        transitions::unless_withdrawn(current, settings, Refusal::Withdrawn, now, redeem)
    };
    let (payload, redeemed) = ports.change_read(read, decide, now).await?;
    if let Some(login) = redeemed {
        let ports = ports.about(&login);
        ports.count(LoginEvent::Redeemed, Some(&login.app));
    }
    Ok(payload)
}

/// Checks the digits from the page of a login that the app's server opened: `POST /qr-sessions/{id}/check-code`.
/// The page gets no payload. Repeating this succeeds again.
///
/// # Errors
///
/// Fails if the page has no such login, if the login is not confirmed or requires no digits, if the digits are wrong,
/// or if the store fails.
pub async fn check_code(
    ports: LoginPorts<'_>,
    id: LoginId,
    token: &LoginPageToken,
    code: CheckCode,
) -> Result<(), LoginError> {
    let now = ports.clock.now();
    let page = token.hash();
    let read = ports.store.read::<Login>(id).await?;
    let own = read.entity().filter(|item| item.page_token == Some(page));
    let app = ports.app_of(own).await?;
    let settings = app.as_deref().map(|app| &app.login);
    let decide = |current| {
        let check = |current| transitions::check_code(current, &page, code, now);
        transitions::unless_withdrawn(current, settings, Refusal::Withdrawn, now, check)
    };
    let ((), checked) = ports.change_read(read, decide, now).await?;
    if let Some(login) = checked {
        let ports = ports.about(&login);
        ports.count(LoginEvent::Redeemed, Some(&login.app));
    }
    Ok(())
}

/// Subscribes a connection of the browser or the phone to changes of a login (the first message over the socket), and
/// returns the status. The connection may have missed earlier changes, so the caller should notify it immediately.
///
/// # Errors
///
/// Fails if the device has no such login, or if the store fails.
pub async fn watch(
    ports: LoginPorts<'_>,
    id: LoginId,
    token: &DeviceToken,
    watcher: WatcherId,
) -> Result<Status, LoginError> {
    let now = ports.clock.now();
    let device = token.hash();
    let decide = |current| transitions::attach_watcher(current, &device, watcher.clone(), now);
    Ok(ports.store.change(id, decide).await??)
}
