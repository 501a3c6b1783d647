//! The partitions of the index of due webhooks, each of which supports 1,000 writes per second.

use countersign_domain::delivery::{DeliveryKind, DeliverySubject};

/// Minimum number of partitions for confirmations.
const MIN_SHARDS: u8 = 8;

/// The partitions for logins. They are separate, so that a backlog of one kind does not delay the other, and
/// fewer, because each partition costs every sweep a query.
const OF_LOGINS: [u8; 2] = [8, 9];

/// Number of index partitions over which the webhooks of confirmations are distributed: 8, 16, 32 or 64. After
/// the number is increased, earlier entries are still found; after it is decreased they would not be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde_with::DeserializeFromStr)]
pub struct DueShards(u8);

impl Default for DueShards {
    fn default() -> Self {
        Self(MIN_SHARDS)
    }
}

impl DueShards {
    /// Returns `None` unless the number is allowed.
    #[must_use]
    pub fn new(number: u8) -> Option<Self> {
        matches!(number, 8 | 16 | 32 | 64).then_some(Self(number))
    }

    /// Returns all partitions.
    pub(super) fn all(self) -> impl Iterator<Item = u8> {
        (0..self.0).map(after_logins).chain(OF_LOGINS)
    }

    /// Returns the partition of a delivery. Ids are hashes, so any byte of an id is evenly
    /// distributed.
    pub(super) fn shard_of(self, subject: DeliverySubject) -> u8 {
        let byte = subject.id_bytes()[0];
        match subject.kind() {
            DeliveryKind::Confirmations => after_logins(byte % self.0),
            DeliveryKind::Logins => OF_LOGINS[usize::from(byte) % OF_LOGINS.len()],
        }
    }
}

/// Skips the partitions for logins.
const fn after_logins(number: u8) -> u8 {
    if number < MIN_SHARDS {
        number
    } else {
        number + 2
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use countersign_domain::primitives::ids::ConfirmationId;

    use super::*;

    #[test]
    fn each_delivery_has_a_partition_of_its_kind_and_finds_it_in_a_larger_number() {
        let logins = BTreeSet::from(OF_LOGINS);
        let mut smaller = BTreeSet::new();
        for number in [8, 16, 32, 64] {
            let shards = DueShards::new(number).unwrap();
            let mut all: BTreeSet<u8> = shards.all().collect();
            assert_eq!(all.len(), usize::from(number) + logins.len());
            assert!(all.is_superset(&logins) && all.is_superset(&smaller));
            all.retain(|shard| !logins.contains(shard));
            let ids = (0..=255).map(|byte| ConfirmationId::from_bytes([byte; 16]));
            let used: BTreeSet<u8> = ids.map(|id| shards.shard_of(id.into())).collect();
            assert_eq!(used, all);
            smaller = all;
        }
        assert_eq!(DueShards::new(10), None);
    }
}
