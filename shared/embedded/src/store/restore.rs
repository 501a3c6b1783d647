//! Builds a store from the records of a backup.

use countersign_domain::primitives::time::Timestamp;
use redb::{Database, Key, WriteTransaction};

use super::checked::Stored;
use super::contents::{Damage, Note, Record, Sound};
use super::fault::Fault;
use super::numbers;
use super::open::prepare;
use super::record_kind::RecordKind;
use super::tables::{
    APPS, ASSOCIATION_KEYS, CONFIRMATIONS, DENIALS, KEYS, LOGINS, META, NONCES, PERSONS, PROFILE,
    RecordTable, STEADY, TEXTS,
};
use super::{CACHE_BYTES, OpenError, STORE_FILE};
use countersign_system::private_files::{NewFile, PrivateDirectory, PrivateFileError};

/// A store that is being restored. It becomes visible only with [`NewStore::finish`].
pub struct NewStore {
    file: NewFile,
    database: Database,
    transaction: WriteTransaction,
}

impl std::fmt::Debug for NewStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewStore").finish_non_exhaustive()
    }
}

/// The outcome of restoring one record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RestoreOutcome {
    /// The record is in the new store.
    Restored(Note),
    /// The record is damaged and was left out.
    LeftOut(Damage),
}

impl NewStore {
    /// Begins to restore a backup that was made at `made_at`. The new store's steady clock continues
    /// from that time, whatever the wall clock says when a server first opens it.
    ///
    /// # Errors
    /// Fails if the new store's file cannot be created.
    pub fn begin(directory: &PrivateDirectory, made_at: Timestamp) -> Result<Self, OpenError> {
        let file = directory.begin(STORE_FILE)?;
        let unreadable = |error: redb::DatabaseError| OpenError::Unreadable(error.into());
        let database = Database::builder()
            .set_cache_size(CACHE_BYTES)
            .create_file(file.clone_handle()?)
            .map_err(unreadable)?;
        prepare(&database)?;
        let transaction = database.begin_write().map_err(Fault::from)?;
        let set_clock = || -> Result<(), Fault> {
            let mut meta = transaction.open_table(META)?;
            numbers::write(&mut meta, STEADY, made_at.as_millis())
        };
        set_clock()?;
        Ok(Self {
            file,
            database,
            transaction,
        })
    }

    /// Writes a record and its index entries. A damaged record is left out.
    ///
    /// # Errors
    /// Fails if the record cannot be written.
    pub fn put(&mut self, record: &Record) -> Result<RestoreOutcome, OpenError> {
        match record.examine() {
            Ok(sound) => {
                self.insert(record, &sound)?;
                Ok(RestoreOutcome::Restored(sound.note))
            }
            Err(damage) => Ok(RestoreOutcome::LeftOut(damage)),
        }
    }

    fn insert(&mut self, record: &Record, sound: &Sound) -> Result<(), Fault> {
        let key = record.key.as_slice();
        match record.kind {
            RecordKind::Confirmation => self.insert_into(CONFIRMATIONS, record.item_key()?, record),
            RecordKind::Login => self.insert_into(LOGINS, record.item_key()?, record),
            RecordKind::Denials => self.insert_into(DENIALS, record.item_key()?, record),
            RecordKind::Person => self.insert_into(PERSONS, record.item_key()?, record),
            RecordKind::Nonce => self.insert_into(NONCES, record.item_key()?, record),
            RecordKind::Text => self.insert_into(TEXTS, record.item_key()?, record),
            RecordKind::App => self.insert_into(APPS, record.text_key()?, record),
            RecordKind::ApiKey => self.insert_into(KEYS, key, record),
            RecordKind::AssociationKey => self.insert_into(ASSOCIATION_KEYS, key, record),
            RecordKind::Profile => {
                let mut meta = self.transaction.open_table(META)?;
                meta.insert(PROFILE, record.stored.as_slice())?;
                Ok(())
            }
        }?;
        sound
            .entries()
            .iter()
            .try_for_each(|entry| entry.insert(&self.transaction))
    }

    fn insert_into<K: Key + 'static>(
        &self,
        table: RecordTable<K>,
        key: K::SelfType<'_>,
        record: &Record,
    ) -> Result<(), Fault> {
        let mut table = self.transaction.open_table(table)?;
        table.insert(key, Stored::from_bytes(&record.stored))?;
        Ok(())
    }

    /// Flushes the store to disk and moves it into place.
    ///
    /// # Errors
    /// Fails if the store cannot be flushed and renamed into place.
    pub fn finish(self) -> Result<(), OpenError> {
        self.transaction.commit().map_err(Fault::from)?;
        drop(self.database);
        Ok(self.file.finish()?)
    }

    /// Abandons the restoration and removes the unfinished file.
    ///
    /// # Errors
    /// Fails if the unfinished file cannot be removed.
    pub fn give_up(self) -> Result<(), PrivateFileError> {
        drop(self.transaction);
        drop(self.database);
        self.file.give_up()
    }
}
