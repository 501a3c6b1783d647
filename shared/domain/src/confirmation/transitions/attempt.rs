//! What the dispatcher and the sweep do: claim an attempt, write down how it ended, come back later.

use std::time::Duration;

use super::{delivery_of, live};
use crate::confirmation::Confirmation;
use crate::delivery::{
    Decision, LATENESS, PostponeOutcome, SettleOutcome, SettledAttempt, Settlement,
};
use crate::primitives::time::Timestamp;

/// What a claim got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimOutcome {
    /// The attempt is this caller's to make. The item as it is now.
    Claimed(Box<Confirmation>),
    /// Nothing to do: another made it, its time has not come, or it is no longer owed.
    Stale,
}

/// Claims the attempt after `attempts_claimed` others ([`Delivery::claim`]).
///
/// [`Delivery::claim`]: crate::delivery::Delivery::claim
#[must_use]
pub fn claim(
    current: Option<Confirmation>,
    attempts_claimed: u32,
    now: Timestamp,
) -> Decision<Confirmation, ClaimOutcome> {
    let Some(mut item) = live(current, now) else {
        return Decision::refuse(ClaimOutcome::Stale);
    };
    let claimed = delivery_of(&mut item).is_some_and(|d| d.claim(attempts_claimed, now));
    if !claimed {
        return Decision::refuse(ClaimOutcome::Stale);
    }
    Decision {
        outcome: ClaimOutcome::Claimed(Box::new(item.clone())),
        write: Some(item),
    }
}

/// Writes down how the attempt ended that the caller had claimed.
#[must_use]
pub fn settle(
    current: Option<Confirmation>,
    settled: SettledAttempt,
    now: Timestamp,
    retention: Duration,
) -> Decision<Confirmation, SettleOutcome> {
    let superseded = Decision::refuse(SettleOutcome::Superseded);
    let Some(mut item) = live(current, now) else {
        return superseded;
    };
    let settlement = settled.settlement;
    if !delivery_of(&mut item).is_some_and(|delivery| delivery.settle(settled, now)) {
        return superseded;
    }
    if let Settlement::Retry { at, .. } = settlement {
        item.purge_at = item.purge_at.max(at.plus(LATENESS).plus(retention));
    }
    Decision {
        outcome: SettleOutcome::Settled {
            pointer: item.pointer(),
        },
        write: Some(item),
    }
}

/// Advances the instant at which the sweep looks after a delivery, if it is still the one seen.
#[must_use]
pub fn postpone(
    current: Option<Confirmation>,
    seen_due_at: Timestamp,
    now: Timestamp,
) -> Decision<Confirmation, PostponeOutcome> {
    let superseded = Decision::refuse(PostponeOutcome::Superseded);
    let Some(mut item) = live(current, now) else {
        return superseded;
    };
    let Some(pointer) = item.pointer() else {
        return superseded;
    };
    if !delivery_of(&mut item).is_some_and(|delivery| delivery.postpone(seen_due_at, now)) {
        return superseded;
    }
    Decision {
        outcome: PostponeOutcome::Postponed(pointer),
        write: Some(item),
    }
}
