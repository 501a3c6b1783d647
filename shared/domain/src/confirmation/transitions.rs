//! Every change that a confirmation can go through, as a decision about one item.
//!
//! A store makes the decision atomic and nothing more: it reads the item, asks here, and writes
//! what it is told in one conditional write (or expresses the same condition in its own language
//! and asks here only for the name of a refusal). `current` is `None` where there is no item; an
//! item from its `purge_at` on counts as none.

mod attempt;
mod caller;
mod text;

#[cfg(test)]
mod properties;

pub use attempt::{ClaimOutcome, claim, postpone, settle};
pub use caller::{
    CancelOutcome, CreateOutcome, RedactOutcome, RedeliverOutcome, cancel, create, create_within,
    redact, redeliver,
};
pub use text::{TextEvidence, VerifyOutcome, VerifyRefusal, verify};

use super::{Confirmation, State};
use crate::delivery::Delivery;
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;

/// The webhook owed or once owed, where the session was verified.
fn delivery_of(item: &mut Confirmation) -> Option<&mut Delivery> {
    match &mut item.state {
        State::Verified(verified) => Some(&mut verified.delivery),
        State::Open | State::Cancelled { .. } => None,
    }
}

/// Whether an item counts as there.
fn live(current: Option<Confirmation>, now: Timestamp) -> Option<Confirmation> {
    current.filter(|item| now < item.purge_at)
}

/// The item, if it is there and the app's own.
fn owned(current: Option<Confirmation>, app: &AppId, now: Timestamp) -> Option<Confirmation> {
    live(current, now).filter(|item| item.app == *app)
}
