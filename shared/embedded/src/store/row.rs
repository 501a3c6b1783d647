//! Documents as rows: the body in JSON, the columns for queries, and a checksum of both.

use std::borrow::Cow;

use countersign_domain::delivery::ReceiverShard;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::form::FormError;
use countersign_domain::store::form::{from_json, to_json};
use countersign_domain::store::{Document, Key};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, params};
use thiserror::Error;

use super::{Fault, started_by};

/// Damage of a document or of the data needed to find it. Contains no part of the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(super) enum Damage {
    /// The checksum does not match the row.
    #[error("a stored document is damaged: its checksum does not match")]
    Checksum,
    /// A column has a value of an unexpected type, or one that does not match the document.
    #[error("a stored document is damaged: its columns are malformed")]
    Column,
    /// The key does not belong to any kind of document.
    #[error("a stored document is damaged: its key is malformed")]
    Key,
    /// The body cannot be read.
    #[error(transparent)]
    Body(#[from] FormError),
    /// An index lacks a document, or points to one that does not exist.
    #[error("an index of the store is damaged")]
    Index,
    /// Pages of the file cannot be read.
    #[error("the store's file is damaged")]
    Structure,
    /// A document was not found, but a part of the store cannot be read.
    #[error("the part of the store that would contain this document is damaged")]
    AbsenceMeaning,
}

/// The columns and values of the insert statement in [`Row::write`].
macro_rules! values {
    () => {
        "documents (key, body, checksum, purge_at, started_by, started_at, open_until, line, attempt_at, \
         attempts, revision) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, coalesce(?11, random()))"
    };
}

/// A document as a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) key: String,
    pub(super) body: Vec<u8>,
    pub(super) purge_at: Option<i64>,
    pub(super) started_by: Option<String>,
    pub(super) started_at: Option<i64>,
    pub(super) open_until: Option<i64>,
    pub(super) line: Option<Vec<u8>>,
    pub(super) attempt_at: Option<i64>,
    pub(super) attempts: Option<i64>,
}

impl Row {
    pub(super) fn new(key: &Key, document: &Document) -> Result<Self, FormError> {
        let next = document.next_attempt();
        let started = document.started();
        Ok(Self {
            key: key.to_string(),
            body: to_json(document)?.into_bytes(),
            purge_at: document.purge_at().map(millis),
            started_by: started.map(|(app, kind, _)| started_by(kind, app)),
            started_at: started.map(|(_, _, at)| millis(at)),
            open_until: document.open().map(|(_, _, until)| millis(until)),
            line: next.map(|next| ReceiverShard::from(&next.pointer).key().to_vec()),
            attempt_at: next.map(|next| millis(next.at)),
            attempts: next.map(|next| next.pointer.attempts_claimed.into()),
        })
    }

    /// Returns a row with only a key.
    pub(super) const fn empty(key: String) -> Self {
        Self {
            key,
            body: Vec::new(),
            purge_at: None,
            started_by: None,
            started_at: None,
            open_until: None,
            line: None,
            attempt_at: None,
            attempts: None,
        }
    }

    pub(super) fn insert(&self, connection: &Connection) -> Result<(), Fault> {
        let insert = concat!("INSERT INTO ", values!());
        self.write(connection, insert, self.checksum(), None)
            .map(drop)
    }

    /// Inserts the row unless there is one with the same key. Returns whether it was inserted.
    pub(super) fn insert_if_absent(&self, connection: &Connection) -> Result<bool, Fault> {
        let insert = concat!("INSERT OR IGNORE INTO ", values!());
        Ok(self.write(connection, insert, self.checksum(), None)? == 1)
    }

    /// Inserts a row whose checksum does not match, unless there is one with the same key. Reading such a row is
    /// an error.
    pub(super) fn insert_damaged(&self, connection: &Connection) -> Result<(), Fault> {
        let insert = concat!("INSERT OR IGNORE INTO ", values!());
        self.write(connection, insert, !self.checksum(), None)
            .map(drop)
    }

    /// Replaces the row with this revision. Returns whether there was one.
    pub(super) fn replace(&self, connection: &Connection, seen: i64) -> Result<bool, Fault> {
        let update = "UPDATE documents SET revision = random(), body = ?2, checksum = ?3, purge_at = ?4, \
                      started_by = ?5, started_at = ?6, open_until = ?7, line = ?8, attempt_at = ?9, \
                      attempts = ?10 WHERE key = ?1 AND revision = ?11";
        Ok(self.write(connection, update, self.checksum(), Some(seen))? == 1)
    }

    fn write(
        &self,
        connection: &Connection,
        sql: &str,
        checksum: u32,
        seen: Option<i64>,
    ) -> Result<usize, Fault> {
        let mut statement = connection.prepare_cached(sql)?;
        let written = statement.execute(params![
            self.key,
            self.body,
            checksum,
            self.purge_at,
            self.started_by,
            self.started_at,
            self.open_until,
            self.line,
            self.attempt_at,
            self.attempts,
            seen
        ])?;
        Ok(written)
    }

    /// CRC-32 over the key, the body, and all columns except `open_until`, which changes independently.
    /// SQLite does not verify its pages: without a checksum, a phone number with a flipped bit on disk
    /// would be returned as a different number. It protects only against accidental changes.
    pub(super) fn checksum(&self) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        let mut part = |bytes: Option<&[u8]>| {
            let length = bytes.map_or(u64::MAX, |bytes| bytes.len() as u64);
            hasher.update(&length.to_le_bytes());
            hasher.update(bytes.unwrap_or_default());
        };
        part(Some(self.key.as_bytes()));
        part(Some(&self.body));
        part(self.started_by.as_deref().map(str::as_bytes));
        part(self.line.as_deref());
        for number in [
            self.purge_at,
            self.started_at,
            self.attempt_at,
            self.attempts,
        ] {
            let bytes = number.map(i64::to_le_bytes);
            part(bytes.as_ref().map(<[u8; 8]>::as_slice));
        }
        hasher.finalize()
    }
}

/// Begins a query whose results [`StoredRow::from_sql`] reads.
macro_rules! select_rows {
    ($which:literal) => {
        concat!(
            "SELECT number, revision, checksum, key, purge_at, started_by, started_at, open_until, \
             line, attempt_at, attempts, body FROM documents ",
            $which
        )
    };
}
pub(super) use select_rows;

/// A stored row, whose checksum may not match.
#[derive(Debug)]
pub(super) struct StoredRow {
    pub(super) number: i64,
    pub(super) revision: i64,
    pub(super) row: Row,
    /// The stored checksum.
    checksum: i64,
}

impl StoredRow {
    /// Reads a result of a [query](select_rows). Values of an unexpected type, or text that is not UTF-8, make the
    /// checksum fail: the key index may still have the key, and the columns can be recomputed from the body.
    pub(super) fn from_sql(found: &rusqlite::Row<'_>) -> Self {
        let value = |at| found.get_ref(at).unwrap_or(ValueRef::Null);
        let integer = |at| match value(at) {
            ValueRef::Integer(value) => Some(value),
            _ => None,
        };
        // A bit beside the bytes tells SQLite whether they are text, and it may also be flipped.
        let bytes = |at| match value(at) {
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(bytes),
            _ => None,
        };
        let text = |at| bytes(at).map(|text| String::from_utf8_lossy(text).into_owned());
        Self {
            number: integer(0).unwrap_or_default(),
            revision: integer(1).unwrap_or_default(),
            checksum: integer(2).unwrap_or(-1),
            row: Row {
                key: text(3).unwrap_or_default(),
                purge_at: integer(4),
                started_by: text(5),
                started_at: integer(6),
                open_until: integer(7),
                line: bytes(8).map(<[u8]>::to_vec),
                attempt_at: integer(9),
                attempts: integer(10),
                body: bytes(11).unwrap_or_default().to_vec(),
            },
        }
    }

    /// Returns whether the checksum matches.
    pub(super) fn is_sound(&self) -> bool {
        i64::from(self.row.checksum()) == self.checksum
    }

    /// Reads the document. Fails if the checksum does not match, or if the row belongs to a different key.
    ///
    /// A document with damaged columns is itself undamaged: they can be recomputed from it.
    pub(super) fn document_under(&self, key: &Key) -> Result<Document, Damage> {
        if self.is_sound() && self.row.key == key.to_string() {
            return Ok(self.parsed(key)?);
        }
        let document = self.parsed(key).map_err(|_| Damage::Checksum)?;
        if i64::from(self.derived(key, &document)?.checksum()) == self.checksum {
            Ok(document)
        } else {
            Err(Damage::Checksum)
        }
    }

    /// Returns the correct row for the document: the row itself if its checksum matches.
    pub(super) fn read_columns(&self) -> Result<Cow<'_, Row>, Damage> {
        if self.is_sound() {
            Ok(Cow::Borrowed(&self.row))
        } else {
            self.read().map(|(row, _)| Cow::Owned(row))
        }
    }

    fn parsed(&self, key: &Key) -> Result<Document, FormError> {
        let body = std::str::from_utf8(&self.row.body).map_err(|_| FormError::Malformed)?;
        from_json(key, body)
    }

    /// Returns the correct row for a document.
    fn derived(&self, key: &Key, document: &Document) -> Result<Row, FormError> {
        let mut row = Row::new(key, document)?;
        // The body may have an earlier release's format, and `open_until` may have passed by
        // itself.
        row.body.clone_from(&self.row.body);
        if self.row.open_until.is_none() {
            row.open_until = None;
        }
        Ok(row)
    }

    /// Returns the document, and its correct row.
    pub(super) fn read(&self) -> Result<(Row, Document), Damage> {
        let key = Key::parse(&self.row.key).ok_or(Damage::Key)?;
        self.read_under(&key)
    }

    /// Reads the row like [`read`](Self::read), under a key that may differ from the stored one.
    pub(super) fn read_under(&self, key: &Key) -> Result<(Row, Document), Damage> {
        let document = self.document_under(key)?;
        Ok((self.derived(key, &document)?, document))
    }
}

/// Returns a time as stored in SQLite, in milliseconds.
pub(super) fn millis(at: Timestamp) -> i64 {
    i64::try_from(at.as_millis()).unwrap_or(i64::MAX)
}

pub(super) fn timestamp(millis: i64) -> Timestamp {
    Timestamp::from_millis(u64::try_from(millis).unwrap_or(0))
}
