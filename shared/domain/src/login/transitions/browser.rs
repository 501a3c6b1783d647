//! Transitions caused by the browser: create, cancel, and watch, which the phone may also cause.

use super::{live, own};
use crate::app::quota::QuotaExceeded;
use crate::delivery::Decision;
use crate::login::{
    BrowserTokenHash, DeviceTokenHash, Login, LoginCreator, MAX_WATCHERS, Refusal, State, Status,
};
use crate::primitives::time::Timestamp;
use crate::primitives::watcher::WatcherId;

/// The result of creating a login.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CreateOutcome {
    /// The login was stored.
    Created,
    /// The same browser had already created the login, which is live. Contains the item.
    Repeated(Box<Login>),
    /// Another browser created the login, or this browser created it for a different app or page.
    Taken,
    /// The same browser had already created the login, which has ended or expired.
    Ended(Status),
    /// The app's quota is exceeded, and nothing was written.
    Exceeded(QuotaExceeded),
}

/// Creates a login unless an item with its id exists. Repeating this with the same token changes
/// nothing, so a request whose answer was lost can be repeated.
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
        && item.creator == new.creator
        && item.test == new.test
        && item.encryption == new.encryption;
    let status = item.status(now);
    Decision::refuse(match (is_same, status.is_live()) {
        (false, _) => CreateOutcome::Taken,
        (true, false) => CreateOutcome::Ended(status),
        (true, true) => CreateOutcome::Repeated(Box::new(item)),
    })
}

/// Records the browser that shows a login that the app's server created for it, with the browser's own key and token.
/// The browser then has the same rights as one that created the login. Only the first browser can join, and only
/// until a phone opens the login, because the risk is assessed then. Repeating this changes nothing.
#[must_use]
pub fn join(
    current: Option<Login>,
    page: &Login,
    now: Timestamp,
) -> Decision<Login, CreateOutcome> {
    let is_its_own = |item: &Login| {
        item.browser_token == page.browser_token
            && item.app == page.app
            && item.origin == page.origin
            && matches!(item.creator, LoginCreator::Server { context: None, .. })
            && item.encryption == page.encryption
    };
    let Some(item) = live(current, now).filter(is_its_own) else {
        return Decision::refuse(CreateOutcome::Taken);
    };
    match item.status(now) {
        Status::Created if !item.is_joined => {
            let joined = Login {
                browser: page.browser.clone(),
                return_url: page.return_url.clone().or(item.return_url),
                is_joined: true,
                ..item
            };
            Decision {
                outcome: CreateOutcome::Repeated(Box::new(joined.clone())),
                write: Some(joined),
            }
        }
        status if status.is_live() => Decision::refuse(CreateOutcome::Repeated(Box::new(item))),
        status => Decision::refuse(CreateOutcome::Ended(status)),
    }
}

/// Cancels a live login. Its payload is deleted, if it has one.
#[must_use]
pub fn cancel(
    current: Option<Login>,
    browser: &BrowserTokenHash,
    now: Timestamp,
) -> Decision<Login, Result<(), Refusal>> {
    let Some(item) = own(current, browser, now) else {
        return Decision::refused(Refusal::Unknown);
    };
    let status = item.status(now);
    if status == Status::Expired {
        return Decision::refused(Refusal::Expired);
    }
    if !status.is_live() {
        return Decision::refused(Refusal::WrongStatus(status));
    }
    let phone = item.phone().cloned().map(Box::new);
    Decision::enter(item, State::Cancelled { phone, at: now }, Ok(()))
}

/// Subscribes a connection of the browser or the phone to changes, unless the login can no longer
/// change; the device must query earlier changes itself. If there are already [`MAX_WATCHERS`], the
/// new connection replaces the oldest, so that a device that lost its connection can reconnect.
#[must_use]
pub fn attach_watcher(
    current: Option<Login>,
    device: &DeviceTokenHash,
    watcher: WatcherId,
    now: Timestamp,
) -> Decision<Login, Result<Status, Refusal>> {
    let Some(mut item) = live(current, now).filter(|item| device.fits(item)) else {
        return Decision::refused(Refusal::Unknown);
    };
    let status = item.status(now);
    if !status.is_live() || item.watchers.contains(&watcher) {
        return Decision::refuse(Ok(status));
    }
    item.watchers.push(watcher);
    let surplus = item.watchers.len().saturating_sub(MAX_WATCHERS);
    item.watchers.drain(..surplus);
    Decision {
        outcome: Ok(status),
        write: Some(item),
    }
}

/// Removes a closed connection. The host reports this itself, so no proof is required.
#[must_use]
pub fn detach_watcher(
    current: Option<Login>,
    watcher: &WatcherId,
    now: Timestamp,
) -> Decision<Login, ()> {
    match live(current, now) {
        Some(mut item) if item.watchers.contains(watcher) => {
            item.watchers.retain(|known| known != watcher);
            Decision {
                outcome: (),
                write: Some(item),
            }
        }
        _ => Decision::refuse(()),
    }
}
