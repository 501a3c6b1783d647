//! Every change that a QR session can go through, as a decision about one item.
//!
//! A store makes the decision atomic and nothing more, as for
//! [confirmations](crate::confirmation::transitions). `current` is `None` where there is no item;
//! an item from its `purge_at` on counts as none.
//!
//! Whoever does not prove to belong to a session is told of it what they would be told of one that
//! does not exist.

mod browser;
mod notice;
mod owe;
mod phone;

#[cfg(test)]
mod checklist;
#[cfg(test)]
mod properties;
#[cfg(test)]
pub(super) mod samples;

pub use browser::{
    AttachOutcome, CancelOutcome, CreateOutcome, DetachOutcome, RedeemOutcome, attach_watcher,
    cancel, create, create_within, detach_watcher, redeem,
};
pub use notice::{ClaimNoticeOutcome, claim_notice, postpone_notice, settle_notice};
pub use phone::{Answer, ConfirmOutcome, DenyOutcome, InitiateOutcome, confirm, deny, initiate};

use super::{BrowserTokenHash, KEPT, Login, Payload, State};
use crate::delivery::Decision;
use crate::primitives::time::Timestamp;

impl<O> Decision<Login, O> {
    /// As [`enter`](Self::enter), for a decision that the app's server is told of, with what the phone
    /// said.
    fn decide(
        item: Login,
        state: State,
        said: &Payload,
        now: Timestamp,
        answer: impl FnOnce(Box<Login>) -> O,
    ) -> Self {
        let mut item = Self::entered(item, state);
        item.owe_notice(said, now);
        Self {
            outcome: answer(Box::new(item.clone())),
            write: Some(item),
        }
    }

    /// The item in its new state, to be written, and answered too.
    fn enter(item: Login, state: State, answer: impl FnOnce(Box<Login>) -> O) -> Self {
        let item = Self::entered(item, state);
        Self {
            outcome: answer(Box::new(item.clone())),
            write: Some(item),
        }
    }
}

impl<O> Decision<Login, O> {
    fn entered(mut item: Login, state: State) -> Login {
        item.state = state;
        item.purge_at = item.purge_at.max(item.expires_at().plus(KEPT));
        item
    }
}

/// Whether an item counts as there.
fn live(current: Option<Login>, now: Timestamp) -> Option<Login> {
    current.filter(|item| now < item.purge_at)
}

/// The item, if it is there and the browser's own.
fn own(current: Option<Login>, browser: &BrowserTokenHash, now: Timestamp) -> Option<Login> {
    live(current, now).filter(|item| item.browser_token == *browser)
}
