//! Operations that reach the disk together.

use std::sync::Arc;

use countersign_domain::confirmation::Confirmation;
use countersign_domain::delivery::Decision;
use countersign_domain::primitives::ids::ConfirmationId;
use redb::{ReadableTable, Table, WriteTransaction};

use super::checked::{self, Stored};
use super::claims::{Claim, Claims, Held};
use super::directory::Change;
use super::fault::Fault;
use super::quotas::Usage;
use super::tables::{CONFIRMATIONS, DUE, DueIndex, IndexKeys, PURGE, TimeIndex};

/// What a batch does besides writing to the file.
pub(super) struct Effects {
    /// Whether there is anything to put on disk: otherwise no flush is needed.
    pub(super) changed: bool,
    /// What the directory shall learn once the batch is on disk.
    pub(super) changes: Vec<Change>,
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

/// One transaction, with the tables that nearly every operation needs.
pub(super) struct Batch<'t> {
    pub(super) transaction: &'t WriteTransaction,
    pub(super) due: DueIndex<'t>,
    pub(super) purge: TimeIndex<'t>,
    confirmations: Table<'t, &'static [u8; 16], Stored<'static>>,
    effects: &'t mut Effects,
}

impl<'t> Batch<'t> {
    pub(super) fn new(
        transaction: &'t WriteTransaction,
        effects: &'t mut Effects,
    ) -> Result<Self, Fault> {
        Ok(Self {
            transaction,
            due: transaction.open_table(DUE)?,
            purge: transaction.open_table(PURGE)?,
            confirmations: transaction.open_table(CONFIRMATIONS)?,
            effects,
        })
    }

    /// Reads an item, asks what to do, and does it.
    pub(super) fn decide<O>(
        &mut self,
        id: ConfirmationId,
        decide: impl FnOnce(Option<Confirmation>) -> Decision<Confirmation, O>,
    ) -> Result<O, Fault> {
        let current = self.get(id)?;
        let before = current.as_ref().map(IndexKeys::of);
        let Decision { outcome, write } = decide(current);
        if let Some(item) = write {
            self.put(before, &item)?;
        }
        Ok(outcome)
    }

    /// Decides a claim. It is kept in memory, and the file stays as it is.
    pub(super) fn claim<O>(
        &mut self,
        id: ConfirmationId,
        decide: impl FnOnce(Option<Confirmation>) -> Decision<Confirmation, O>,
    ) -> Result<O, Fault> {
        let Decision { outcome, write } = decide(self.get(id)?);
        if let Some(item) = write {
            self.effects.held.set(id, Claim::of(&item));
        }
        Ok(outcome)
    }

    /// The item with its claim; the batch's own from now on.
    pub(super) fn get(&mut self, id: ConfirmationId) -> Result<Option<Confirmation>, Fault> {
        let claim = self.effects.held.claim(id);
        let mut item = self.stored(id)?;
        if let Some((claim, item)) = claim.zip(item.as_mut()) {
            claim.lay_over(item);
        }
        Ok(item)
    }

    /// The item without its claim, which stays others' to make.
    pub(super) fn stored(&self, id: ConfirmationId) -> Result<Option<Confirmation>, Fault> {
        let Some(record) = self.confirmations.get(id.as_bytes())? else {
            return Ok(None);
        };
        let item = checked::read(&CONFIRMATIONS, id.as_bytes(), id, record.value())?;
        Ok(Some(item))
    }

    /// What each app has begun and has open.
    pub(super) const fn usage(&self) -> &Usage {
        &self.effects.usage
    }

    /// Writes an item that stood in the indexes as `before` says.
    pub(super) fn put(
        &mut self,
        before: Option<IndexKeys>,
        item: &Confirmation,
    ) -> Result<(), Fault> {
        let sealed = checked::write(&CONFIRMATIONS, item.id.as_bytes(), item)?;
        self.effects.changed = true;
        // The record holds the claim now.
        self.effects.held.set(item.id, None);
        self.confirmations
            .insert(item.id.as_bytes(), sealed.stored())?;
        IndexKeys::of(item).replace(before, &mut self.due, &mut self.purge)?;
        self.moved(before, item)
    }

    /// Removes an item from table and indexes.
    pub(super) fn remove(&mut self, id: ConfirmationId, keys: IndexKeys) -> Result<(), Fault> {
        self.effects.changed = true;
        self.effects.held.set(id, None);
        self.confirmations.remove(id.as_bytes())?;
        self.purge.remove(&keys.purge)?;
        if let Some(key) = keys.due {
            self.due.remove(&key)?;
        }
        Ok(())
    }

    /// That something was written which the batch does not write itself.
    pub(super) const fn mark_changed(&mut self) {
        self.effects.changed = true;
    }

    /// Tells the directory, once the batch is on disk.
    pub(super) fn announce(&mut self, change: Change) {
        self.effects.changed = true;
        self.effects.changes.push(change);
    }
}
