//! The companion files of the store. The store records the names of these files, so that at startup a missing
//! file is not mistaken for one that never existed.

use std::collections::BTreeSet;

use countersign_domain::primitives::unavailable::Unavailable;
use rusqlite::Connection;

use super::{Fault, NewStore, OpenError, SqliteItems, unavailable};

/// Prefix of the names of these entries in the table `meta`.
const PREFIX: &str = "file:";

impl SqliteItems {
    /// Returns the names of the companion files; empty if the store's first startup was not completed, or if the
    /// names are damaged.
    ///
    /// # Errors
    /// Fails if the store cannot be read.
    pub fn companions(&self) -> Result<BTreeSet<String>, Unavailable> {
        match self.read(read) {
            Err(fault) if fault.is_damage() => {
                self.soundness.note(&fault, None);
                Ok(BTreeSet::new())
            }
            read => read.map_err(unavailable("store: companions")),
        }
    }

    /// Records that a file belongs to the store.
    ///
    /// # Errors
    /// Fails if the store cannot be written.
    pub async fn remember_companion(&self, name: &'static str) -> Result<(), Unavailable> {
        self.write("store: companions", None, move |transaction| {
            Ok(remember(transaction, name)?)
        })
        .await
    }
}

impl NewStore {
    /// Records that a file belongs to the restored store.
    ///
    /// # Errors
    /// Fails if the new store cannot be written.
    pub fn remember_companion(&self, name: &str) -> Result<(), OpenError> {
        Ok(remember(self.connection(), name)?)
    }
}

fn remember(connection: &Connection, name: &str) -> Result<(), rusqlite::Error> {
    connection
        .prepare_cached("INSERT OR IGNORE INTO meta VALUES (?1, 1)")?
        .execute([format!("{PREFIX}{name}")])?;
    Ok(())
}

fn read(connection: &Connection) -> Result<BTreeSet<String>, Fault> {
    let mut select = connection.prepare_cached("SELECT name FROM meta WHERE name LIKE 'file:%'")?;
    let names = select.query_map([], |row| row.get::<_, String>(0))?;
    let names = names.collect::<Result<Vec<_>, _>>()?.into_iter();
    Ok(names
        .filter_map(|name| Some(name.strip_prefix(PREFIX)?.to_owned()))
        .collect())
}
