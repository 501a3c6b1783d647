//! Transitions caused by the browser: create, cancel, and watch, which the phone may as well.

use super::{live, own};
use crate::app::quota::QuotaExceeded;
use crate::delivery::Decision;
use crate::login::{
    BrowserTokenHash, DeviceTokenHash, Login, MAX_WATCHERS, State, Status, WatcherId,
};
use crate::primitives::time::Timestamp;

/// The result of creating a login.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CreateOutcome {
    /// The login was stored.
    Created,
    /// The same browser had created the login before, and it is live. Contains the item.
    Repeated(Box<Login>),
    /// Another browser created the login, or this one for another app or page.
    Taken,
    /// The same browser had created the login before, and it has ended or expired.
    Ended(Status),
    /// The app's quota is used up, and nothing was written.
    Exceeded(QuotaExceeded),
}

/// Creates a login unless an item with its id exists. Repeating this with the same token changes
/// nothing, so that a lost answer costs nothing.
#[must_use]
pub fn create(
    current: Option<Login>,
    new: Login,
    now: Timestamp,
) -> Decision<Login, CreateOutcome> {
    let Some(item) = live(current, now) else {
        return Decision {
            outcome: CreateOutcome::Created,
            write: Some(new),
        };
    };
    let is_same = item.browser_token == new.browser_token
        && item.app == new.app
        && item.origin == new.origin
        && item.opener == new.opener
        && item.encryption == new.encryption;
    let status = item.status(now);
    Decision::refuse(match (is_same, status.is_live()) {
        (false, _) => CreateOutcome::Taken,
        (true, false) => CreateOutcome::Ended(status),
        (true, true) => CreateOutcome::Repeated(Box::new(item)),
    })
}

/// The result of cancelling a login.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CancelOutcome {
    /// The login is cancelled. Contains the item after the change.
    Cancelled(Box<Login>),
    /// The login had already ended.
    Ended(Status),
    /// The login had expired.
    Expired,
    /// The browser has no such login.
    Unknown,
}

/// Cancels a live login. Its payload, if there is one, is deleted.
#[must_use]
pub fn cancel(
    current: Option<Login>,
    browser: &BrowserTokenHash,
    now: Timestamp,
) -> Decision<Login, CancelOutcome> {
    let Some(item) = own(current, browser, now) else {
        return Decision::refuse(CancelOutcome::Unknown);
    };
    let status = item.status(now);
    if status == Status::Expired {
        return Decision::refuse(CancelOutcome::Expired);
    }
    if !status.is_live() {
        return Decision::refuse(CancelOutcome::Ended(status));
    }
    let phone = item.phone().cloned().map(Box::new);
    Decision::enter(
        item,
        State::Cancelled { phone, at: now },
        CancelOutcome::Cancelled,
    )
}

/// The result of adding a watching connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttachOutcome {
    /// The connection is notified of changes from now on; the device must ask for earlier ones.
    Attached(Status),
    /// The login will not change any more.
    Ended(Status),
    /// The device has no such login.
    Unknown,
}

/// Adds a connection of the browser or the phone that is notified of changes. If there are already
/// [`MAX_WATCHERS`], it replaces the oldest, so that a device that lost its connection can come back.
#[must_use]
pub fn attach_watcher(
    current: Option<Login>,
    device: &DeviceTokenHash,
    watcher: WatcherId,
    now: Timestamp,
) -> Decision<Login, AttachOutcome> {
    let Some(mut item) = live(current, now).filter(|item| device.fits(item)) else {
        return Decision::refuse(AttachOutcome::Unknown);
    };
    let status = item.status(now);
    if !status.is_live() {
        return Decision::refuse(AttachOutcome::Ended(status));
    }
    if item.watchers.contains(&watcher) {
        return Decision::refuse(AttachOutcome::Attached(status));
    }
    item.watchers.push(watcher);
    let surplus = item.watchers.len().saturating_sub(MAX_WATCHERS);
    item.watchers.drain(..surplus);
    Decision {
        outcome: AttachOutcome::Attached(status),
        write: Some(item),
    }
}

/// The result of removing a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DetachOutcome {
    /// The connection is no longer notified.
    Detached,
    /// The connection was not watching.
    Unknown,
}

/// Removes a connection that is closed. Its carrier reports this, so nothing has to be proved.
#[must_use]
pub fn detach_watcher(
    current: Option<Login>,
    watcher: &WatcherId,
    now: Timestamp,
) -> Decision<Login, DetachOutcome> {
    match live(current, now) {
        Some(mut item) if item.watchers.contains(watcher) => {
            item.watchers.retain(|known| known != watcher);
            Decision {
                outcome: DetachOutcome::Detached,
                write: Some(item),
            }
        }
        _ => Decision::refuse(DetachOutcome::Unknown),
    }
}
