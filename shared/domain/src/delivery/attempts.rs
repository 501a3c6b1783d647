//! The changes of a delivery itself, whatever item owes it.

use super::{
    Attempt, CLAIM_LEASE, CLAIM_TOLERANCE, Delivery, KEPT_ATTEMPTS, KeptSignature, Progress,
    SWEEP_LEASE,
};
use crate::primitives::time::Timestamp;

/// The step that follows an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// The receiver accepted the webhook.
    Delivered,
    /// Another attempt.
    Retry {
        /// The time of the attempt.
        at: Timestamp,
        /// The time when the sweep looks after it: a lease later if a queue carries the pointer,
        /// else the same instant.
        due_at: Timestamp,
    },
    /// No attempt follows.
    Failed,
}

/// The result of an attempt, to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettledAttempt {
    /// The attempt. The settlement is conditional on its number.
    pub attempt: Attempt,
    /// The signature that was sent, if it is to be kept.
    pub signature: Option<KeptSignature>,
    /// The step that follows.
    pub settlement: Settlement,
}

impl Delivery {
    /// Whether an attempt is under way whose lease is not over.
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

    /// The time when the sweep looks after the delivery; `None` if no webhook is owed.
    #[must_use]
    pub const fn due_at(&self) -> Option<Timestamp> {
        match self.progress {
            Progress::Pending { due_at, .. } => Some(due_at),
            _ => None,
        }
    }

    /// Claims the attempt after `attempts_claimed` others if it is due, and returns whether it did.
    /// The entry in the due index stays.
    ///
    /// A pointer may come early: one that the sweep made while an attempt was under way names the
    /// attempt after it, whose time was not known yet.
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

    /// Takes up the result of the attempt that was claimed last. Returns `false` if it is
    /// another's.
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
        self.attempts.push(settled.attempt);
        let surplus = self.attempts.len().saturating_sub(KEPT_ATTEMPTS);
        self.attempts.drain(..surplus);
        if settled.signature.is_some() {
            self.signature = settled.signature;
        }
        self.progress = match settled.settlement {
            Settlement::Delivered => Progress::Delivered { at: now },
            Settlement::Failed => Progress::Failed { at: now },
            Settlement::Retry { at, due_at } => Progress::Pending {
                next_attempt_at: at,
                due_at,
                claimed_at: None,
            },
        };
        true
    }

    /// Advances the time when the sweep looks after the delivery, if it is still the one seen, and
    /// returns whether it did.
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
