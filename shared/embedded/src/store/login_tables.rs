//! The tables of QR sessions within a batch, for the operations that need them.

use countersign_domain::delivery::Decision;
use countersign_domain::login::Login;
use countersign_domain::primitives::ids::LoginId;
use redb::{ReadableTable, Table};

use super::batch::Batch;
use super::checked::{self, Stored};
use super::fault::Fault;
use super::tables::{DUE_NOTICES, DueIndex, IndexKeys, PURGE_SESSIONS, SESSIONS, TimeIndex};

/// QR sessions with their indexes.
pub(super) struct LoginTables<'t> {
    sessions: Table<'t, &'static [u8; 16], Stored<'static>>,
    pub(super) due: DueIndex<'t>,
    pub(super) purge: TimeIndex<'t>,
}

impl Batch<'_> {
    /// Reads a session, asks what to do, and does it.
    pub(super) fn decide_session<O>(
        &mut self,
        id: LoginId,
        decide: impl FnOnce(Option<Login>) -> Decision<Login, O>,
    ) -> Result<O, Fault> {
        let mut tables = LoginTables::open(self)?;
        let current = tables.get(id)?;
        let before = current.as_ref().map(IndexKeys::of_session);
        let Decision { outcome, write } = decide(current);
        if let Some(item) = write {
            tables.put(before, &item)?;
            drop(tables);
            self.session_moved(before, &item);
            self.mark_changed();
        }
        Ok(outcome)
    }
}

impl<'t> LoginTables<'t> {
    pub(super) fn open(batch: &Batch<'t>) -> Result<Self, Fault> {
        Ok(Self {
            sessions: batch.transaction.open_table(SESSIONS)?,
            due: batch.transaction.open_table(DUE_NOTICES)?,
            purge: batch.transaction.open_table(PURGE_SESSIONS)?,
        })
    }

    pub(super) fn get(&self, id: LoginId) -> Result<Option<Login>, Fault> {
        let Some(record) = self.sessions.get(id.as_bytes())? else {
            return Ok(None);
        };
        let item = checked::read(&SESSIONS, id.as_bytes(), id, record.value())?;
        Ok(Some(item))
    }

    /// Writes a session that stood in the indexes as `before` says.
    pub(super) fn put(&mut self, before: Option<IndexKeys>, item: &Login) -> Result<(), Fault> {
        let sealed = checked::write(&SESSIONS, item.id.as_bytes(), item)?;
        self.sessions.insert(item.id.as_bytes(), sealed.stored())?;
        IndexKeys::of_session(item).replace(before, &mut self.due, &mut self.purge)
    }

    /// Removes a session from table and indexes.
    pub(super) fn remove(&mut self, id: LoginId, keys: IndexKeys) -> Result<(), Fault> {
        self.sessions.remove(id.as_bytes())?;
        self.purge.remove(&keys.purge)?;
        if let Some(key) = keys.due {
            self.due.remove(&key)?;
        }
        Ok(())
    }
}
