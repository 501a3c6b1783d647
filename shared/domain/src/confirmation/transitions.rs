//! Every change that a confirmation can go through, as a decision about one item.
//!
//! A store makes the decision atomic and nothing more: it reads the item, asks the function here,
//! and writes the item of the [`Decision`](crate::delivery::Decision) in one conditional write (or
//! expresses the same condition in its own language and asks here only to name a refusal).
//! `current` is `None` if there is no item; an item from its `purge_at` on counts as deleted.
//! Attempts to deliver its webhook are in [`delivery::transitions`](crate::delivery::transitions).

mod caller;
mod text;

#[cfg(test)]
mod properties;

pub use caller::{
    CancelOutcome, CreateOutcome, RedactOutcome, RedeliverOutcome, cancel, create, create_within,
    redact, redeliver,
};
pub use text::{TextEvidence, VerifyOutcome, VerifyRefusal, verify};

use super::Confirmation;
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;

/// Drops an item that counts as deleted.
fn live(current: Option<Confirmation>, now: Timestamp) -> Option<Confirmation> {
    current.filter(|item| now < item.purge_at)
}

/// The item, if it exists and belongs to the app.
fn owned(current: Option<Confirmation>, app: &AppId, now: Timestamp) -> Option<Confirmation> {
    live(current, now).filter(|item| item.app == *app)
}
