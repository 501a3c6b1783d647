//! Data derived from the rows of the table: the indexes, and the counts of open items.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension as _, ToSql};

use super::Fault;
use super::fault::is_damage;
use super::read::read_index;
use super::row::StoredRow;
use super::schema::{COUNT_OPEN, replace_index};

/// Derived data that can be rebuilt from the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Derived {
    Keys,
    Pending,
    Purge,
    Started,
    Open,
    OpenCounts,
}

impl Derived {
    const fn index(self) -> Option<&'static str> {
        match self {
            Self::Keys => Some("keys"),
            Self::Pending => Some("owed"),
            Self::Purge => Some("purge"),
            Self::Started => Some("started"),
            Self::Open => Some("open"),
            Self::OpenCounts => None,
        }
    }

    /// Rebuilds the data from the rows.
    pub(super) fn rebuild(self, transaction: &Connection) -> Result<(), Fault> {
        match self.index() {
            Some(index) => transaction.execute_batch(&format!("REINDEX {index}"))?,
            None => transaction.execute_batch(COUNT_OPEN)?,
        }
        Ok(())
    }

    /// Recreates the data without deleting the old pages, since some of them cannot be read. The old pages
    /// are lost until the file is rewritten.
    pub(super) fn replace(self, transaction: &Connection) -> Result<(), Fault> {
        match self.index() {
            Some(index) => replace_index(transaction, index),
            None => self.rebuild(transaction),
        }
    }

    /// Returns the indexes that lack a row, or that cannot be read where the row should be.
    pub(super) fn that_lack(
        connection: &Connection,
        stored: &StoredRow,
    ) -> Result<BTreeSet<Self>, Fault> {
        let (row, number) = (&stored.row, &stored.number);
        let mut wrong = BTreeSet::new();
        let mut look = |index, sql, parameters: &[&dyn ToSql]| {
            if !has(connection, sql, parameters)? {
                wrong.insert(index);
            }
            Ok::<_, Fault>(())
        };
        look(
            Self::Keys,
            "SELECT 1 FROM documents INDEXED BY keys WHERE key = ?1 AND number = ?2",
            &[&row.key, number],
        )?;
        if let Some(line) = &row.line {
            look(
                Self::Pending,
                "SELECT 1 FROM documents INDEXED BY owed WHERE line = ?1 AND attempt_at IS ?2 AND number = ?3",
                &[line, &row.attempt_at, number],
            )?;
        }
        if let Some(purge_at) = &row.purge_at {
            look(
                Self::Purge,
                "SELECT 1 FROM documents INDEXED BY purge WHERE purge_at = ?1 AND number = ?2",
                &[purge_at, number],
            )?;
        }
        if let Some(started_by) = &row.started_by {
            look(
                Self::Started,
                "SELECT 1 FROM documents INDEXED BY started \
                 WHERE started_by = ?1 AND started_at IS ?2 AND key = ?3 AND number = ?4",
                &[started_by, &row.started_at, &row.key, number],
            )?;
        }
        if let Some(open_until) = &row.open_until {
            look(
                Self::Open,
                "SELECT 1 FROM documents INDEXED BY open \
                 WHERE started_by IS ?1 AND open_until = ?2 AND number = ?3",
                &[&row.started_by, open_until, number],
            )?;
        }
        Ok(wrong)
    }
}

fn has(connection: &Connection, sql: &str, parameters: &[&dyn ToSql]) -> Result<bool, Fault> {
    let mut select = connection.prepare_cached(sql)?;
    match select.query_row(parameters, |_| Ok(())).optional() {
        Ok(found) => Ok(found.is_some()),
        Err(error) if is_damage(&error) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Returns whether the counts of open items agree with their index.
pub(super) fn are_counts_right(connection: &Connection) -> Result<bool, Fault> {
    let read = |sql| {
        read_index(connection, sql, &[], |row| {
            let started_by: Option<String> = row.get(0).ok()?;
            let n: i64 = row.get(1).ok()?;
            Some((started_by, n))
        })
    };
    let moment = connection.unchecked_transaction()?;
    let counts = read("SELECT started_by, n FROM open_counts WHERE n <> 0 ORDER BY started_by")?;
    let open = read(
        "SELECT started_by, count(*) FROM documents INDEXED BY open \
         WHERE open_until IS NOT NULL GROUP BY started_by ORDER BY started_by",
    )?;
    moment.finish()?;
    Ok(counts.is_some() && counts == open)
}
