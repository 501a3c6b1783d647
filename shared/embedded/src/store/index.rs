//! Entries of indexes, as they follow from records.

use redb::{ReadTransaction, ReadableTableMetadata as _, TableDefinition, WriteTransaction};

use super::fault::Fault;
use super::tables::{
    DUE, DUE_NOTICES, DueKey, FORGET_DENIALS, FORGET_PERSONS, PURGE, PURGE_SESSIONS, TimeKey,
};

type Index<K> = TableDefinition<'static, &'static K, ()>;

/// Every index by lane and time.
const BY_LANE: [Index<DueKey>; 2] = [DUE, DUE_NOTICES];

/// Every index by time.
const BY_TIME: [Index<TimeKey>; 4] = [PURGE, PURGE_SESSIONS, FORGET_DENIALS, FORGET_PERSONS];

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
    for index in BY_LANE {
        count += transaction.open_table(index)?.len()?;
    }
    for index in BY_TIME {
        count += transaction.open_table(index)?.len()?;
    }
    Ok(count)
}

/// Empties every index.
pub(super) fn clear(transaction: &WriteTransaction) -> Result<(), Fault> {
    for index in BY_LANE {
        transaction.delete_table(index)?;
        transaction.open_table(index)?;
    }
    for index in BY_TIME {
        transaction.delete_table(index)?;
        transaction.open_table(index)?;
    }
    Ok(())
}
