//! The transitions of a delivery from attempt to attempt.

use super::{
    Attempt, CLAIM_LEASE, CLAIM_TOLERANCE, Delivery, KeptSignature, MAX_KEPT_ATTEMPTS, Progress,
    Refusal, SWEEP_LEASE,
};
use crate::primitives::time::Timestamp;

/// The settlement of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// The receiver accepted the webhook.
    Delivered,
    /// Another attempt follows.
    Retry {
        /// Time of the next attempt.
        at: Timestamp,
        /// Time when the sweep checks the delivery: one lease after `at` if a queue carries the
        /// pointer, otherwise `at` itself.
        due_at: Timestamp,
    },
    /// The same step of the schedule is repeated: the attempt failed because of an error on our side, or
    /// was skipped because the receiver is down.
    Reschedule {
        /// Time of the next attempt.
        at: Timestamp,
        /// Time when the sweep checks the delivery: one lease after `at`.
        due_at: Timestamp,
    },
    /// The delivery has failed: no more attempts are made.
    Failed,
}

/// The result of an attempt and its settlement, to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettledAttempt {
    /// The attempt. Its number must be that of the claimed attempt.
    pub attempt: Attempt,
    /// The signature that was sent, for reuse.
    pub signature: Option<KeptSignature>,
    /// The beginning of the body with which the receiver refused the webhook.
    pub refusal: Option<String>,
    /// The settlement of the attempt.
    pub settlement: Settlement,
}

impl Delivery {
    /// Returns whether an attempt is in progress and its lease has not expired; afterwards, its
    /// process must have crashed.
    #[must_use]
    pub fn is_in_flight(&self, now: Timestamp) -> bool {
        match self.progress {
            Progress::Pending {
                claimed_at: Some(at),
                ..
            } => now < at.plus(CLAIM_LEASE),
            _ => false,
        }
    }

    /// Returns the time when the sweep checks the delivery, or `None` if no webhook is pending. Due
    /// indexes contain this time.
    #[must_use]
    pub const fn due_at(&self) -> Option<Timestamp> {
        match self.progress {
            Progress::Pending { due_at, .. } => Some(due_at),
            _ => None,
        }
    }

    /// Claims the attempt after the first `attempts_claimed` if it is due, and returns whether it
    /// did. The due index does not change.
    ///
    /// The time is checked because a pointer may be early: if the sweep created it while an attempt
    /// was in progress, it identifies the next attempt, whose time was not known yet.
    #[must_use]
    pub fn claim(&mut self, attempts_claimed: u32, now: Timestamp) -> bool {
        if self.attempts_claimed != attempts_claimed || self.is_in_flight(now) {
            return false;
        }
        let Progress::Pending {
            next_attempt_at,
            claimed_at,
            ..
        } = &mut self.progress
        else {
            return false;
        };
        if now.plus(CLAIM_TOLERANCE) < *next_attempt_at {
            return false;
        }
        *claimed_at = Some(now);
        self.attempts_claimed += 1;
        true
    }

    /// Stores the result of the last claimed attempt, and returns whether the result was for that
    /// attempt.
    #[must_use]
    pub fn settle(&mut self, settled: SettledAttempt, now: Timestamp) -> bool {
        let claimed = matches!(
            self.progress,
            Progress::Pending {
                claimed_at: Some(_),
                ..
            }
        );
        if !claimed || self.attempts_claimed != settled.attempt.number {
            return false;
        }
        let attempt = settled.attempt.number;
        self.refusal = settled.refusal.map(|body| Refusal { attempt, body });
        self.attempts.push(settled.attempt);
        let surplus = self.attempts.len().saturating_sub(MAX_KEPT_ATTEMPTS);
        self.attempts.drain(..surplus);
        if settled.signature.is_some() {
            self.signature = settled.signature;
        }
        if matches!(settled.settlement, Settlement::Reschedule { .. }) {
            self.round_began_at += 1;
        }
        self.progress = match settled.settlement {
            Settlement::Delivered => Progress::Delivered { at: now },
            Settlement::Failed => Progress::Failed { at: now },
            Settlement::Retry { at, due_at } | Settlement::Reschedule { at, due_at } => {
                Progress::Pending {
                    next_attempt_at: at,
                    due_at,
                    claimed_at: None,
                }
            }
        };
        true
    }

    /// Postpones the time when the sweep checks the delivery if it has not changed since the sweep
    /// read it, and returns whether it did.
    #[must_use]
    pub fn postpone(&mut self, seen_due_at: Timestamp, now: Timestamp) -> bool {
        match &mut self.progress {
            Progress::Pending { due_at, .. } if *due_at == seen_due_at => {
                *due_at = now.plus(SWEEP_LEASE);
                true
            }
            _ => false,
        }
    }
}
