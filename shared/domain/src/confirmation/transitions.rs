//! The transitions of a confirmation, each a pure decision about one item.
//!
//! [`Store::change`](crate::store::Store::change) applies a decision atomically. `current` is `None` if
//! there is no item; an item is treated as absent from its `purge_at` on. Attempts to deliver the
//! webhook are in [`delivery::transitions`](crate::delivery::transitions).

mod caller;
mod carrier;
mod client;
mod text;

#[cfg(test)]
mod properties;

pub use caller::{
    CancelOutcome, CreateOutcome, RedactOutcome, RedeliverOutcome, cancel, create, redact,
    redeliver,
};
pub use carrier::{CarrierOutcome, decide_carrier};
pub use client::{of_client, watch};
pub use text::{
    InboundRoute, MissedConfirmation, TextEvidence, VerifyOutcome, VerifyRefusal, record_miss,
    verify,
};

use super::Confirmation;
use crate::app::scope::Scope;
use crate::primitives::time::Timestamp;

/// Returns the item unless it is treated as deleted.
fn live(current: Option<Confirmation>, now: Timestamp) -> Option<Confirmation> {
    current.filter(|item| now < item.purge_at)
}

/// Returns the item if it exists and the caller may change it.
fn owned(current: Option<Confirmation>, scope: Scope<'_>, now: Timestamp) -> Option<Confirmation> {
    live(current, now).filter(|item| scope.has(&item.app, item.test))
}
