//! The kinds of items in the store, and the tables of each.

use std::time::Duration;

use countersign_domain::confirmation::Confirmation;
use countersign_domain::delivery::transitions::Owes;
use countersign_domain::delivery::{DeliveryKind, DeliverySubject};
use countersign_domain::login::Login;
use countersign_domain::primitives::ids::{ConfirmationId, LoginId};
use countersign_domain::primitives::time::Timestamp;
use countersign_records::Entity;
use redb::{ReadTransaction, ReadableTable, Table, TableDefinition, WriteTransaction};

use super::checked::{self, Stored};
use super::fault::Fault;
use super::tables::{
    CONFIRMATIONS, DUE, DUE_NOTICES, DueIndex, DueKey, IndexKeys, ItemKey, LOGINS, PURGE,
    PURGE_LOGINS, RecordTable, TimeIndex, TimeKey, confirmation_id, login_id,
};

/// A kind of item that has a record of its own: confirmations and logins.
pub(super) trait Kept:
    Owes + Entity<Id: Copy + Into<DeliverySubject> + Send + 'static> + Send
{
    const KIND: DeliveryKind;

    /// Returns the id with this key.
    fn id(key: &ItemKey) -> Self::Id;

    /// Returns the time until which the item counts as open, or `None` if it is not open.
    fn open_until(&self) -> Option<Timestamp>;

    /// Returns the item's validity, if the longest validity bounds the part of the index that is read
    /// to count open items.
    fn open_for(&self) -> Option<Duration>;

    /// Returns the item's keys in the indexes.
    fn keys(&self) -> IndexKeys {
        let subject = self.subject();
        IndexKeys::of(subject, self.purge_at(), self.due(), self.open_until())
    }
}

impl Kept for Confirmation {
    const KIND: DeliveryKind = DeliveryKind::Confirmations;

    fn id(key: &ItemKey) -> ConfirmationId {
        confirmation_id(key)
    }

    fn open_until(&self) -> Option<Timestamp> {
        self.open_until()
    }

    fn open_for(&self) -> Option<Duration> {
        Some(self.expires_at.since(self.created_at))
    }
}

impl Kept for Login {
    const KIND: DeliveryKind = DeliveryKind::Logins;

    fn id(key: &ItemKey) -> LoginId {
        login_id(key)
    }

    fn open_until(&self) -> Option<Timestamp> {
        self.open_until()
    }

    fn open_for(&self) -> Option<Duration> {
        None
    }
}

/// The definitions of the tables of one kind of item.
#[derive(Clone, Copy)]
pub(super) struct TableNames {
    pub(super) records: RecordTable<&'static ItemKey>,
    pub(super) due: TableDefinition<'static, &'static DueKey, ()>,
    pub(super) purge: TableDefinition<'static, &'static TimeKey, ()>,
}

impl TableNames {
    pub(super) const fn of(kind: DeliveryKind) -> Self {
        match kind {
            DeliveryKind::Confirmations => Self {
                records: CONFIRMATIONS,
                due: DUE,
                purge: PURGE,
            },
            DeliveryKind::Logins => Self {
                records: LOGINS,
                due: DUE_NOTICES,
                purge: PURGE_LOGINS,
            },
        }
    }
}

/// The open tables of one kind of item within a batch: records and indexes.
pub(super) struct Tables<'t> {
    records: Table<'t, &'static ItemKey, Stored<'static>>,
    pub(super) due: DueIndex<'t>,
    pub(super) purge: TimeIndex<'t>,
}

impl<'t> Tables<'t> {
    pub(super) fn open(
        transaction: &'t WriteTransaction,
        kind: DeliveryKind,
    ) -> Result<Self, Fault> {
        let names = TableNames::of(kind);
        Ok(Self {
            records: transaction.open_table(names.records)?,
            due: transaction.open_table(names.due)?,
            purge: transaction.open_table(names.purge)?,
        })
    }

    pub(super) fn get<T: Kept>(&self, id: T::Id) -> Result<Option<T>, Fault> {
        read(&self.records, id)
    }

    /// Writes an item, replacing its index entries `before` by its present ones.
    pub(super) fn put<T: Kept>(
        &mut self,
        before: Option<IndexKeys>,
        item: &T,
    ) -> Result<(), Fault> {
        let subject = item.subject();
        let names = TableNames::of(T::KIND);
        let key = subject.key();
        let sealed = checked::write(&names.records, &key, item)?;
        self.records.insert(&key, sealed.stored())?;
        item.keys().replace(before, &mut self.due, &mut self.purge)
    }

    /// Removes an item from its table and its indexes.
    pub(super) fn remove(&mut self, id: &ItemKey, keys: IndexKeys) -> Result<(), Fault> {
        self.records.remove(id)?;
        self.purge.remove(&keys.purge)?;
        if let Some(key) = keys.due {
            self.due.remove(&key)?;
        }
        Ok(())
    }
}

/// Reads an item from the last committed state.
pub(super) fn committed<T: Kept>(
    transaction: &ReadTransaction,
    id: T::Id,
) -> Result<Option<T>, Fault> {
    read(
        &transaction.open_table(TableNames::of(T::KIND).records)?,
        id,
    )
}

/// Reads an item from a table of records.
pub(super) fn read<T: Kept>(
    records: &impl ReadableTable<&'static ItemKey, Stored<'static>>,
    id: T::Id,
) -> Result<Option<T>, Fault> {
    let subject: DeliverySubject = id.into();
    let key = &subject.key();
    let Some(record) = records.get(key)? else {
        return Ok(None);
    };
    let table = TableNames::of(T::KIND).records;
    Ok(Some(checked::read(&table, key, id, record.value())?))
}
