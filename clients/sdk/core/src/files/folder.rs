//! A directory of files, and its lock.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use countersign_system::private_files::{PrivateDirectory, PrivateFileError};
use thiserror::Error;

use crate::ports::StoreError;
use crate::ports::keys::KeyError;

/// The lock file: a process locks it while it changes other files.
const LOCK: &str = "lock";

/// Why a file cannot be used.
#[derive(Debug, Error)]
pub(super) enum FolderError {
    #[error(transparent)]
    File(#[from] PrivateFileError),
    #[error("{}: {cause}", path.display())]
    Lock { path: PathBuf, cause: io::Error },
}

impl From<FolderError> for StoreError {
    fn from(error: FolderError) -> Self {
        let detail = error.to_string();
        Self::Failed { detail }
    }
}

impl From<FolderError> for KeyError {
    fn from(error: FolderError) -> Self {
        let detail = error.to_string();
        Self::Failed { detail }
    }
}

/// A directory that may not exist yet.
#[derive(Debug)]
pub(super) struct Folder(PathBuf);

/// A locked directory, which other processes do not change in the meantime.
pub(super) struct Locked {
    pub(super) directory: PrivateDirectory,
    /// Closing it releases the lock.
    _lock: File,
}

impl Folder {
    pub(super) fn at(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// Opens the directory; `None` if it does not exist.
    pub(super) fn open(&self) -> Result<Option<PrivateDirectory>, FolderError> {
        match PrivateDirectory::open(&self.0) {
            Ok(directory) => Ok(Some(directory)),
            Err(error) if error.is_absent() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns a file's content; `None` if it does not exist.
    pub(super) fn read(&self, name: &str) -> Result<Option<Vec<u8>>, FolderError> {
        match self.open()? {
            Some(directory) => Ok(directory.read(name)?),
            None => Ok(None),
        }
    }

    /// Creates the directory if it does not exist, and waits for its lock.
    pub(super) fn lock(&self) -> Result<Locked, FolderError> {
        let directory = PrivateDirectory::create(&self.0)?;
        let lock = directory.open_file(LOCK)?;
        lock.lock().map_err(|cause| FolderError::Lock {
            path: self.0.join(LOCK),
            cause,
        })?;
        Ok(Locked {
            directory,
            _lock: lock,
        })
    }
}
