//! Looking at every document of a store or a backup.

use std::collections::BTreeMap;

use countersign_domain::app::api_key::ApiKeyRecord;
use countersign_domain::store::Document;
use countersign_system::private_files::PrivateDirectory;
use rusqlite::Connection;

use super::row::StoredRow;
use super::upkeep::{is_damage, quick_check};
use super::{OpenError, STORE_FILE, schema};

/// The most damaged documents that a report names.
const MAX_NAMED: usize = 20;

/// A summary of the documents of a store or a backup.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    /// Number of documents by kind, including the damaged ones.
    pub documents: BTreeMap<&'static str, u64>,
    /// Number of damaged documents.
    pub damaged: u64,
    /// The first damaged documents, by key and cause.
    pub named: Vec<String>,
    /// Number of webhooks that are owed.
    pub owed_webhooks: u64,
    /// Number of active API keys.
    pub active_keys: u64,
}

/// Findings of a check.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Summary of the documents.
    pub inventory: Inventory,
    /// Number of documents whose columns contradict them: the queue or a purge may never find them.
    pub misplaced: u64,
    /// True if SQLite finds the file's structure damaged.
    pub is_damaged: bool,
}

impl Findings {
    /// Returns whether nothing is wrong.
    #[must_use]
    pub const fn is_sound(&self) -> bool {
        self.inventory.damaged == 0 && self.misplaced == 0 && !self.is_damaged
    }

    /// Looks at the store in a directory, without changing it. The caller holds the directory's lock.
    ///
    /// # Errors
    /// Fails if the store cannot be opened. Damage is a finding and no error.
    pub fn of_store(
        directory: &PrivateDirectory,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Self, OpenError> {
        schema::must_exist(directory)?;
        let connection = schema::open(&directory.path().join(STORE_FILE))?;
        match schema::known(&connection, directory) {
            Err(OpenError::Sqlite(error)) if is_damage(&error) => Ok(Self {
                is_damaged: true,
                ..Self::default()
            }),
            Err(error) => Err(error),
            Ok(()) => Self::of(&connection, progress),
        }
    }

    /// Looks at all documents. `progress` gets the number of those that were looked at.
    pub(super) fn of(
        connection: &Connection,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Self, OpenError> {
        let mut findings = Self {
            is_damaged: !quick_check(connection)? || !integrity_check(connection)?,
            ..Self::default()
        };
        let mut looked_at = 0;
        let visited = visit(connection, &mut |stored| {
            match stored.read() {
                Ok((row, document)) => {
                    findings.inventory.count(&document);
                    findings.misplaced += u64::from(row != stored.row);
                }
                Err(cause) => findings.inventory.add_damage(&stored.row.key, &cause),
            }
            looked_at += 1;
            progress(looked_at);
            Ok(())
        });
        match visited {
            Err(OpenError::Sqlite(error)) if is_damage(&error) => findings.is_damaged = true,
            visited => visited?,
        }
        Ok(findings)
    }
}

/// Puts the columns of every document right, and builds the indexes again. The caller holds the
/// directory's lock.
///
/// # Errors
/// Fails if the store cannot be read or written.
pub fn repair(directory: &PrivateDirectory) -> Result<(), OpenError> {
    let mut connection = schema::open(&directory.path().join(STORE_FILE))?;
    let transaction = connection.transaction()?;
    let mut right = Vec::new();
    visit(&transaction, &mut |stored| {
        if let Ok((row, _)) = stored.read()
            && row != stored.row
        {
            right.push(row);
        }
        Ok(())
    })?;
    for row in right {
        transaction.execute("DELETE FROM documents WHERE key = ?1", [&row.key])?;
        row.insert(&transaction)?;
    }
    transaction.execute_batch("REINDEX")?;
    transaction.commit()?;
    Ok(())
}

impl Inventory {
    pub(super) fn count(&mut self, document: &Document) {
        *self.documents.entry(name_of(document)).or_default() += 1;
        self.owed_webhooks += u64::from(document.next_attempt().is_some());
        if let Document::App(app) = document {
            let active = app.keys.iter().filter(|key| ApiKeyRecord::is_active(key));
            self.active_keys += active.count() as u64;
        }
    }

    pub(super) fn add_damage(&mut self, key: &str, cause: &str) {
        self.damaged += 1;
        if self.named.len() < MAX_NAMED {
            self.named.push(format!("{}: {cause}", key.escape_debug()));
        }
    }
}

fn name_of(document: &Document) -> &'static str {
    match document {
        Document::Confirmation(_) => "confirmations",
        Document::Login(_) => "logins",
        Document::App(_) => "apps",
        Document::ApiKey(_) => "API keys",
        Document::Profile(_) => "profiles",
        Document::AssociationKey(_) => "association keys",
        Document::OwnerKeys(_) => "owners of association keys",
        Document::KeyCount(_) => "counts of association keys",
        Document::Person(_) => "login histories",
        Document::Denials(_) => "denials",
        Document::Nonce(_) => "nonces",
        Document::Text(_) => "parts of texts",
        Document::Audit(_) => "audit records",
    }
}

/// Visits every row.
pub(super) fn visit(
    connection: &Connection,
    visitor: &mut dyn FnMut(&StoredRow) -> Result<(), OpenError>,
) -> Result<(), OpenError> {
    let mut select = connection.prepare(StoredRow::SELECT_ALL)?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let (stored, _) = StoredRow::of(row)?;
        visitor(&stored)?;
    }
    Ok(())
}

fn integrity_check(connection: &Connection) -> Result<bool, rusqlite::Error> {
    let found = connection.query_row("PRAGMA integrity_check(1)", [], |row| {
        row.get::<_, String>(0)
    });
    match found {
        Ok(found) => Ok(found == "ok"),
        Err(error) if is_damage(&error) => Ok(false),
        Err(error) => Err(error),
    }
}
