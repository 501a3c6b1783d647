//! Every change that a login can go through, as a decision about one item.
//!
//! A store makes the decision atomic and nothing more, as for
//! [confirmations](crate::confirmation::transitions). `current` is `None` if there is no item; an
//! item from its `purge_at` on counts as deleted. Attempts to deliver its webhook are in
//! [`delivery::transitions`](crate::delivery::transitions).
//!
//! Callers who cannot prove that they belong to a login get the not-found answer.

mod browser;
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
pub use phone::{Answer, ConfirmOutcome, DenyOutcome, InitiateOutcome, confirm, deny, initiate};

use super::{BrowserTokenHash, KEPT, Login, Payload, State};
use crate::delivery::Decision;
use crate::primitives::time::Timestamp;

impl<O> Decision<Login, O> {
    /// Enters the state of a decision, and makes the webhook owed that tells the app's server of it
    /// and of what the phone said.
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

    /// Enters a state: the item is written, and is part of the answer.
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

/// Drops an item that counts as deleted.
fn live(current: Option<Login>, now: Timestamp) -> Option<Login> {
    current.filter(|item| now < item.purge_at)
}

/// The item, if it exists and the browser opened it.
fn own(current: Option<Login>, browser: &BrowserTokenHash, now: Timestamp) -> Option<Login> {
    live(current, now).filter(|item| item.browser_token == *browser)
}
