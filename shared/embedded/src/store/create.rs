//! Creating documents, within quotas of open ones.

use std::num::NonZeroU32;

use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::{CreateResult, Key};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::Fault;
use super::read::find_indexed;
use super::row::{Row, millis, timestamp};

pub(super) fn create(
    transaction: &Connection,
    key: &Key,
    row: &Row,
    now: Timestamp,
    most_open: Option<NonZeroU32>,
) -> Result<CreateResult, Fault> {
    let now = millis(now);
    let full = match (most_open, &row.started_by, row.open_until) {
        (Some(most), Some(started_by), Some(_)) => {
            first_end_if_full(transaction, started_by, now, most)?
        }
        _ => None,
    };
    // Keys rarely exist already, so that checking first would cost more.
    if full.is_none() && row.insert_if_absent(transaction)? {
        return Ok(CreateResult::Made);
    }
    if let Some(present) = find_indexed(transaction, key)? {
        let is_purged = present
            .document
            .purge_at()
            .is_some_and(|end| millis(end) <= now);
        if !is_purged {
            return Ok(CreateResult::Present(present));
        }
        transaction
            .prepare_cached("DELETE FROM documents WHERE key = ?1")?
            .execute([&row.key])?;
    }
    if let Some(first_ends_at) = full {
        return Ok(CreateResult::Full { first_ends_at });
    }
    row.insert(transaction)?;
    Ok(CreateResult::Made)
}

/// Returns the earliest end of an app's open documents, if there are as many as the quota allows.
fn first_end_if_full(
    transaction: &Connection,
    started_by: &str,
    now: i64,
    most: NonZeroU32,
) -> Result<Option<Timestamp>, Fault> {
    // Items that have ended by themselves are no longer counted.
    transaction
        .prepare_cached(
            "UPDATE documents SET open_until = NULL WHERE started_by = ?1 AND open_until <= ?2",
        )?
        .execute(params![started_by, now])?;
    let count: Option<i64> = transaction
        .prepare_cached("SELECT n FROM open_counts WHERE started_by = ?1")?
        .query_row([started_by], |row| row.get(0))
        .optional()?;
    if count.unwrap_or(0) < i64::from(most.get()) {
        return Ok(None);
    }
    let first: Option<i64> = transaction
        .prepare_cached(
            "SELECT min(open_until) FROM documents INDEXED BY open \
             WHERE started_by = ?1 AND open_until > ?2",
        )?
        .query_row(params![started_by, now], |row| row.get(0))?;
    Ok(Some(timestamp(first.unwrap_or(now))))
}
