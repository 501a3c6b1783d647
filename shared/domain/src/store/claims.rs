//! Claims of delivery attempts.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::delivery::transitions::HasDelivery;
use crate::delivery::{CLAIM_LEASE, CLAIM_TOLERANCE, Delivery, DeliverySubject, Progress};
use crate::primitives::time::Timestamp;

/// Time that a claim is remembered: longer than its lease, and longer than any read of its document
/// takes.
const CLAIM_RETENTION: Duration = Duration::from_secs(2 * CLAIM_LEASE.as_secs());

/// Number of claims above which old ones are removed.
const PRUNE_AT: usize = 1024;

/// The place where claims are stored.
#[derive(Debug)]
pub(super) enum ClaimStore {
    /// In the document of the webhook.
    InDocuments,
    InMemory(Mutex<ClaimTable>),
}

/// The latest claim of each subject.
#[derive(Debug, Default)]
pub(super) struct ClaimTable {
    claims: HashMap<DeliverySubject, Claim>,
    forget_at: usize,
}

#[derive(Clone, Copy, Debug)]
struct Claim {
    attempts_claimed: u32,
    claimed_at: Timestamp,
}

impl ClaimStore {
    pub(super) fn in_memory() -> Self {
        Self::InMemory(Mutex::default())
    }

    /// Applies a claim in memory to an item that was read.
    pub(super) fn lay_over(&self, item: &mut impl HasDelivery) {
        let Self::InMemory(made) = self else { return };
        let subject = item.subject();
        let Some(delivery) = item.delivery_mut() else {
            return;
        };
        let made = made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(claim) = made.claims.get(&subject) {
            claim.lay_over(delivery);
        }
    }

    pub(super) const fn are_in_memory(&self) -> bool {
        matches!(self, Self::InMemory(_))
    }

    /// Stores the claim made in `claimed`, unless another call has made it since `claimed` was read.
    /// Returns whether the claim was stored. Does nothing if claims are in documents.
    pub(super) fn keep(&self, claimed: &impl HasDelivery, now: Timestamp) -> bool {
        let Self::InMemory(made) = self else {
            return true;
        };
        let subject = claimed.subject();
        let Some(delivery) = claimed.delivery() else {
            return false;
        };
        let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
        let known = made.claims.get(&subject);
        let known = known.filter(|known| known.is_of(delivery));
        if known.is_some_and(|known| known.attempts_claimed >= delivery.attempts_claimed) {
            return false;
        }
        let claim = Claim {
            attempts_claimed: delivery.attempts_claimed,
            claimed_at: now,
        };
        made.claims.insert(subject, claim);
        if made.claims.len() > made.forget_at.max(PRUNE_AT) {
            let is_recent = |claim: &Claim| {
                now < claim.claimed_at || now.since(claim.claimed_at) < CLAIM_RETENTION
            };
            made.claims.retain(|_, claim| is_recent(claim));
            made.forget_at = 2 * made.claims.len();
        }
        true
    }
}

impl Claim {
    /// Returns whether this claim is for the delivery, and not for that of a removed item with the same
    /// id.
    fn is_of(self, delivery: &Delivery) -> bool {
        match delivery.progress {
            Progress::Pending {
                next_attempt_at, ..
            } => next_attempt_at <= self.claimed_at.plus(CLAIM_TOLERANCE),
            Progress::Delivered { .. } | Progress::Failed { .. } => false,
        }
    }

    fn lay_over(self, delivery: &mut Delivery) {
        if delivery.attempts_claimed >= self.attempts_claimed || !self.is_of(delivery) {
            return;
        }
        if let Progress::Pending { claimed_at, .. } = &mut delivery.progress {
            *claimed_at = Some(self.claimed_at);
            delivery.attempts_claimed = self.attempts_claimed;
        }
    }
}
