//! Errors of opening the file.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::fault::Fault;
use crate::private_files::PrivateFileError;

/// The layout that this release writes and reads. Since 2, each record carries a checksum; since 3,
/// records are MessagePack.
pub(super) const FORMAT_NUMBER: u32 = 4;

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
    #[error(transparent)]
    File(#[from] PrivateFileError),
    /// There is no store where there was one.
    #[error("{} is missing or empty", path.display())]
    Missing {
        /// Where it should be.
        path: PathBuf,
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
