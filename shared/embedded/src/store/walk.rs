//! Visits every row of a store, any part of which may be damaged.
//!
//! SQLite ends a scan at the first page or row that it cannot read. A walk continues after it.

use rusqlite::{Connection, OptionalExtension as _};

use super::Fault;
use super::row::{StoredRow, select_rows};

/// Maximum number of rows, pages and keys that a walk skips with nothing new between them. Without this limit, a
/// completely unreadable file would be searched for too long, and an index that leads back to itself forever.
const MAX_SKIPS: u32 = 10_000;

/// A finding of a walk through the table.
#[derive(Debug)]
pub(super) enum Found {
    Row(StoredRow),
    /// A row that cannot be read, by its number.
    Unreadable(i64),
    /// A stretch of the table that cannot be read. The number of rows in it is unknown.
    Gap,
}

/// Visits at most `limit` rows with numbers above `after`, in order unless the order is damaged. Returns
/// the number after which the walk continues; `None` at its end.
pub(super) fn walk<E: From<Fault>>(
    connection: &Connection,
    mut after: i64,
    limit: usize,
    visitor: &mut dyn FnMut(Found) -> Result<(), E>,
) -> Result<Option<i64>, E> {
    let (mut left, mut skips) = (limit, 0);
    loop {
        let mut visited = Vec::new();
        let streamed = stream(connection, after, left, &mut visited, visitor)?;
        left -= visited.len().min(left);
        let before = after;
        after = resume(connection, before, &visited);
        match streamed {
            Streamed::All if left == 0 => return Ok(Some(after.max(before.saturating_add(1)))),
            Streamed::All => return Ok(None),
            Streamed::Damage => {}
        }
        // A damaged pointer may lead to rows that were visited before, again and again.
        let is_ahead = visited.iter().any(|number| *number > before);
        skips = if is_ahead { 0 } else { skips + 1 };
        let skipped = if skips < MAX_SKIPS {
            skip(connection, after)?
        } else {
            Skipped::Rest
        };
        match skipped {
            Skipped::Row(number) => {
                visitor(Found::Unreadable(number))?;
                // The table may be out of order because of damage.
                after = number.max(after.saturating_add(1));
            }
            Skipped::Gap { until } => {
                visitor(Found::Gap)?;
                after = until;
            }
            Skipped::Rest => {
                visitor(Found::Gap)?;
                return Ok(None);
            }
            Skipped::Nothing => return Ok(None),
        }
    }
}

enum Streamed {
    /// All rows were visited, or as many as requested.
    All,
    /// The next row or page cannot be read.
    Damage,
}

fn stream<E: From<Fault>>(
    connection: &Connection,
    after: i64,
    limit: usize,
    visited: &mut Vec<i64>,
    visitor: &mut dyn FnMut(Found) -> Result<(), E>,
) -> Result<Streamed, E> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let select = select_rows!("WHERE number > ?1 ORDER BY number LIMIT ?2");
    let mut select = connection.prepare_cached(select).map_err(Fault::from)?;
    let mut rows = select.query([after, limit]).map_err(Fault::from)?;
    loop {
        let row = match rows.next() {
            Ok(Some(row)) => row,
            Ok(None) => return Ok(Streamed::All),
            Err(error) => {
                let fault = Fault::from(error);
                return if fault.is_damage() {
                    Ok(Streamed::Damage)
                } else {
                    Err(fault.into())
                };
            }
        };
        let number = row.get(0).map_err(Fault::from)?;
        visited.push(number);
        visitor(Found::Row(StoredRow::from_sql(row)))?;
    }
}

/// Returns the number after which to continue: the last one that a search finds. A row whose own number is
/// damaged may be far ahead of the following rows.
fn resume(connection: &Connection, after: i64, visited: &[i64]) -> i64 {
    let is_found = |number: &&i64| {
        let found = "SELECT number FROM documents WHERE number = ?1";
        let found = connection
            .prepare_cached(found)
            .and_then(|mut select| select.query_row([number], |row| row.get::<_, i64>(0)));
        matches!(found, Ok(found) if found == **number)
    };
    let ahead = visited.iter().filter(|number| **number > after);
    let found = ahead.clone().rev().find(is_found).copied();
    found.or_else(|| ahead.min().copied()).unwrap_or(after)
}

enum Skipped {
    /// The row exists, but cannot be read.
    Row(i64),
    /// A page cannot be read. Rows after this number can be read.
    Gap { until: i64 },
    /// Nothing after this can be read.
    Rest,
    /// No more rows follow.
    Nothing,
}

/// Finds the next readable row after a scan has failed.
fn skip(connection: &Connection, after: i64) -> Result<Skipped, Fault> {
    match next_number(connection, after) {
        Err(fault) if fault.is_damage() => {}
        Err(fault) => return Err(fault),
        Ok(None) => return Ok(Skipped::Nothing),
        Ok(Some(number)) => return Ok(Skipped::Row(number)),
    }
    // The page is unreadable for each search that leads to it. A stride that doubles leaves the page
    // behind.
    let (mut unreadable, mut stride) = (after, 1_i128);
    let mut readable = loop {
        // The distance between two numbers may exceed the largest number.
        let Ok(from) = i64::try_from(i128::from(after) + stride) else {
            return Ok(Skipped::Rest);
        };
        match next_number(connection, from) {
            Ok(Some(_)) => break from,
            Ok(None) => return Ok(Skipped::Rest),
            Err(fault) if fault.is_damage() => unreadable = from,
            Err(fault) => return Err(fault),
        }
        stride *= 2;
    };
    while readable - unreadable > 1 {
        let middle = unreadable + (readable - unreadable) / 2;
        match next_number(connection, middle) {
            Ok(_) => readable = middle,
            Err(fault) if fault.is_damage() => unreadable = middle,
            Err(fault) => return Err(fault),
        }
    }
    Ok(Skipped::Gap { until: readable })
}

fn next_number(connection: &Connection, after: i64) -> Result<Option<i64>, Fault> {
    let next = "SELECT number FROM documents WHERE number > ?1 ORDER BY number LIMIT 1";
    let mut select = connection.prepare_cached(next)?;
    Ok(select.query_row([after], |row| row.get(0)).optional()?)
}

/// Visits the entries of the key index, each with the number of its row. After an unreadable page, or where a damaged
/// pointer leads back again and again, it continues from the other end.
pub(super) fn walk_keys<E: From<Fault>>(
    connection: &Connection,
    visitor: &mut dyn FnMut(String, i64) -> Result<(), E>,
) -> Result<(), E> {
    for order in ["ASC", "DESC"] {
        let select =
            format!("SELECT key, number FROM documents INDEXED BY keys ORDER BY key {order}");
        let mut select = connection.prepare(&select).map_err(Fault::from)?;
        let mut rows = select.query([]).map_err(Fault::from)?;
        let (mut furthest, mut skips) = (None::<String>, 0);
        while skips < MAX_SKIPS {
            let row = match rows.next() {
                Ok(Some(row)) => row,
                Ok(None) => return Ok(()),
                Err(error) => {
                    let fault = Fault::from(error);
                    if fault.is_damage() {
                        break;
                    }
                    return Err(fault.into());
                }
            };
            let key = row.get_ref(0).ok().and_then(|key| key.as_bytes().ok());
            let key = key.and_then(|key| std::str::from_utf8(key).ok());
            let is_ahead = key.is_some_and(|key| match furthest.as_deref() {
                None => true,
                Some(furthest) if order == "ASC" => key > furthest,
                Some(furthest) => key < furthest,
            });
            skips = if is_ahead { 0 } else { skips + 1 };
            if is_ahead {
                furthest = key.map(str::to_owned);
            }
            if let (Some(key), Ok(number)) = (key, row.get(1)) {
                visitor(key.to_owned(), number)?;
            }
        }
    }
    Ok(())
}

/// Reads the row with a number; `None` if it does not exist.
pub(super) fn row_of(connection: &Connection, number: i64) -> Result<Option<StoredRow>, Fault> {
    let mut select = connection.prepare_cached(select_rows!("WHERE number = ?1"))?;
    let mut rows = select.query([number])?;
    Ok(rows.next()?.map(StoredRow::from_sql))
}
