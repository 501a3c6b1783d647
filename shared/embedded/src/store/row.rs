//! Documents as rows: the body in JSON, its checksum, and the columns that something is found by.

use countersign_domain::delivery::{DeliveryKind, DeliveryLane, SubjectKey};
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
    pub(super) due: Option<(i64, i64, SubjectKey)>,
    pub(super) open: Option<String>,
    pub(super) open_until: Option<i64>,
}

impl Row {
    pub(super) fn of(key: &Key, document: &Document) -> Result<Self, FormError> {
        let (key, body) = (key.to_string(), to_json(document)?);
        let open = document.open();
        let due = document.due();
        Ok(Self {
            checksum: checksum(&key, &body),
            key,
            body,
            purge_at: document.purge_at().map(millis),
            due: due.map(|due| (number_of(due.lane), millis(due.due_at), due.subject.key())),
            open: open.map(|(app, kind, _)| open_name(kind, app)),
            open_until: open.map(|(_, _, until)| millis(until)),
        })
    }

    pub(super) fn insert(&self, connection: &Connection) -> Result<(), Fault> {
        let (lane, due_at, subject) = self.due_columns();
        connection
            .prepare_cached(
                "INSERT INTO documents (key, revision, body, checksum, purge_at, lane, due_at, \
                 subject, open, open_until) VALUES (?1, random(), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?
            .execute(params![
                self.key,
                self.body,
                self.checksum,
                self.purge_at,
                lane,
                due_at,
                subject,
                self.open,
                self.open_until
            ])?;
        Ok(())
    }

    /// Replaces the row with this revision. Returns whether there was one.
    pub(super) fn replace(&self, connection: &Connection, seen: i64) -> Result<bool, Fault> {
        let (lane, due_at, subject) = self.due_columns();
        let replaced = connection
            .prepare_cached(
                "UPDATE documents SET revision = random(), body = ?3, checksum = ?4, purge_at = ?5, \
                 lane = ?6, due_at = ?7, subject = ?8, open = ?9, open_until = ?10 \
                 WHERE key = ?1 AND revision = ?2",
            )?
            .execute(params![
                self.key,
                seen,
                self.body,
                self.checksum,
                self.purge_at,
                lane,
                due_at,
                subject,
                self.open,
                self.open_until
            ])?;
        Ok(replaced == 1)
    }

    fn due_columns(&self) -> (Option<i64>, Option<i64>, Option<&SubjectKey>) {
        match &self.due {
            Some((lane, due_at, subject)) => (Some(*lane), Some(*due_at), Some(subject)),
            None => (None, None, None),
        }
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

/// Returns a lane as a number: its kind, then its hash.
pub(super) fn number_of(lane: DeliveryLane) -> i64 {
    let kind = match lane.kind() {
        DeliveryKind::Confirmations => 0,
        DeliveryKind::Logins => 1,
    };
    let hash = lane.as_bytes().iter();
    hash.fold(kind, |number, byte| number << 8 | i64::from(*byte))
}

pub(super) fn lane_of(number: i64) -> Option<DeliveryLane> {
    let [0, 0, kind, hash @ ..] = number.to_be_bytes() else {
        return None;
    };
    let kind = match kind {
        0 => DeliveryKind::Confirmations,
        1 => DeliveryKind::Logins,
        _ => return None,
    };
    Some(DeliveryLane::from_bytes(kind, hash))
}

/// Returns a time as SQLite keeps it, in milliseconds.
pub(super) fn millis(at: Timestamp) -> i64 {
    i64::try_from(at.as_millis()).unwrap_or(i64::MAX)
}

pub(super) fn timestamp(millis: i64) -> Timestamp {
    Timestamp::from_millis(u64::try_from(millis).unwrap_or(0))
}
