//! A batch: write operations that share one transaction and one flush.

use std::sync::Arc;

use countersign_domain::delivery::{Decision, DeliveryKind, DeliverySubject};
use redb::WriteTransaction;

use super::claims::{Claim, Claims, Held};
use super::directory::Change;
use super::fault::Fault;
use super::kept::{Kept, Tables};
use super::tables::IndexKeys;
use super::usage::Usage;

/// The effects of a batch apart from its writes to the file.
pub(super) struct Effects {
    /// Whether the batch wrote anything. If not, it needs no flush.
    pub(super) changed: bool,
    /// Changes to apply to the directory once the batch is on disk.
    pub(super) changes: Vec<Change>,
    /// The items that the batch has read, with their claims.
    pub(super) held: Held,
    usage: Usage,
}

impl Effects {
    pub(super) fn new(claims: Arc<Claims>, usage: Usage) -> Self {
        Self {
            changed: false,
            changes: Vec::new(),
            held: Held::new(claims),
            usage,
        }
    }
}

/// An open write transaction, with the tables that nearly every operation needs.
pub(super) struct Batch<'t> {
    pub(super) transaction: &'t WriteTransaction,
    confirmations: Tables<'t>,
    logins: Tables<'t>,
    effects: &'t mut Effects,
}

impl<'t> Batch<'t> {
    pub(super) fn new(
        transaction: &'t WriteTransaction,
        effects: &'t mut Effects,
    ) -> Result<Self, Fault> {
        Ok(Self {
            transaction,
            confirmations: Tables::open(transaction, DeliveryKind::Confirmations)?,
            logins: Tables::open(transaction, DeliveryKind::Logins)?,
            effects,
        })
    }

    /// Returns the tables of one kind of item.
    pub(super) const fn tables(&self, kind: DeliveryKind) -> &Tables<'t> {
        match kind {
            DeliveryKind::Confirmations => &self.confirmations,
            DeliveryKind::Logins => &self.logins,
        }
    }

    /// Returns the tables of one kind of item, for writing.
    pub(super) const fn tables_mut(&mut self, kind: DeliveryKind) -> &mut Tables<'t> {
        match kind {
            DeliveryKind::Confirmations => &mut self.confirmations,
            DeliveryKind::Logins => &mut self.logins,
        }
    }

    /// Reads an item, decides a transition, and writes the result.
    pub(super) fn decide<T: Kept, O>(
        &mut self,
        id: T::Id,
        decide: impl FnOnce(Option<T>) -> Decision<T, O>,
    ) -> Result<O, Fault> {
        let current = self.get(id)?;
        let before = current.as_ref().map(T::keys);
        let Decision { outcome, write } = decide(current);
        if let Some(item) = write {
            self.put(before, &item)?;
        }
        Ok(outcome)
    }

    /// Decides a claim and keeps it in memory. Writes nothing to the file.
    pub(super) fn claim<T: Kept, O>(
        &mut self,
        id: T::Id,
        decide: impl FnOnce(Option<T>) -> Decision<T, O>,
    ) -> Result<O, Fault> {
        let Decision { outcome, write } = decide(self.get(id)?);
        if let Some(item) = write {
            self.effects.held.set(item.subject(), Claim::of(&item));
        }
        Ok(outcome)
    }

    /// Reads an item with its claim, and holds the item until the batch is on disk. Until then, new
    /// claims of it must join a batch.
    pub(super) fn get<T: Kept>(&mut self, id: T::Id) -> Result<Option<T>, Fault> {
        let claim = self.effects.held.claim(id.into());
        let mut item = self.stored(id)?;
        if let Some((claim, item)) = claim.zip(item.as_mut()) {
            claim.lay_over(item);
        }
        Ok(item)
    }

    /// Reads an item without its claim and without holding it.
    pub(super) fn stored<T: Kept>(&self, id: T::Id) -> Result<Option<T>, Fault> {
        self.tables(T::KIND).get(id)
    }

    /// Returns how many items each app has begun and has open.
    pub(super) const fn usage(&self) -> &Usage {
        &self.effects.usage
    }

    /// Writes an item, replacing its index entries `before` by its present ones.
    pub(super) fn put<T: Kept>(
        &mut self,
        before: Option<IndexKeys>,
        item: &T,
    ) -> Result<(), Fault> {
        self.effects.changed = true;
        // The record now contains the claim.
        self.effects.held.set(item.subject(), None);
        self.tables_mut(T::KIND).put(before, item)?;
        self.moved(before, item)
    }

    /// Removes an item from its table and its indexes.
    pub(super) fn remove(
        &mut self,
        subject: DeliverySubject,
        keys: IndexKeys,
    ) -> Result<(), Fault> {
        self.effects.changed = true;
        self.effects.held.set(subject, None);
        self.tables_mut(subject.kind()).remove(&subject.key(), keys)
    }

    /// Marks the batch as changed, for operations that write to a table directly.
    pub(super) const fn mark_changed(&mut self) {
        self.effects.changed = true;
    }

    /// Schedules a change to the directory, applied once the batch is on disk.
    pub(super) fn announce(&mut self, change: Change) {
        self.effects.changed = true;
        self.effects.changes.push(change);
    }
}
