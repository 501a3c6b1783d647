//! What the dispatcher and the sweep do: claim an attempt, write down how it ended, come back later.

use std::time::Duration;

use super::{Decision, delivery_of, is_in_flight, live};
use crate::confirmation::Confirmation;
use crate::delivery::{
    Attempt, CLAIM_TOLERANCE, DeliveryPointer, KEPT_ATTEMPTS, KeptSignature, LATENESS, Progress,
    SWEEP_LEASE,
};
use crate::time::Timestamp;

/// What a claim got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimOutcome {
    /// The attempt is this caller's to make. The item as it is now.
    Claimed(Box<Confirmation>),
    /// Nothing to do: another made it, its time has not come, or it is no longer owed.
    Stale,
}

/// Claims the attempt after `attempts_claimed` others, if its time has come. The due index is not
/// touched.
///
/// The time is looked at because a pointer may come early: one that the sweep made while an attempt
/// was under way names the attempt after that, whose time was not known yet.
#[must_use]
pub fn claim(
    current: Option<Confirmation>,
    attempts_claimed: u32,
    now: Timestamp,
) -> Decision<ClaimOutcome> {
    let Some(mut item) = live(current, now) else {
        return Decision::refuse(ClaimOutcome::Stale);
    };
    let Some(delivery) = delivery_of(&mut item) else {
        return Decision::refuse(ClaimOutcome::Stale);
    };
    if delivery.attempts_claimed != attempts_claimed || is_in_flight(&delivery.progress, now) {
        return Decision::refuse(ClaimOutcome::Stale);
    }
    let Progress::Pending {
        next_attempt_at,
        claimed_at,
        ..
    } = &mut delivery.progress
    else {
        return Decision::refuse(ClaimOutcome::Stale);
    };
    if now.plus(CLAIM_TOLERANCE) < *next_attempt_at {
        return Decision::refuse(ClaimOutcome::Stale);
    }
    *claimed_at = Some(now);
    delivery.attempts_claimed += 1;
    Decision {
        outcome: ClaimOutcome::Claimed(Box::new(item.clone())),
        write: Some(item),
    }
}

/// What follows an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// The receiver took it.
    Delivered,
    /// Another attempt.
    Retry {
        /// When.
        at: Timestamp,
        /// When the sweep looks after it: a lease later where a queue carries the pointer, else
        /// the same instant.
        due_at: Timestamp,
    },
    /// Given up.
    Failed,
}

/// The result of an attempt, to be written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettledAttempt {
    /// The attempt; its number is what the settlement is conditional on.
    pub attempt: Attempt,
    /// The signature that was sent, to be kept.
    pub signature: Option<KeptSignature>,
    /// What follows.
    pub settlement: Settlement,
}

/// What a settlement did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettleOutcome {
    /// It is written down.
    Settled {
        /// The next attempt, where one follows.
        pointer: Option<DeliveryPointer>,
    },
    /// Another attempt had taken its place meanwhile.
    Superseded,
}

/// Writes down how the attempt ended that the caller had claimed.
#[must_use]
pub fn settle(
    current: Option<Confirmation>,
    settled: SettledAttempt,
    now: Timestamp,
    retention: Duration,
) -> Decision<SettleOutcome> {
    let superseded = Decision::refuse(SettleOutcome::Superseded);
    let Some(mut item) = live(current, now) else {
        return superseded;
    };
    let Some(delivery) = delivery_of(&mut item) else {
        return superseded;
    };
    let claimed = matches!(
        delivery.progress,
        Progress::Pending {
            claimed_at: Some(_),
            ..
        }
    );
    if !claimed || delivery.attempts_claimed != settled.attempt.number {
        return superseded;
    }
    delivery.attempts.push(settled.attempt);
    let surplus = delivery.attempts.len().saturating_sub(KEPT_ATTEMPTS);
    delivery.attempts.drain(..surplus);
    if settled.signature.is_some() {
        delivery.signature = settled.signature;
    }
    delivery.progress = match settled.settlement {
        Settlement::Delivered => Progress::Delivered { at: now },
        Settlement::Failed => Progress::Failed { at: now },
        Settlement::Retry { at, due_at } => Progress::Pending {
            next_attempt_at: at,
            due_at,
            claimed_at: None,
        },
    };
    if let Settlement::Retry { at, .. } = settled.settlement {
        item.purge_at = item.purge_at.max(at.plus(LATENESS).plus(retention));
    }
    Decision {
        outcome: SettleOutcome::Settled {
            pointer: item.pointer(),
        },
        write: Some(item),
    }
}

/// What a postponement did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostponeOutcome {
    /// The sweep may put this pointer into the queue.
    Postponed(DeliveryPointer),
    /// The delivery moved on, or another sweep has it.
    Superseded,
}

/// Advances the instant at which the sweep looks after a delivery, if it is still the one seen.
#[must_use]
pub fn postpone(
    current: Option<Confirmation>,
    seen_due_at: Timestamp,
    now: Timestamp,
) -> Decision<PostponeOutcome> {
    let superseded = Decision::refuse(PostponeOutcome::Superseded);
    let Some(mut item) = live(current, now) else {
        return superseded;
    };
    let Some(pointer) = item.pointer() else {
        return superseded;
    };
    let Some(delivery) = delivery_of(&mut item) else {
        return superseded;
    };
    let Progress::Pending { due_at, .. } = &mut delivery.progress else {
        return superseded;
    };
    if *due_at != seen_due_at {
        return superseded;
    }
    *due_at = now.plus(SWEEP_LEASE);
    Decision {
        outcome: PostponeOutcome::Postponed(pointer),
        write: Some(item),
    }
}
