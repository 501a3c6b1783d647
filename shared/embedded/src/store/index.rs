//! The index entries that belong to records.

use std::collections::BTreeSet;

use countersign_domain::primitives::time::Timestamp;
use redb::{
    ReadTransaction, ReadableTable as _, ReadableTableMetadata as _, TableDefinition,
    WriteTransaction,
};

use super::fault::Fault;
use super::record_kind::RecordKind;
use super::tables::{
    DUE, DUE_NOTICES, DueKey, FORGET_DENIALS, FORGET_NONCES, FORGET_PERSONS, FORGET_TEXTS, ItemKey,
    KEYS_OF_OWNERS, PURGE, PURGE_LOGINS, TimeKey, due_id, read_time_key, record_of_owned, time_key,
};

type Index<K> = TableDefinition<'static, &'static K, ()>;

/// The indexes by lane and time: when a webhook is due.
const BY_LANE: [(RecordKind, Index<DueKey>); 2] = [
    (RecordKind::Confirmation, DUE),
    (RecordKind::Login, DUE_NOTICES),
];

/// The indexes by time: when a record is removed.
const BY_TIME: [(RecordKind, Index<TimeKey>); 6] = [
    (RecordKind::Confirmation, PURGE),
    (RecordKind::Login, PURGE_LOGINS),
    (RecordKind::Denials, FORGET_DENIALS),
    (RecordKind::Person, FORGET_PERSONS),
    (RecordKind::Nonce, FORGET_NONCES),
    (RecordKind::Text, FORGET_TEXTS),
];

/// An entry in one of the indexes.
#[derive(Clone)]
pub(super) enum IndexEntry {
    Lane(Index<DueKey>, DueKey),
    Time(Index<TimeKey>, TimeKey),
    /// An entry of [`KEYS_OF_OWNERS`].
    Owner(Vec<u8>),
}

impl IndexEntry {
    pub(super) fn is_in(&self, transaction: &ReadTransaction) -> Result<bool, Fault> {
        Ok(match self {
            Self::Lane(index, key) => transaction.open_table(*index)?.get(key)?.is_some(),
            Self::Time(index, key) => transaction.open_table(*index)?.get(key)?.is_some(),
            Self::Owner(key) => {
                let owned = transaction.open_table(KEYS_OF_OWNERS)?;
                owned.get(key.as_slice())?.is_some()
            }
        })
    }

    pub(super) fn insert(&self, transaction: &WriteTransaction) -> Result<(), Fault> {
        match self {
            Self::Lane(index, key) => {
                transaction.open_table(*index)?.insert(key, ())?;
            }
            Self::Time(index, key) => {
                transaction.open_table(*index)?.insert(key, ())?;
            }
            Self::Owner(key) => {
                let mut owned = transaction.open_table(KEYS_OF_OWNERS)?;
                owned.insert(key.as_slice(), ())?;
            }
        }
        Ok(())
    }
}

/// Counts the entries of all indexes.
pub(super) fn count(transaction: &ReadTransaction) -> Result<u64, Fault> {
    let mut count = transaction.open_table(KEYS_OF_OWNERS)?.len()?;
    for (_, index) in BY_LANE {
        count += transaction.open_table(index)?.len()?;
    }
    for (_, index) in BY_TIME {
        count += transaction.open_table(index)?.len()?;
    }
    Ok(count)
}

/// Empties every index.
pub(super) fn clear(transaction: &WriteTransaction) -> Result<(), Fault> {
    transaction.delete_table(KEYS_OF_OWNERS)?;
    transaction.open_table(KEYS_OF_OWNERS)?;
    for (_, index) in BY_LANE {
        transaction.delete_table(index)?;
        transaction.open_table(index)?;
    }
    for (_, index) in BY_TIME {
        transaction.delete_table(index)?;
        transaction.open_table(index)?;
    }
    Ok(())
}

/// The records that cannot be read. Only their entries in the indexes by time tell when to remove
/// them.
#[derive(Debug, Default)]
pub(super) struct Unreadable {
    removed_by_time: BTreeSet<(RecordKind, ItemKey)>,
    association_keys: BTreeSet<Vec<u8>>,
}

/// The index entries of records that cannot be read.
pub(super) struct Standing {
    /// Number of their entries in all indexes.
    pub(super) entries: u64,
    /// Their entries in the indexes by time.
    removals: Vec<IndexEntry>,
    /// The records without such an entry, which would never be removed.
    kept_for_ever: BTreeSet<(RecordKind, ItemKey)>,
}

impl Unreadable {
    /// Adds a record, if records of its kind are indexed.
    pub(super) fn add(&mut self, kind: RecordKind, key: &[u8]) {
        let indexed = BY_TIME.iter().any(|(indexed, _)| *indexed == kind);
        if let (true, Ok(id)) = (indexed, key.try_into()) {
            self.removed_by_time.insert((kind, id));
        }
        if kind == RecordKind::AssociationKey {
            self.association_keys.insert(key.to_vec());
        }
    }

    /// Finds the index entries of these records.
    pub(super) fn standing(self, transaction: &ReadTransaction) -> Result<Standing, Fault> {
        let mut standing = Standing {
            entries: 0,
            removals: Vec::new(),
            kept_for_ever: self.removed_by_time.clone(),
        };
        if !self.association_keys.is_empty() {
            for entry in transaction.open_table(KEYS_OF_OWNERS)?.iter()? {
                let record = record_of_owned(entry?.0.value());
                let is_unreadable = record.is_some_and(|key| self.association_keys.contains(&key));
                standing.entries += u64::from(is_unreadable);
            }
        }
        if self.removed_by_time.is_empty() {
            return Ok(standing);
        }
        for (kind, index) in BY_LANE {
            for entry in transaction.open_table(index)?.iter()? {
                let id = due_id(entry?.0.value());
                standing.entries += u64::from(self.removed_by_time.contains(&(kind, id)));
            }
        }
        for (kind, index) in BY_TIME {
            for entry in transaction.open_table(index)?.iter()? {
                let key = *entry?.0.value();
                let record = (kind, read_time_key(&key).1);
                if self.removed_by_time.contains(&record) {
                    standing.entries += 1;
                    standing.removals.push(IndexEntry::Time(index, key));
                    standing.kept_for_ever.remove(&record);
                }
            }
        }
        Ok(standing)
    }
}

impl Standing {
    /// Returns how many of the records have no entry that would remove them.
    pub(super) fn missing_entries(&self) -> u64 {
        self.kept_for_ever.len() as u64
    }

    /// Restores the entries by which the records are removed. A record without one is removed by the
    /// next purge. Due entries are not restored, since no webhook can be sent for such a record.
    pub(super) fn insert(&self, transaction: &WriteTransaction) -> Result<(), Fault> {
        for entry in &self.removals {
            entry.insert(transaction)?;
        }
        for (kind, index) in BY_TIME {
            for (_, id) in self.kept_for_ever.iter().filter(|(of, _)| *of == kind) {
                let key = time_key(Timestamp::from_millis(0), id);
                IndexEntry::Time(index, key).insert(transaction)?;
            }
        }
        Ok(())
    }
}
