//! What the browser does: open a session, watch it, take the payload, give it up.

use super::{live, own};
use crate::app::quota::QuotaExceeded;
use crate::delivery::Decision;
use crate::login::{BrowserTokenHash, Login, MAX_WATCHERS, Payload, State, Status, WatcherId};
use crate::primitives::time::Timestamp;

/// What became of a new session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CreateOutcome {
    /// It is on disk.
    Created,
    /// An item with its id was there already.
    Exists,
    /// Nothing was written: the app's quota is used up.
    Exceeded(QuotaExceeded),
}

/// Puts a new session if there is none with its id.
#[must_use]
pub fn create(
    current: Option<Login>,
    new: Login,
    now: Timestamp,
) -> Decision<Login, CreateOutcome> {
    match live(current, now) {
        Some(_) => Decision::refuse(CreateOutcome::Exists),
        None => Decision {
            outcome: CreateOutcome::Created,
            write: Some(new),
        },
    }
}

/// As [`create`], where the app's quota allows it.
#[must_use]
pub fn create_within(
    current: Option<Login>,
    new: Login,
    check: impl FnOnce(&Login) -> Result<(), QuotaExceeded>,
    now: Timestamp,
) -> Decision<Login, CreateOutcome> {
    let decision = create(current, new, now);
    match decision.write.as_ref().map(check) {
        Some(Err(exceeded)) => Decision::refuse(CreateOutcome::Exceeded(exceeded)),
        Some(Ok(())) | None => decision,
    }
}

/// What an attempt to take the payload got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RedeemOutcome {
    /// The payload, which is nowhere else from now on.
    Redeemed {
        /// What the phone sent.
        payload: Payload,
        /// The item as it is now.
        session: Box<Login>,
    },
    /// There is none to be taken: not yet, no longer, or never.
    Refused(Status),
    /// The time is over.
    Expired,
    /// The browser has no such session.
    Unknown,
}

/// Takes the payload of a confirmed session out of it.
#[must_use]
pub fn redeem(
    current: Option<Login>,
    browser: &BrowserTokenHash,
    now: Timestamp,
) -> Decision<Login, RedeemOutcome> {
    let Some(item) = own(current, browser, now) else {
        return Decision::refuse(RedeemOutcome::Unknown);
    };
    let status = item.status(now);
    if status == Status::Expired {
        return Decision::refuse(RedeemOutcome::Expired);
    }
    let State::Confirmed {
        phone,
        at: confirmed_at,
        payload,
        fingerprint,
        redeem_by: _,
    } = item.state.clone()
    else {
        return Decision::refuse(RedeemOutcome::Refused(status));
    };
    let state = State::Consumed {
        phone,
        confirmed_at,
        fingerprint,
        at: now,
    };
    Decision::enter(item, state, |session| RedeemOutcome::Redeemed {
        payload,
        session,
    })
}

/// What giving up did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CancelOutcome {
    /// The session is over. The item as it is now.
    Cancelled(Box<Login>),
    /// It had ended already.
    Ended(Status),
    /// The time was over.
    Expired,
    /// The browser has no such session.
    Unknown,
}

/// Ends a live session. A payload that waited is gone with it.
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

/// What became of a connection that wants to watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttachOutcome {
    /// It is told of changes from now on. Those before, it must ask for.
    Attached(Status),
    /// Nothing will change any more.
    Ended(Status),
    /// The browser has no such session.
    Unknown,
}

/// Adds a connection to those that are told of changes. Where there are [`MAX_WATCHERS`] already
/// the oldest makes room: a page that lost its connection gets through.
#[must_use]
pub fn attach_watcher(
    current: Option<Login>,
    browser: &BrowserTokenHash,
    watcher: WatcherId,
    now: Timestamp,
) -> Decision<Login, AttachOutcome> {
    let Some(mut item) = own(current, browser, now) else {
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

/// What became of a connection that is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DetachOutcome {
    /// It is told nothing more.
    Detached,
    /// It had not been watching.
    Unknown,
}

/// Takes a connection from those that are told of changes. Whoever carries it says that it is
/// gone; there is nothing to prove.
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
