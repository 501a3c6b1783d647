//! Claims that are not on disk.
//!
//! An item is what the file says with its claim laid over it. The next write of the item, most
//! often the settlement, takes the claim with it into the file. Of an item that a batch has read,
//! no claim is made until that batch is on disk: it is sent to the writer and becomes part of the
//! batch, so that a claim and a write of one item are decided one after the other.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use countersign_domain::confirmation::{Confirmation, State};
use countersign_domain::delivery::Progress;
use countersign_domain::primitives::ids::ConfirmationId;
use countersign_domain::primitives::time::Timestamp;

/// So many locks, so that claims of different items seldom meet.
const SHARDS: usize = 64;

/// A claim: what it changed in the item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    attempts_claimed: u32,
    claimed_at: Timestamp,
}

impl Claim {
    /// The claim that an item carries, if it carries one.
    pub(super) fn of(item: &Confirmation) -> Option<Self> {
        let delivery = &item.verified()?.delivery;
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

    /// Lays the claim over what the file says, unless the file knows of it already.
    pub(super) fn lay_over(self, item: &mut Confirmation) {
        let State::Verified(verified) = &mut item.state else {
            return;
        };
        let delivery = &mut verified.delivery;
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

/// The claims of some of the items.
#[derive(Debug, Default)]
pub(super) struct Shard {
    made: HashMap<ConfirmationId, Claim>,
    in_batch: HashSet<ConfirmationId>,
}

impl Default for Claims {
    fn default() -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
        }
    }
}

impl Claims {
    /// Locks the claims among which the item's is. File and claim are of one moment to whoever
    /// reads both under this lock.
    pub(super) fn lock(&self, id: ConfirmationId) -> MutexGuard<'_, Shard> {
        self.shards[usize::from(id.as_bytes()[0]) % SHARDS]
            .lock()
            // Nothing that holds the lock can panic half-way through a change.
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
impl Claims {
    /// How many there are.
    pub(super) fn made(&self) -> usize {
        let shards = self.shards.iter();
        shards
            .map(|shard| shard.lock().map_or(0, |shard| shard.made.len()))
            .sum()
    }
}

/// The items that a batch has read. They are its own until this is dropped: whoever wants to claim
/// one meanwhile has to join a batch.
pub(super) struct Held {
    claims: Arc<Claims>,
    /// Each with the claim that it shall have once the batch is on disk.
    items: HashMap<ConfirmationId, Option<Claim>>,
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

    /// The item's claim. Holds the item from now on.
    pub(super) fn claim(&mut self, id: ConfirmationId) -> Option<Claim> {
        *self.items.entry(id).or_insert_with(|| {
            let mut shard = self.claims.lock(id);
            shard.in_batch.insert(id);
            shard.made.get(&id).copied()
        })
    }

    /// Says which claim an item shall have that is held.
    pub(super) fn set(&mut self, id: ConfirmationId, claim: Option<Claim>) {
        self.items.insert(id, claim);
    }

    /// Lets all items go, with their claims as they were set.
    pub(super) fn commit(mut self) {
        self.on_disk = true;
    }
}

/// Lets all items go: with their old claims, if it did not come to [`Held::commit`].
impl Drop for Held {
    fn drop(&mut self) {
        for (id, claim) in self.items.drain() {
            let mut shard = self.claims.lock(id);
            shard.in_batch.remove(&id);
            if self.on_disk {
                match claim {
                    Some(claim) => shard.made.insert(id, claim),
                    None => shard.made.remove(&id),
                };
            }
        }
    }
}

impl Shard {
    /// Whether a batch that is not on disk yet has read the item.
    pub(super) fn is_in_batch(&self, id: ConfirmationId) -> bool {
        self.in_batch.contains(&id)
    }

    /// Lays the item's claim over it.
    pub(super) fn lay_over(&self, item: &mut Confirmation) {
        if let Some(claim) = self.made.get(&item.id) {
            claim.lay_over(item);
        }
    }

    /// Keeps the claim that an item carries.
    pub(super) fn keep(&mut self, item: &Confirmation) {
        if let Some(claim) = Claim::of(item) {
            self.made.insert(item.id, claim);
        }
    }
}

#[cfg(test)]
mod tests {
    use countersign_conformance::samples::{NOW, acquisition, text, verified, with_delivery};

    use super::*;

    fn pending(attempts_claimed: u32) -> Confirmation {
        let item = verified(&acquisition(1), &text(1), NOW);
        with_delivery(&item, |delivery| {
            delivery.attempts_claimed = attempts_claimed;
        })
    }

    /// A reader may meet a batch's items before the batch has let its claims go.
    #[test]
    fn what_the_file_knows_already_stays_as_the_file_has_it() {
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
    fn what_the_file_does_not_know_is_laid_over_it() {
        let mut item = pending(0);
        let claim = Claim {
            attempts_claimed: 2,
            claimed_at: NOW,
        };
        claim.lay_over(&mut item);
        assert_eq!(Claim::of(&item), Some(claim));
    }
}
