//! Errors of database files for places.

use std::path::PathBuf;

use countersign_system::private_files::PrivateFileError;
use maxminddb::MaxMindDbError;
use thiserror::Error;

/// A file that is not a readable MaxMind database.
#[derive(Debug, Error)]
#[error("{} is not a readable MaxMind DB file", path.display())]
pub struct UnreadablePlaces {
    pub(super) path: PathBuf,
    #[source]
    pub(super) source: MaxMindDbError,
}

/// The reason why places cannot be read.
#[derive(Debug, Error)]
pub enum PlacesError {
    #[error(transparent)]
    Unreadable(#[from] UnreadablePlaces),
    #[error(transparent)]
    File(#[from] PrivateFileError),
    #[error("{} is damaged", path.display())]
    Record {
        path: PathBuf,
        #[source]
        source: serde_json::Error,
    },
    /// A fetched file is missing or has been changed.
    #[error("{} is missing or damaged", .0.display())]
    Damaged(PathBuf),
}
