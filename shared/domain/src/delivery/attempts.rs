//! How a delivery goes from attempt to attempt, wherever it is kept.

use super::{
    Attempt, CLAIM_LEASE, CLAIM_TOLERANCE, Delivery, KEPT_ATTEMPTS, KeptSignature, Progress,
    SWEEP_LEASE,
};
use crate::primitives::time::Timestamp;

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

impl Delivery {
    /// Whether an attempt is under way, and not for so long that its maker must have died.
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

    /// When the sweep is to look after it; `None` where no webhook is owed. What a due index
    /// holds.
    #[must_use]
    pub const fn due_at(&self) -> Option<Timestamp> {
        match self.progress {
            Progress::Pending { due_at, .. } => Some(due_at),
            _ => None,
        }
    }

    /// Claims the attempt after `attempts_claimed` others, if its time has come; answers whether
    /// that was done. The due index is not touched.
    ///
    /// The time is looked at because a pointer may come early: one that the sweep made while an
    /// attempt was under way names the attempt after that, whose time was not known yet.
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

    /// Writes down how the attempt ended that was claimed last; answers whether it was that one.
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

    /// Advances the instant at which the sweep looks after it, if it is still the one seen;
    /// answers whether it was.
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
