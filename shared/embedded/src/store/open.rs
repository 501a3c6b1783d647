//! Opens the store's file and creates its tables.

use std::fs::File;
use std::io::{self, Write as _};

use redb::{Database, DatabaseError, ReadableDatabase, TableError};

use super::STORE_FILE;
use super::fault::Fault;
use super::filled::FilledFile;
use super::handle::Medium;
use super::open_error::{FORMAT_NUMBER, OpenError};
use super::overlay::{Overlay, Under};
use super::tables::{
    APPS, ASSOCIATION_KEYS, CONFIRMATIONS, DENIALS, DUE, DUE_NOTICES, FORGET_DENIALS,
    FORGET_NONCES, FORGET_PERSONS, FORGET_TEXTS, FORMAT, KEYS, KEYS_OF_OWNERS, LOGINS, META,
    NONCES, PERSONS, PURGE, PURGE_LOGINS, TEXTS,
};
use countersign_system::private_files::PrivateDirectory;

/// Name of the file that is written beside the store to find out whether writes work.
const PROBE_FILE: &str = "probe";

/// Size of the probe file, in bytes: more than a commit needs.
const PROBE_BYTES: usize = 1 << 20;

/// Whether opening a store may create it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beginning {
    /// The store must exist: a missing or empty file is an error.
    Existing,
    /// A missing or empty file becomes a new store.
    MayBeNew,
}

/// The store's file in its directory.
pub(super) struct StoreFile {
    pub(super) directory: PrivateDirectory,
    pub(super) cache_bytes: usize,
}

impl StoreFile {
    /// Fails if the file is missing or empty.
    pub(super) fn must_exist(&self) -> Result<(), OpenError> {
        let file = self.directory.open_to_read(STORE_FILE)?;
        let length = file.map_or(Ok(0), |file| Ok(file.metadata()?.len()));
        if length.map_err(|error: io::Error| OpenError::Unreadable(error.into()))? > 0 {
            return Ok(());
        }
        Err(self.missing())
    }

    pub(super) fn missing(&self) -> OpenError {
        OpenError::Missing {
            path: self.directory.path().join(STORE_FILE),
        }
    }

    /// Opens the database in the file, once the file is prepared.
    fn open_file(&self, prepare: impl FnOnce(&File)) -> Result<Database, OpenError> {
        let file = self.directory.open_file(STORE_FILE)?;
        self.directory.sync()?;
        prepare(&file);
        let opened = Database::builder()
            .set_cache_size(self.cache_bytes)
            .set_repair_callback(|session| {
                tracing::info!(progress = session.progress(), "repairing the store");
            })
            .create_with_backend(FilledFile::new(file).map_err(unusable)?);
        opened.map_err(unusable)
    }
}

/// Drops what the system has cached of a file and counts as written.
///
/// After a failed flush Linux counts its pages as written, although they may not be, and answers reads with
/// them until it needs the memory ([PostgreSQL's page on fsync errors](https://wiki.postgresql.org/wiki/Fsync_Errors)).
/// Without them redb's checksums judge what the disk has.
///
/// A system that cannot do so is no reason to stay without the store.
#[cfg(target_os = "linux")]
fn forget_cached(file: &File) {
    let _ = rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed);
}

/// Other systems have no such call.
#[cfg(not(target_os = "linux"))]
const fn forget_cached(_: &File) {}

impl Medium for StoreFile {
    fn open(&self) -> Result<Database, OpenError> {
        self.open_file(|_| ())
    }

    fn open_after_failure(&self) -> Result<Database, OpenError> {
        self.open_file(forget_cached)
    }

    fn open_unchanged(&self) -> Result<Database, OpenError> {
        let unreadable = |error: io::Error| OpenError::Unreadable(error.into());
        let file = self.directory.open_to_read(STORE_FILE)?;
        let file = file.ok_or_else(|| self.missing())?;
        unchanged(Overlay::new(file).map_err(unreadable)?, self.cache_bytes)
    }

    fn probe(&self) -> io::Result<()> {
        let mut new = self.directory.begin(PROBE_FILE).map_err(io::Error::other)?;
        let written = new
            .file
            .write_all(&vec![0; PROBE_BYTES])
            .and_then(|()| new.file.sync_all());
        let removed = new.give_up().map_err(io::Error::other);
        written.and(removed)
    }
}

fn unusable(error: DatabaseError) -> OpenError {
    match error {
        DatabaseError::DatabaseAlreadyOpen => OpenError::AlreadyOpen,
        error => OpenError::Unreadable(error.into()),
    }
}

/// Opens a database whose writes stay in memory.
pub(super) fn unchanged<U: Under>(
    backend: Overlay<U>,
    cache_bytes: usize,
) -> Result<Database, OpenError> {
    let opened = Database::builder()
        .set_cache_size(cache_bytes)
        .create_with_backend(backend);
    opened.map_err(|error| OpenError::Unreadable(error.into()))
}

/// Creates the tables of a new file. Fails if the file has another format than this release's.
pub(super) fn prepare(database: &Database) -> Result<(), OpenError> {
    match format(database)? {
        Some(found) if found > FORMAT_NUMBER => Err(OpenError::NewerFormat { found }),
        Some(found) if found < FORMAT_NUMBER => Err(OpenError::OlderFormat { found }),
        Some(_) => Ok(()),
        None => Ok(create_tables(database)?),
    }
}

/// Reads the number of the file's format; `None` if the file is new.
pub(super) fn format(database: &Database) -> Result<Option<u32>, OpenError> {
    let transaction = database.begin_read().map_err(Fault::from)?;
    let meta = match transaction.open_table(META) {
        Ok(meta) => meta,
        Err(TableError::TableDoesNotExist(_)) => return Ok(None),
        Err(error) => return Err(Fault::from(error).into()),
    };
    let Some(format) = meta.get(FORMAT).map_err(Fault::from)? else {
        return Ok(None);
    };
    let bytes = format.value().try_into();
    bytes
        .map(|bytes| Some(u32::from_be_bytes(bytes)))
        .map_err(|_| OpenError::Unreadable("its format is not a number".into()))
}

fn create_tables(database: &Database) -> Result<(), Fault> {
    let transaction = database.begin_write()?;
    transaction.open_table(CONFIRMATIONS)?;
    transaction.open_table(DUE)?;
    transaction.open_table(PURGE)?;
    transaction.open_table(APPS)?;
    transaction.open_table(KEYS)?;
    transaction.open_table(LOGINS)?;
    transaction.open_table(DUE_NOTICES)?;
    transaction.open_table(PURGE_LOGINS)?;
    transaction.open_table(DENIALS)?;
    transaction.open_table(FORGET_DENIALS)?;
    transaction.open_table(PERSONS)?;
    transaction.open_table(FORGET_PERSONS)?;
    transaction.open_table(NONCES)?;
    transaction.open_table(FORGET_NONCES)?;
    transaction.open_table(TEXTS)?;
    transaction.open_table(FORGET_TEXTS)?;
    transaction.open_table(ASSOCIATION_KEYS)?;
    transaction.open_table(KEYS_OF_OWNERS)?;
    transaction
        .open_table(META)?
        .insert(FORMAT, FORMAT_NUMBER.to_be_bytes().as_slice())?;
    transaction.commit()?;
    Ok(())
}
