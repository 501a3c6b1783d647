//! Errors that can occur when a store is opened.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use countersign_system::private_files::PrivateFileError;

/// The file format version that this release reads and writes. Versions before 5 were not SQLite.
pub(super) const FORMAT_NUMBER: u32 = 7;

/// Why a store could not be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// A later release wrote the file.
    #[error(
        "the data was written by a later release: it has format {found}, and this release reads \
         {FORMAT_NUMBER} at most"
    )]
    NewerFormat {
        /// Format of the file.
        found: u32,
    },
    /// A build from before the first release wrote the file.
    #[error(
        "the data has format {found}, from before the first release, and this release reads \
         {FORMAT_NUMBER}: move the directory away and begin a new one, or use the build that wrote it"
    )]
    OlderFormat {
        /// Format of the file.
        found: u32,
    },
    /// The directory or the file could not be created or opened.
    #[error(transparent)]
    File(#[from] PrivateFileError),
    /// A store must exist, but its file is missing or empty.
    #[error("{} is missing or empty", path.display())]
    Missing {
        /// Path of the store's file.
        path: PathBuf,
    },
    /// The file is not a store, or is damaged.
    #[error("the store cannot be read")]
    Unreadable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The table definitions are damaged.
    #[error(
        "the store's definitions are damaged: stop the server, and run `countersign check --repair`"
    )]
    Definitions,
    /// Another process has the store open.
    #[error("another process has the store open: stop it first")]
    InUse,
    /// SQLite failed.
    #[error("the store cannot be read")]
    Sqlite(#[source] rusqlite::Error),
    /// The writer's thread could not be started.
    #[error("cannot start the store's thread")]
    Thread(#[source] io::Error),
}

impl From<rusqlite::Error> for OpenError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}
