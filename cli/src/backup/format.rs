//! The format of a backup: a line that names the format, entries, and a SHA-256 over all of it.
//!
//! Numbers are big-endian. An entry starts with a byte for its type. A file follows as name and
//! content, a record as kind, key and value; all but the kind are preceded by their length. The
//! last entry holds the number of the others.

use std::io::{self, Read, Write};

use countersign_domain::primitives::time::Timestamp;
use countersign_embedded::store::{Record, RecordKind};
use sha2::{Digest as _, Sha256};
use thiserror::Error;
use zeroize::Zeroizing;

/// The first line of a backup. The number rises when the format of the file or of its records
/// changes: since 2, records are MessagePack.
const MAGIC: &[u8] = b"countersign backup 2\n";

const FILE: u8 = 1;
const RECORD: u8 = 2;
const END: u8 = 0;

/// Maximum length of a name, key, value or file, in bytes. Everything written is far shorter.
const MAX_LENGTH: u32 = 16 << 20;

/// Why a backup could not be written or read.
#[derive(Debug, Error)]
pub(crate) enum BackupError {
    /// The format is unknown.
    #[error("not a backup that this release can read")]
    NoBackup,
    /// It was changed or is incomplete.
    #[error("the backup is damaged or incomplete")]
    Damaged,
    /// Reading or writing failed.
    #[error("reading or writing the backup failed")]
    Io(#[from] io::Error),
}

/// An entry of a backup.
#[derive(Debug)]
pub(crate) enum Entry {
    /// A file of the data directory.
    File {
        /// Its name in the directory, such as `signing-keys/current`.
        name: String,
        /// Its bytes.
        content: Zeroizing<Vec<u8>>,
    },
    /// A record of the store.
    Record(Record),
}

/// Writes a backup.
pub(crate) struct Writer<W> {
    out: W,
    digest: Sha256,
    entries: u64,
}

impl<W: Write> Writer<W> {
    pub(crate) fn begin(out: W, now: Timestamp) -> io::Result<Self> {
        let mut writer = Self {
            out,
            digest: Sha256::new(),
            entries: 0,
        };
        writer.put(MAGIC)?;
        writer.put(&now.as_millis().to_be_bytes())?;
        Ok(writer)
    }

    pub(crate) fn file(&mut self, name: &str, content: &[u8]) -> io::Result<()> {
        self.entries += 1;
        self.put(&[FILE])?;
        self.put_with_length(name.as_bytes())?;
        self.put_with_length(content)
    }

    pub(crate) fn record(&mut self, record: &Record) -> io::Result<()> {
        self.entries += 1;
        self.put(&[RECORD, record.kind.number()])?;
        self.put_with_length(&record.key)?;
        self.put_with_length(&record.stored)
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        let entries = self.entries.to_be_bytes();
        self.put(&[END])?;
        self.put(&entries)?;
        let digest = self.digest.finalize();
        self.out.write_all(&digest)?;
        self.out.flush()
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.digest.update(bytes);
        self.out.write_all(bytes)
    }

    fn put_with_length(&mut self, bytes: &[u8]) -> io::Result<()> {
        let length = u32::try_from(bytes.len()).ok().filter(|n| *n <= MAX_LENGTH);
        let length = length.ok_or_else(|| io::Error::other("too long for a backup"))?;
        self.put(&length.to_be_bytes())?;
        self.put(bytes)
    }
}

/// Reads a backup.
pub(crate) struct Reader<R> {
    from: R,
    digest: Sha256,
    entries: u64,
    made_at: Timestamp,
}

impl<R: Read> Reader<R> {
    pub(crate) fn begin(from: R) -> Result<Self, BackupError> {
        let mut reader = Self {
            from,
            digest: Sha256::new(),
            entries: 0,
            made_at: Timestamp::from_millis(0),
        };
        let magic: [u8; MAGIC.len()] = reader.take().map_err(|error| match error {
            BackupError::Damaged => BackupError::NoBackup,
            error => error,
        })?;
        if magic != *MAGIC {
            return Err(BackupError::NoBackup);
        }
        reader.made_at = Timestamp::from_millis(u64::from_be_bytes(reader.take()?));
        Ok(reader)
    }

    /// Returns the time when the backup was made.
    pub(crate) const fn made_at(&self) -> Timestamp {
        self.made_at
    }

    /// Returns the next entry; `None` after the last one, if the whole backup is unchanged.
    pub(crate) fn next(&mut self) -> Result<Option<Entry>, BackupError> {
        let [tag] = self.take()?;
        match tag {
            FILE => {
                let name = String::from_utf8(self.take_with_length()?);
                let name = name.map_err(|_| BackupError::Damaged)?;
                let content = Zeroizing::new(self.take_with_length()?);
                self.entries += 1;
                Ok(Some(Entry::File { name, content }))
            }
            RECORD => {
                let [kind] = self.take()?;
                let record = Record {
                    kind: RecordKind::numbered(kind).ok_or(BackupError::Damaged)?,
                    key: self.take_with_length()?,
                    stored: self.take_with_length()?,
                };
                self.entries += 1;
                Ok(Some(Entry::Record(record)))
            }
            END => self.end(),
            _ => Err(BackupError::Damaged),
        }
    }

    fn end(&mut self) -> Result<Option<Entry>, BackupError> {
        let counted = u64::from_be_bytes(self.take()?);
        let digest = std::mem::take(&mut self.digest).finalize();
        let noted: [u8; 32] = self.take()?;
        let mut rest = [0];
        let over = self.from.read(&mut rest)?;
        if counted == self.entries && noted == *digest && over == 0 {
            Ok(None)
        } else {
            Err(BackupError::Damaged)
        }
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], BackupError> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    fn take_with_length(&mut self) -> Result<Vec<u8>, BackupError> {
        let length = u32::from_be_bytes(self.take()?);
        if length > MAX_LENGTH {
            return Err(BackupError::Damaged);
        }
        let length = usize::try_from(length).map_err(|_| BackupError::Damaged)?;
        let mut bytes = vec![0; length];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), BackupError> {
        self.from
            .read_exact(bytes)
            .map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => BackupError::Damaged,
                _ => BackupError::Io(error),
            })?;
        self.digest.update(&*bytes);
        Ok(())
    }
}
