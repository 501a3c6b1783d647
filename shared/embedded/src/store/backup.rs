//! Backups: a copy of the store in SQLite's own format, with the accompanying files in an additional
//! table, and a SHA-256 over everything at the end.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use countersign_domain::primitives::time::Timestamp;
use countersign_system::private_files::{NewFile, PrivateDirectory, PrivateFileError};
use rusqlite::{Connection, OpenFlags, params};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use super::check::{Findings, Inventory};
use super::counts::{NAME as HOURLY_COUNTS, copy_counts};
use super::open_error::FORMAT_NUMBER;
use super::row::{millis, timestamp};
use super::steady::write_steady;
use super::survey::{SurveyDepth, Surveyed, survey};
use super::{Fault, OpenError, STORE_FILE, schema};

/// Marker before the hash.
const SEAL: &[u8; 24] = b"countersign backup seal\n";

/// Number of bytes of marker and hash.
const SEAL_BYTES: u64 = 24 + 32;

/// The table of the accompanying files, and the time of the backup.
const TABLES: &str = "
    CREATE TABLE files (name TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE backup (made_at INTEGER NOT NULL) STRICT;
";

/// Why a backup cannot be used.
#[derive(Debug, Error)]
pub enum BackupError {
    /// The file does not have the marker of a backup.
    #[error("not a backup")]
    NoBackup,
    /// A later release wrote the backup.
    #[error(
        "a later release wrote the backup: it has format {0}, and this release reads {FORMAT_NUMBER} at most"
    )]
    NewerFormat(u32),
    /// A build from before the first release wrote the backup.
    #[error(
        "the backup has format {0}, from before the first release, and this release reads {FORMAT_NUMBER}: \
         begin with an empty directory, or use the build that wrote it"
    )]
    OlderFormat(u32),
    /// The backup was changed or is incomplete.
    #[error("the backup is damaged or incomplete")]
    Damaged,
    #[error("reading or writing the backup failed")]
    Io(#[from] io::Error),
    /// The store cannot be read, or SQLite failed.
    #[error(transparent)]
    Store(#[from] OpenError),
}

impl From<rusqlite::Error> for BackupError {
    fn from(error: rusqlite::Error) -> Self {
        OpenError::from(error).into()
    }
}

/// The message for a part of the store that cannot be read.
const GAP: &str = "a part of the file cannot be read: the documents in it that can be named follow";

/// Copies everything readable, and returns descriptions of what is left out.
fn fill(store: &Connection, copy: &Connection) -> Result<Vec<String>, OpenError> {
    let mut left_out = Vec::new();
    survey(store, SurveyDepth::Checksums, &mut |surveyed| {
        match surveyed {
            Surveyed::Whole { row, .. } => {
                if !row.insert_if_absent(copy)? {
                    left_out.push(format!("{}: a second document has its key", row.key));
                }
            }
            Surveyed::Damaged(lost) => left_out.push(lost.name()),
            Surveyed::Gap => left_out.push(GAP.to_owned()),
        }
        Ok::<_, OpenError>(())
    })?;
    if !copy_counts(store, copy)? {
        left_out.push(format!("{HOURLY_COUNTS}: a part cannot be read"));
    }
    Ok(left_out)
}

/// A backup whose hash was verified.
#[derive(Debug)]
pub struct Backup {
    connection: Connection,
    made_at: Timestamp,
}

impl Backup {
    /// Writes a backup of the store in a directory into an empty file, even while a server writes to the store.
    /// Omits damaged documents, and returns their keys and causes. If the directory is on a read-only file
    /// system, the caller must hold its lock.
    ///
    /// # Errors
    /// Fails if the store cannot be opened, or the file cannot be written.
    pub fn write(
        directory: &PrivateDirectory,
        to: &Path,
        files: &[(String, Vec<u8>)],
        now: Timestamp,
    ) -> Result<Vec<String>, BackupError> {
        schema::must_exist(directory)?;
        let store = schema::open_to_read(directory)?;
        schema::known(&store, directory)?;
        let copy = Connection::open(to)?;
        // The file is flushed at the end, and removed if that fails.
        copy.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")?;
        schema::begin_to_fill(&copy)?;
        // The whole backup reflects a single point in time.
        let moment = store.unchecked_transaction()?;
        let left_out = fill(&moment, &copy)?;
        drop(moment);
        copy.execute_batch(TABLES)?;
        copy.execute("INSERT INTO backup VALUES (?1)", [millis(now)])?;
        for (name, content) in files {
            copy.execute("INSERT INTO files VALUES (?1, ?2)", params![name, content])?;
        }
        schema::end_filling(&copy)?;
        copy.close().map_err(|(_, error)| error)?;
        let mut file = OpenOptions::new().read(true).write(true).open(to)?;
        let hash = hash_of(&mut file, u64::MAX)?;
        file.seek(SeekFrom::End(0))?;
        file.write_all(SEAL)?;
        file.write_all(&hash)?;
        file.sync_all()?;
        Ok(left_out)
    }

    /// Opens a backup and verifies its hash.
    ///
    /// # Errors
    /// Fails if the file is not a backup, or was changed.
    pub fn open(path: &Path) -> Result<Self, BackupError> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        let content = length
            .checked_sub(SEAL_BYTES)
            .ok_or(BackupError::NoBackup)?;
        let mut head = [0; 16];
        file.read_exact(&mut head)?;
        if &head != b"SQLite format 3\0" {
            return Err(BackupError::NoBackup);
        }
        file.seek(SeekFrom::Start(content))?;
        let (mut seal, mut noted) = ([0; 24], [0; 32]);
        file.read_exact(&mut seal)?;
        file.read_exact(&mut noted)?;
        if &seal != SEAL || hash_of(&mut file, content)? != noted {
            return Err(BackupError::Damaged);
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        match schema::format(&connection)? {
            Some(FORMAT_NUMBER) => {}
            Some(later) if later > FORMAT_NUMBER => return Err(BackupError::NewerFormat(later)),
            Some(earlier) => return Err(BackupError::OlderFormat(earlier)),
            None => return Err(BackupError::NoBackup),
        }
        let made_at =
            connection.query_row("SELECT made_at FROM backup", [], |row| row.get::<_, i64>(0))?;
        Ok(Self {
            connection,
            made_at: timestamp(made_at),
        })
    }

    /// Returns when the backup was made.
    #[must_use]
    pub const fn made_at(&self) -> Timestamp {
        self.made_at
    }

    /// Returns the accompanying files, each with its name in the data directory.
    ///
    /// # Errors
    /// Fails if the files cannot be read.
    pub fn files(&self) -> Result<Vec<(String, Vec<u8>)>, BackupError> {
        let mut select = self
            .connection
            .prepare("SELECT name, content FROM files ORDER BY name")?;
        let files = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(files.collect::<Result<_, _>>()?)
    }

    /// Checks all documents.
    ///
    /// # Errors
    /// Fails if the documents cannot be read.
    pub fn check(&self, progress: &mut dyn FnMut(u64)) -> Result<Findings, BackupError> {
        Ok(Findings::collect(&self.connection, progress)?)
    }
}

/// A store that is being restored. The store becomes visible only once it is finished.
#[derive(Debug)]
pub struct NewStore {
    file: NewFile,
    connection: Connection,
}

impl NewStore {
    /// Begins to restore a backup that was made at `made_at`. The new store's steady clock continues
    /// from that time, whatever the wall clock says when a server first opens it.
    ///
    /// # Errors
    /// Fails if the new store's file cannot be created.
    pub fn begin(directory: &PrivateDirectory, made_at: Timestamp) -> Result<Self, OpenError> {
        Self::create(directory, Some(made_at))
    }

    /// Creates the file of a store with this reading of the steady clock.
    pub(super) fn create(
        directory: &PrivateDirectory,
        steady: Option<Timestamp>,
    ) -> Result<Self, OpenError> {
        let file = directory.begin(STORE_FILE)?;
        let connection = schema::open(&file.path())?;
        schema::begin_to_fill(&connection)?;
        if let Some(reading) = steady {
            write_steady(&connection, reading)?;
        }
        Ok(Self { file, connection })
    }

    pub(super) const fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Copies the documents of a backup. Damaged documents are omitted.
    ///
    /// # Errors
    /// Fails if a document cannot be written.
    pub fn copy(
        &mut self,
        backup: &Backup,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Inventory, OpenError> {
        let (mut inventory, mut copied) = (Inventory::default(), 0);
        survey(
            &backup.connection,
            SurveyDepth::Documents,
            &mut |surveyed| {
                match surveyed {
                    Surveyed::Whole { row, document, .. } => {
                        if row.insert_if_absent(&self.connection)? {
                            inventory.count(&row, document.as_deref());
                        }
                    }
                    Surveyed::Damaged(lost) => inventory.damaged.push(lost.name()),
                    Surveyed::Gap => inventory.damaged.push(GAP.to_owned()),
                }
                copied += 1;
                progress(copied);
                Ok::<_, OpenError>(())
            },
        )?;
        if !copy_counts(&backup.connection, &self.connection)? {
            let damaged = format!("{HOURLY_COUNTS}: a part cannot be read");
            inventory.damaged.push(damaged);
        }
        Ok(inventory)
    }

    /// Flushes the store to disk and moves it into place.
    ///
    /// # Errors
    /// Fails if the store cannot be flushed and renamed into place.
    pub fn finish(self) -> Result<(), OpenError> {
        schema::end_filling(&self.connection)?;
        self.connection.close().map_err(|(_, error)| error)?;
        Ok(self.file.finish()?)
    }

    /// Removes the unfinished store.
    ///
    /// # Errors
    /// Fails if the store cannot be removed.
    pub fn give_up(self) -> Result<(), PrivateFileError> {
        drop(self.connection);
        self.file.give_up()
    }
}

impl From<Fault> for OpenError {
    fn from(fault: Fault) -> Self {
        Self::Unreadable(fault.into())
    }
}

/// Returns the hash of at most `length` bytes of a file.
fn hash_of(file: &mut File, length: u64) -> io::Result<[u8; 32]> {
    file.seek(SeekFrom::Start(0))?;
    let (mut file, mut hash) = (file.take(length), Sha256::new());
    let mut piece = vec![0; 1 << 16];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(hash.finalize().into()),
            read => hash.update(&piece[..read]),
        }
    }
}
