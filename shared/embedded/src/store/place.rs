//! Watches whether the store's files are still where they were opened.
//!
//! SQLite keeps its files open, so it would go on to write into files that no other process finds any more. What is written
//! there is lost with the process.

#[cfg(test)]
mod tests;

use std::sync::{Mutex, MutexGuard, PoisonError};

use countersign_system::private_files::{FileIdentity, PrivateDirectory, PrivateFileError};
use rusqlite::Connection;

use super::{Fault, OpenError, STORE_FILE};

/// Suffixes of the store's files: the database, the log of writes, and its index.
const SUFFIXES: [&str; 3] = ["", "-wal", "-shm"];

/// The reason for refusing writes that the disk would take: the files of the running server were changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The changed file, without its path.
    pub what: String,
    /// The whole cause, for the log.
    pub cause: String,
}

impl Refusal {
    /// Names the file or the directory that was changed.
    #[must_use]
    pub fn of(error: &PrivateFileError, directory: &PrivateDirectory) -> Self {
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

/// The place of the store, and the files that were there when it was opened.
#[derive(Debug)]
pub(super) struct Place {
    directory: PrivateDirectory,
    files: Vec<(String, FileIdentity)>,
    refusal: Mutex<Option<Refusal>>,
}

impl Place {
    /// Remembers the files that a connection has open.
    pub(super) fn of(
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

    /// Checks that all files are in their place. Takes a few microseconds.
    pub(super) fn check(&self) -> Result<(), PrivateFileError> {
        self.directory.check_place()?;
        let mut files = self.files.iter();
        files.try_for_each(|(name, identity)| self.directory.check_same(name, *identity))
    }

    /// Returns whether the log may be copied into the file. Not if either has another file in its place: the next
    /// start would join what does not belong together. If the log was removed, the file is the only place left for
    /// what is in it.
    pub(super) fn may_checkpoint(&self) -> bool {
        let [store, log, ..] = self.files.as_slice() else {
            return false;
        };
        let check =
            |(name, identity): &(String, FileIdentity)| self.directory.check_same(name, *identity);
        check(store).is_ok() && matches!(check(log), Ok(()) | Err(PrivateFileError::Gone { .. }))
    }

    /// Checks as [`check`](Self::check) does, and refuses all writes from now on if something is wrong.
    pub(super) fn check_or_refuse(&self) -> Result<(), Fault> {
        self.check().map_err(|error| {
            let refusal = Refusal::of(&error, &self.directory);
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
