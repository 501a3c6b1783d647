//! Documents as rows: the body in JSON, its checksum, and the columns that something is found by.

use countersign_domain::delivery::DeliveryLine;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::form::FormError;
use countersign_domain::store::form::{from_json, to_json};
use countersign_domain::store::{Document, Key};
use rusqlite::{Connection, params};
use thiserror::Error;

use super::{Fault, open_name};

/// Why a document cannot be used. Holds nothing of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(super) enum Damage {
    /// The checksum does not match the body and the key.
    #[error("a stored document is damaged: its checksum does not match")]
    Checksum,
    /// The body cannot be read.
    #[error(transparent)]
    Body(#[from] FormError),
}

/// A document as its row.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) key: String,
    pub(super) body: String,
    pub(super) checksum: u32,
    pub(super) purge_at: Option<i64>,
    pub(super) line: Option<[u8; 18]>,
    pub(super) attempt_at: Option<i64>,
    pub(super) attempts: Option<u32>,
    pub(super) open: Option<String>,
    pub(super) open_until: Option<i64>,
}

impl Row {
    pub(super) fn of(key: &Key, document: &Document) -> Result<Self, FormError> {
        let (key, body) = (key.to_string(), to_json(document)?);
        let open = document.open();
        let next = document.next_attempt();
        Ok(Self {
            checksum: checksum(&key, &body),
            key,
            body,
            purge_at: document.purge_at().map(millis),
            line: next.map(|next| DeliveryLine::from(&next.pointer).key()),
            attempt_at: next.map(|next| millis(next.at)),
            attempts: next.map(|next| next.pointer.attempts_claimed),
            open: open.map(|(app, kind, _)| open_name(kind, app)),
            open_until: open.map(|(_, _, until)| millis(until)),
        })
    }

    pub(super) fn insert(&self, connection: &Connection) -> Result<(), Fault> {
        let insert = "INSERT INTO documents (key, body, checksum, purge_at, line, attempt_at, attempts, \
                      open, open_until, revision) \
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, coalesce(?10, random()))";
        self.write(connection, insert, None).map(drop)
    }

    /// Replaces the row with this revision. Returns whether there was one.
    pub(super) fn replace(&self, connection: &Connection, seen: i64) -> Result<bool, Fault> {
        let update = "UPDATE documents SET revision = random(), body = ?2, checksum = ?3, purge_at = ?4, \
                      line = ?5, attempt_at = ?6, attempts = ?7, open = ?8, open_until = ?9 \
                      WHERE key = ?1 AND revision = ?10";
        Ok(self.write(connection, update, Some(seen))? == 1)
    }

    fn write(&self, connection: &Connection, sql: &str, seen: Option<i64>) -> Result<usize, Fault> {
        let mut statement = connection.prepare_cached(sql)?;
        let written = statement.execute(params![
            self.key,
            self.body,
            self.checksum,
            self.purge_at,
            self.line,
            self.attempt_at,
            self.attempts,
            self.open,
            self.open_until,
            seen
        ])?;
        Ok(written)
    }
}

/// Reads a document whose key has this name.
pub(super) fn read(key: &Key, name: &str, body: &str, expected: u32) -> Result<Document, Damage> {
    if checksum(name, body) != expected {
        return Err(Damage::Checksum);
    }
    Ok(from_json(key, body)?)
}

/// CRC-32 over key and body. SQLite does not check its pages: without a checksum, a phone number with a
/// flipped bit on disk would be served as another number. It protects against accidents only.
pub(super) fn checksum(key: &str, body: &str) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(key.as_bytes());
    hasher.update(&[0]);
    hasher.update(body.as_bytes());
    hasher.finalize()
}

/// Returns a time as SQLite keeps it, in milliseconds.
pub(super) fn millis(at: Timestamp) -> i64 {
    i64::try_from(at.as_millis()).unwrap_or(i64::MAX)
}

pub(super) fn timestamp(millis: i64) -> Timestamp {
    Timestamp::from_millis(u64::try_from(millis).unwrap_or(0))
}
