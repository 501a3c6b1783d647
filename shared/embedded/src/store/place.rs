//! Checks that the store's files are still where they were opened.
//!
//! SQLite keeps its files open, so it would continue to write into files that other processes can no longer find.
//! Anything written there is lost with the process.

#[cfg(test)]
mod tests;

use std::sync::{Mutex, MutexGuard, PoisonError};

use countersign_system::private_files::{FileIdentity, PrivateDirectory, PrivateFileError};
use rusqlite::Connection;

use super::{Fault, OpenError, STORE_FILE};

/// Suffixes of the store's files: the database, the write-ahead log, and its index.
const SUFFIXES: [&str; 3] = ["", "-wal", "-shm"];

/// The reason for refusing writes although the disk works: the files of the running server were changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The changed file, without its path.
    pub what: String,
    /// The full cause, for the log.
    pub cause: String,
}

impl Refusal {
    /// Returns the file or directory that was changed.
    #[must_use]
    pub fn new(error: &PrivateFileError, directory: &PrivateDirectory) -> Self {
        let path = error.path();
        let name = path.strip_prefix(directory.path()).unwrap_or(path);
        let what = match name.to_str() {
            Some("") | None => "the data directory".to_owned(),
            Some(name) => name.to_owned(),
        };
        let cause = error.to_string();
        Self { what, cause }
    }
}

/// The location of the store, and the files that were there when it was opened.
#[derive(Debug)]
pub(super) struct Place {
    directory: PrivateDirectory,
    files: Vec<(String, FileIdentity)>,
    refusal: Mutex<Option<Refusal>>,
}

impl Place {
    /// Records the files that a connection has open.
    pub(super) fn new(
        connection: &Connection,
        directory: &PrivateDirectory,
    ) -> Result<Self, OpenError> {
        // The first read opens the log.
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        let names = SUFFIXES.map(|suffix| format!("{STORE_FILE}{suffix}"));
        let files = names.into_iter().map(|name| {
            let identity = directory.identity(&name)?;
            Ok((name, identity))
        });
        Ok(Self {
            directory: directory.clone(),
            files: files.collect::<Result<_, PrivateFileError>>()?,
            refusal: Mutex::default(),
        })
    }

    /// Checks that all files are in their place. The check takes a few microseconds.
    pub(super) fn check(&self) -> Result<(), PrivateFileError> {
        self.directory.check_place()?;
        let mut files = self.files.iter();
        files.try_for_each(|(name, identity)| self.directory.check_same(name, *identity))
    }

    /// Returns whether the log may be copied into the file. It may not if either file was replaced: the next
    /// startup would combine files that do not belong together. If the log was removed, the file is the only place
    /// left for its contents.
    pub(super) fn may_checkpoint(&self) -> bool {
        let [store, log, ..] = self.files.as_slice() else {
            return false;
        };
        let check =
            |(name, identity): &(String, FileIdentity)| self.directory.check_same(name, *identity);
        check(store).is_ok() && matches!(check(log), Ok(()) | Err(PrivateFileError::Gone { .. }))
    }

    /// Checks like [`check`](Self::check), and refuses all writes from now on if that fails.
    pub(super) fn check_or_refuse(&self) -> Result<(), Fault> {
        self.check().map_err(|error| {
            let refusal = Refusal::new(&error, &self.directory);
            *self.lock() = Some(refusal.clone());
            Fault::Refused(refusal.cause.into())
        })
    }

    /// Returns why writes are refused, if they are.
    pub(super) fn refusal(&self) -> Option<Refusal> {
        self.lock().clone()
    }

    pub(super) fn refuse(&self, why: Option<Refusal>) {
        *self.lock() = why;
    }

    fn lock(&self) -> MutexGuard<'_, Option<Refusal>> {
        self.refusal.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
