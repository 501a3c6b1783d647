//! Documents as rows: the body in JSON, the columns that something is found by, and a checksum of both.

use countersign_domain::delivery::DeliveryLine;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::form::FormError;
use countersign_domain::store::form::{from_json, to_json};
use countersign_domain::store::{Document, Key};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, params};
use thiserror::Error;

use super::{Fault, started_by};

/// Why a document cannot be used. Holds nothing of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(super) enum Damage {
    /// The checksum does not match the row.
    #[error("a stored document is damaged: its checksum does not match")]
    Checksum,
    /// A column has a value of another type than we write.
    #[error("a stored document is damaged: a column is malformed")]
    Column,
    /// The body cannot be read.
    #[error(transparent)]
    Body(#[from] FormError),
}

/// A document as its row.
#[derive(Debug, PartialEq, Eq)]
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
    pub(super) fn of(key: &Key, document: &Document) -> Result<Self, FormError> {
        let next = document.next_attempt();
        let started = document.started();
        Ok(Self {
            key: key.to_string(),
            body: to_json(document)?.into_bytes(),
            purge_at: document.purge_at().map(millis),
            started_by: started.map(|(app, kind, _)| started_by(kind, app)),
            started_at: started.map(|(_, _, at)| millis(at)),
            open_until: document.open().map(|(_, _, until)| millis(until)),
            line: next.map(|next| DeliveryLine::from(&next.pointer).key().to_vec()),
            attempt_at: next.map(|next| millis(next.at)),
            attempts: next.map(|next| next.pointer.attempts_claimed.into()),
        })
    }

    pub(super) fn insert(&self, connection: &Connection) -> Result<(), Fault> {
        let insert = "INSERT INTO documents (key, body, checksum, purge_at, started_by, started_at, \
                      open_until, line, attempt_at, attempts, revision) \
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, coalesce(?11, random()))";
        self.write(connection, insert, None).map(drop)
    }

    /// Replaces the row with this revision. Returns whether there was one.
    pub(super) fn replace(&self, connection: &Connection, seen: i64) -> Result<bool, Fault> {
        let update = "UPDATE documents SET revision = random(), body = ?2, checksum = ?3, purge_at = ?4, \
                      started_by = ?5, started_at = ?6, open_until = ?7, line = ?8, attempt_at = ?9, \
                      attempts = ?10 WHERE key = ?1 AND revision = ?11";
        Ok(self.write(connection, update, Some(seen))? == 1)
    }

    fn write(&self, connection: &Connection, sql: &str, seen: Option<i64>) -> Result<usize, Fault> {
        let mut statement = connection.prepare_cached(sql)?;
        let written = statement.execute(params![
            self.key,
            self.body,
            self.checksum(),
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

    /// CRC-32 over the key, the body, and the columns but `open_until`, which changes without them.
    /// SQLite does not check its pages: without a checksum, a phone number with a flipped bit on disk would
    /// be served as another number. It protects against accidents only.
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

/// A row as it was found, whose checksum may not match.
#[derive(Debug)]
pub(super) struct StoredRow {
    pub(super) row: Row,
    /// The checksum beside it.
    checksum: i64,
}

impl StoredRow {
    pub(super) const SELECT_BY_KEY: &str = "SELECT revision, checksum, key, purge_at, started_by, started_at, \
         open_until, line, attempt_at, attempts, body FROM documents WHERE key = ?1";
    pub(super) const SELECT_ALL: &str = "SELECT revision, checksum, key, purge_at, started_by, started_at, \
         open_until, line, attempt_at, attempts, body FROM documents ORDER BY number";

    /// Reads what one of the queries found: the row and its revision.
    pub(super) fn of(found: &rusqlite::Row<'_>) -> Result<(Self, i64), Fault> {
        let integer = |at| match found.get_ref(at)? {
            ValueRef::Null => Ok(None),
            ValueRef::Integer(value) => Ok(Some(value)),
            _ => Err(Fault::from(Damage::Column)),
        };
        let bytes = |at| match found.get_ref(at)? {
            ValueRef::Null => Ok(None),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Ok(Some(bytes.to_vec())),
            _ => Err(Fault::from(Damage::Column)),
        };
        let text = |at| {
            let text = bytes(at)?.map(String::from_utf8).transpose();
            text.map_err(|_| Fault::from(Damage::Column))
        };
        let row = Row {
            key: text(2)?.ok_or(Damage::Column)?,
            purge_at: integer(3)?,
            started_by: text(4)?,
            started_at: integer(5)?,
            open_until: integer(6)?,
            line: bytes(7)?,
            attempt_at: integer(8)?,
            attempts: integer(9)?,
            body: bytes(10)?.ok_or(Damage::Column)?,
        };
        let checksum = integer(1)?.ok_or(Damage::Column)?;
        let revision = integer(0)?.ok_or(Damage::Column)?;
        Ok((Self { row, checksum }, revision))
    }

    /// Reads the document. Fails if the checksum does not match, or if the row is not the one of this key.
    ///
    /// A document whose columns are damaged is whole: they follow from it.
    pub(super) fn document_under(&self, key: &Key) -> Result<Document, Damage> {
        if i64::from(self.row.checksum()) == self.checksum && self.row.key == key.to_string() {
            return Ok(self.parsed(key)?);
        }
        let document = self.parsed(key).map_err(|_| Damage::Checksum)?;
        if i64::from(self.derived(key, &document)?.checksum()) == self.checksum {
            Ok(document)
        } else {
            Err(Damage::Checksum)
        }
    }

    fn parsed(&self, key: &Key) -> Result<Document, FormError> {
        let body = std::str::from_utf8(&self.row.body).map_err(|_| FormError::Malformed)?;
        from_json(key, body)
    }

    /// Returns the row that a document should have.
    fn derived(&self, key: &Key, document: &Document) -> Result<Row, FormError> {
        let mut row = Row::of(key, document)?;
        // The body's form may be an earlier release's, and what is open ends by itself.
        row.body.clone_from(&self.row.body);
        if self.row.open_until.is_none() {
            row.open_until = None;
        }
        Ok(row)
    }

    /// Returns the document, and the row that it should have.
    pub(super) fn read(&self) -> Result<(Row, Document), String> {
        let key = Key::parse(&self.row.key).ok_or("its key is malformed")?;
        let document = self.document_under(&key);
        let document = document.map_err(|cause| cause.to_string())?;
        let row = self.derived(&key, &document);
        Ok((row.map_err(|cause| cause.to_string())?, document))
    }
}

/// Returns a time as SQLite keeps it, in milliseconds.
pub(super) fn millis(at: Timestamp) -> i64 {
    i64::try_from(at.as_millis()).unwrap_or(i64::MAX)
}

pub(super) fn timestamp(millis: i64) -> Timestamp {
    Timestamp::from_millis(u64::try_from(millis).unwrap_or(0))
}
