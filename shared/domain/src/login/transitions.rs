//! The transitions of a login, each a pure decision about one item.
//!
//! [`Store::change`](crate::store::Store::change) applies a decision atomically. `current` is
//! `None` if there is no item; an item is treated as absent from its `purge_at` on. Attempts to
//! deliver the webhook are in [`delivery::transitions`](crate::delivery::transitions).
//!
//! Callers who cannot prove that a login is theirs get the not-found answer.

mod browser;
mod expire;
mod notice;
mod phone;
mod redeem;
mod withdraw;

#[cfg(test)]
mod checklist;
#[cfg(test)]
mod properties;
#[cfg(test)]
pub(super) mod samples;

pub use browser::{CreateOutcome, attach_watcher, cancel, create, detach_watcher, join};
pub use expire::expire;
pub use phone::{Denial, PhoneConfirmation, confirm, deny, initiate};
pub use redeem::{check_code, redeem};
pub use withdraw::unless_withdrawn;

use super::{BrowserTokenHash, Login, Refusal, State};
use crate::delivery::Decision;
use crate::primitives::time::Timestamp;

impl<T> Decision<Login, Result<T, Refusal>> {
    /// Moves the item to a new state. A webhook that is still pending keeps its content.
    fn enter(mut item: Login, state: State, outcome: Result<T, Refusal>) -> Self {
        item.change_state(state);
        Self {
            outcome,
            write: Some(item),
        }
    }

    /// Refuses the request without a change.
    fn refused(refusal: Refusal) -> Self {
        Self::refuse(Err(refusal))
    }
}

/// Returns the item unless it is treated as deleted.
fn live(current: Option<Login>, now: Timestamp) -> Option<Login> {
    current.filter(|item| now < item.purge_at)
}

/// Returns the item if it exists and belongs to the browser.
fn own(current: Option<Login>, browser: &BrowserTokenHash, now: Timestamp) -> Option<Login> {
    live(current, now).filter(|item| item.browser_token == *browser)
}
