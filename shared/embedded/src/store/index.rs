//! Entries of indexes, as they follow from records.

use std::collections::BTreeSet;

use countersign_domain::primitives::time::Timestamp;
use redb::{
    ReadTransaction, ReadableTable as _, ReadableTableMetadata as _, TableDefinition,
    WriteTransaction,
};

use super::fault::Fault;
use super::record_kind::RecordKind;
use super::tables::{
    DUE, DUE_NOTICES, DueKey, FORGET_DENIALS, FORGET_PERSONS, ItemKey, PURGE, PURGE_SESSIONS,
    TimeKey, due_id, read_time_key, time_key,
};

type Index<K> = TableDefinition<'static, &'static K, ()>;

/// Every index by lane and time.
const BY_LANE: [(RecordKind, Index<DueKey>); 2] = [
    (RecordKind::Confirmation, DUE),
    (RecordKind::Login, DUE_NOTICES),
];

/// Every index by time: by it a record is removed.
const BY_TIME: [(RecordKind, Index<TimeKey>); 4] = [
    (RecordKind::Confirmation, PURGE),
    (RecordKind::Login, PURGE_SESSIONS),
    (RecordKind::Denials, FORGET_DENIALS),
    (RecordKind::Person, FORGET_PERSONS),
];

/// An entry of one of the indexes.
#[derive(Clone, Copy)]
pub(super) enum IndexEntry {
    ByLane(Index<DueKey>, DueKey),
    ByTime(Index<TimeKey>, TimeKey),
}

impl IndexEntry {
    pub(super) fn is_in(&self, transaction: &ReadTransaction) -> Result<bool, Fault> {
        Ok(match self {
            Self::ByLane(index, key) => transaction.open_table(*index)?.get(key)?.is_some(),
            Self::ByTime(index, key) => transaction.open_table(*index)?.get(key)?.is_some(),
        })
    }

    pub(super) fn insert(&self, transaction: &WriteTransaction) -> Result<(), Fault> {
        match self {
            Self::ByLane(index, key) => {
                transaction.open_table(*index)?.insert(key, ())?;
            }
            Self::ByTime(index, key) => {
                transaction.open_table(*index)?.insert(key, ())?;
            }
        }
        Ok(())
    }
}

/// How many entries there are in all indexes.
pub(super) fn count(transaction: &ReadTransaction) -> Result<u64, Fault> {
    let mut count = 0;
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

/// Records that cannot be read. Their entries in the indexes by time are all that says when to
/// remove them.
#[derive(Debug, Default)]
pub(super) struct Unreadable(BTreeSet<(RecordKind, ItemKey)>);

/// What the indexes have for records that cannot be read.
pub(super) struct Standing {
    /// How many entries there are.
    pub(super) entries: u64,
    /// Those by which they are removed.
    removals: Vec<IndexEntry>,
    /// Those that nothing removes.
    kept_for_ever: BTreeSet<(RecordKind, ItemKey)>,
}

impl Unreadable {
    /// Adds a record, if an index may hold its key.
    pub(super) fn add(&mut self, kind: RecordKind, key: &[u8]) {
        let indexed = BY_TIME.iter().any(|(indexed, _)| *indexed == kind);
        if let (true, Ok(id)) = (indexed, key.try_into()) {
            self.0.insert((kind, id));
        }
    }

    pub(super) fn standing(self, transaction: &ReadTransaction) -> Result<Standing, Fault> {
        let mut standing = Standing {
            entries: 0,
            removals: Vec::new(),
            kept_for_ever: self.0.clone(),
        };
        if self.0.is_empty() {
            return Ok(standing);
        }
        for (kind, index) in BY_LANE {
            for entry in transaction.open_table(index)?.iter()? {
                let id = due_id(entry?.0.value());
                standing.entries += u64::from(self.0.contains(&(kind, id)));
            }
        }
        for (kind, index) in BY_TIME {
            for entry in transaction.open_table(index)?.iter()? {
                let key = *entry?.0.value();
                let record = (kind, read_time_key(&key).1);
                if self.0.contains(&record) {
                    standing.entries += 1;
                    standing.removals.push(IndexEntry::ByTime(index, key));
                    standing.kept_for_ever.remove(&record);
                }
            }
        }
        Ok(standing)
    }
}

impl Standing {
    /// How many records nothing removes.
    pub(super) fn missing_entries(&self) -> u64 {
        self.kept_for_ever.len() as u64
    }

    /// Has each record removed when its entry says, and at the next purge where it has none. No
    /// webhook can be sent for it, so that it is due no more.
    pub(super) fn insert(&self, transaction: &WriteTransaction) -> Result<(), Fault> {
        for entry in &self.removals {
            entry.insert(transaction)?;
        }
        for (kind, index) in BY_TIME {
            for (_, id) in self.kept_for_ever.iter().filter(|(of, _)| *of == kind) {
                let key = time_key(Timestamp::from_millis(0), id);
                IndexEntry::ByTime(index, key).insert(transaction)?;
            }
        }
        Ok(())
    }
}
