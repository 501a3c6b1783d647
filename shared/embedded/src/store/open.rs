//! Opening the file.

use std::io;
use std::path::{Path, PathBuf};

use redb::{Database, DatabaseError, ReadableDatabase, TableError};
use thiserror::Error;

use super::fault::Fault;
use super::tables::{
    APPS, CONFIRMATIONS, DENIALS, DUE, DUE_NOTICES, FORGET_DENIALS, FORGET_PERSONS, FORMAT, KEYS,
    META, PERSONS, PURGE, PURGE_SESSIONS, SESSIONS,
};
use crate::private_files;

/// The layout that this release writes and reads. Since 2 each record carries a checksum.
const FORMAT_NUMBER: u32 = 2;

/// Why a store could not be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// Another process has it open.
    #[error("another process has this data directory open")]
    AlreadyOpen,
    /// A later release wrote it.
    #[error(
        "the data was written by a later release: its format is {found}, and this release knows \
         {FORMAT_NUMBER} at most"
    )]
    NewerFormat {
        /// The format that the file says.
        found: u32,
    },
    /// An earlier release wrote it, before the first that was given out.
    #[error(
        "the data has format {found}, of a build before the first release, and this release reads \
         {FORMAT_NUMBER}: move the directory away and begin a new one"
    )]
    OlderFormat {
        /// The format that the file says.
        found: u32,
    },
    /// Directory or file could not be made or opened.
    #[error("cannot open {}", path.display())]
    File {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is no store, or is damaged.
    #[error("the store cannot be read")]
    Unreadable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// No thread could be started.
    #[error("cannot start the store's thread")]
    Thread(#[source] io::Error),
}

impl From<Fault> for OpenError {
    fn from(fault: Fault) -> Self {
        Self::Unreadable(fault.into())
    }
}

/// Opens the file of a store, and makes it and its directory where they are not there.
pub(super) fn database(path: &Path, cache_bytes: usize) -> Result<Database, OpenError> {
    let directory = path.parent().unwrap_or(Path::new("."));
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| OpenError::File { path, source }
    };
    private_files::create_directory(directory).map_err(failed(directory))?;
    let file = private_files::open(path).map_err(failed(path))?;
    private_files::sync_directory(directory).map_err(failed(directory))?;
    let opened = Database::builder()
        .set_cache_size(cache_bytes)
        .set_repair_callback(|session| {
            tracing::info!(progress = session.progress(), "repairing the store");
        })
        .create_file(file);
    opened.map_err(|error| match error {
        DatabaseError::DatabaseAlreadyOpen => OpenError::AlreadyOpen,
        error => OpenError::Unreadable(error.into()),
    })
}

/// Makes the tables of a new file; refuses one of a later release.
pub(super) fn prepare(database: &Database) -> Result<(), OpenError> {
    match read_format(database)? {
        Some(found) if found > FORMAT_NUMBER => Err(OpenError::NewerFormat { found }),
        Some(found) if found < FORMAT_NUMBER => Err(OpenError::OlderFormat { found }),
        Some(_) => Ok(()),
        None => Ok(create_tables(database)?),
    }
}

fn read_format(database: &Database) -> Result<Option<u32>, OpenError> {
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
    transaction.open_table(SESSIONS)?;
    transaction.open_table(DUE_NOTICES)?;
    transaction.open_table(PURGE_SESSIONS)?;
    transaction.open_table(DENIALS)?;
    transaction.open_table(FORGET_DENIALS)?;
    transaction.open_table(PERSONS)?;
    transaction.open_table(FORGET_PERSONS)?;
    transaction
        .open_table(META)?
        .insert(FORMAT, FORMAT_NUMBER.to_be_bytes().as_slice())?;
    transaction.commit()?;
    Ok(())
}
