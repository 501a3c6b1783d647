//! Claims that are not on disk.
//!
//! An item's state is its record in the file with its claim laid over it. The next write of the item,
//! usually the settlement, puts the claim into the file as well. If a batch has read the item, a claim
//! of it joins a batch too. So a claim and a write of the same item are always decided one after the
//! other.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use countersign_domain::delivery::transitions::Owes;
use countersign_domain::delivery::{DeliverySubject, Progress};
use countersign_domain::primitives::time::Timestamp;

/// Number of locks: enough that claims of different items seldom wait for each other.
const SHARDS: usize = 64;

/// A claim, as the changes that it makes to the item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    attempts_claimed: u32,
    claimed_at: Timestamp,
}

impl Claim {
    /// Returns the item's claim, if there is one.
    pub(super) fn of(item: &impl Owes) -> Option<Self> {
        let delivery = item.delivery()?;
        match delivery.progress {
            Progress::Pending {
                claimed_at: Some(claimed_at),
                ..
            } => Some(Self {
                attempts_claimed: delivery.attempts_claimed,
                claimed_at,
            }),
            _ => None,
        }
    }

    /// Lays the claim over an item from the file, unless the file already contains it.
    pub(super) fn lay_over(self, item: &mut impl Owes) {
        let Some(delivery) = item.delivery_mut() else {
            return;
        };
        if delivery.attempts_claimed >= self.attempts_claimed {
            return;
        }
        if let Progress::Pending { claimed_at, .. } = &mut delivery.progress {
            *claimed_at = Some(self.claimed_at);
            delivery.attempts_claimed = self.attempts_claimed;
        }
    }
}

/// All claims that are not on disk.
#[derive(Debug)]
pub(super) struct Claims {
    shards: Vec<Mutex<Shard>>,
}

/// The claims of the items that share a lock.
#[derive(Debug, Default)]
pub(super) struct Shard {
    made: HashMap<DeliverySubject, Claim>,
    /// The items read by a batch that is not on disk yet.
    in_batch: HashSet<DeliverySubject>,
}

impl Default for Claims {
    fn default() -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
        }
    }
}

impl Claims {
    /// Locks the shard of an item's claim. Under this lock, the file and the claim are consistent with
    /// each other.
    pub(super) fn lock(&self, subject: DeliverySubject) -> MutexGuard<'_, Shard> {
        self.shards[usize::from(subject.key()[1]) % SHARDS]
            .lock()
            // Nothing that holds the lock can panic half-way through a change.
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
impl Claims {
    /// Returns the number of claims.
    pub(super) fn made(&self) -> usize {
        let shards = self.shards.iter();
        shards
            .map(|shard| shard.lock().map_or(0, |shard| shard.made.len()))
            .sum()
    }
}

/// The items that a batch has read. Until this is dropped, claims of them must join a batch.
pub(super) struct Held {
    claims: Arc<Claims>,
    /// The items, each with the claim that it has once the batch is on disk.
    items: HashMap<DeliverySubject, Option<Claim>>,
    on_disk: bool,
}

impl Held {
    pub(super) fn new(claims: Arc<Claims>) -> Self {
        Self {
            claims,
            items: HashMap::new(),
            on_disk: false,
        }
    }

    /// Starts to hold an item, and returns its claim.
    pub(super) fn claim(&mut self, subject: DeliverySubject) -> Option<Claim> {
        *self.items.entry(subject).or_insert_with(|| {
            let mut shard = self.claims.lock(subject);
            shard.in_batch.insert(subject);
            shard.made.get(&subject).copied()
        })
    }

    /// Sets the claim that a held item has once the batch is on disk.
    pub(super) fn set(&mut self, subject: DeliverySubject, claim: Option<Claim>) {
        self.items.insert(subject, claim);
    }

    /// Releases all items and applies the claims that were set.
    pub(super) fn commit(mut self) {
        self.on_disk = true;
    }
}

/// Releases all items. Their old claims stay, unless [`Held::commit`] was called.
impl Drop for Held {
    fn drop(&mut self) {
        for (subject, claim) in self.items.drain() {
            let mut shard = self.claims.lock(subject);
            shard.in_batch.remove(&subject);
            if self.on_disk {
                match claim {
                    Some(claim) => shard.made.insert(subject, claim),
                    None => shard.made.remove(&subject),
                };
            }
        }
    }
}

impl Shard {
    /// Returns whether a batch that is not on disk yet holds the item.
    pub(super) fn is_in_batch(&self, subject: DeliverySubject) -> bool {
        self.in_batch.contains(&subject)
    }

    /// Lays the item's claim over it.
    pub(super) fn lay_over(&self, item: &mut impl Owes) {
        if let Some(claim) = self.made.get(&item.subject()) {
            claim.lay_over(item);
        }
    }

    /// Stores the item's claim, if there is one.
    pub(super) fn keep(&mut self, item: &impl Owes) {
        if let Some(claim) = Claim::of(item) {
            self.made.insert(item.subject(), claim);
        }
    }
}

#[cfg(test)]
mod tests {
    use countersign_conformance::samples::{NOW, acquisition, text, verified, with_delivery};
    use countersign_domain::confirmation::Confirmation;

    use super::*;

    fn pending(attempts_claimed: u32) -> Confirmation {
        let item = verified(&acquisition(1), &text(1), NOW);
        with_delivery(&item, |delivery| {
            delivery.attempts_claimed = attempts_claimed;
        })
    }

    /// A reader may see a batch's items on disk before the batch has removed their claims from memory.
    #[test]
    fn claim_already_in_the_file_changes_nothing() {
        let claim = Claim {
            attempts_claimed: 2,
            claimed_at: NOW,
        };
        for known in [2, 3] {
            let mut item = pending(known);
            claim.lay_over(&mut item);
            assert_eq!(item, pending(known));
        }
        let mut open = acquisition(1);
        claim.lay_over(&mut open);
        assert_eq!(open, acquisition(1));
        let ended = with_delivery(&pending(1), |delivery| {
            delivery.progress = Progress::Failed { at: NOW };
        });
        let mut item = ended.clone();
        claim.lay_over(&mut item);
        assert_eq!(item, ended);
    }

    #[test]
    fn claim_missing_from_the_file_is_laid_over() {
        let mut item = pending(0);
        let claim = Claim {
            attempts_claimed: 2,
            claimed_at: NOW,
        };
        claim.lay_over(&mut item);
        assert_eq!(Claim::of(&item), Some(claim));
    }
}
