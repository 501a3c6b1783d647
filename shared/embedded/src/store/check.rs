//! Checking every document in a store or a backup.

use std::collections::BTreeMap;

use countersign_domain::app::api_key::ApiKeyRecord;
use countersign_domain::store::Document;
use countersign_system::private_files::PrivateDirectory;
use rusqlite::Connection;

use super::fault::is_damage;
use super::row::Row;
use super::survey::{SurveyDepth, Surveyed, survey};
use super::{OpenError, schema};

/// A summary of the documents of a store or a backup.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    /// Number of undamaged documents by kind.
    pub documents: BTreeMap<&'static str, u64>,
    /// The damaged documents, by key and cause.
    pub damaged: Vec<String>,
    /// Number of pending webhooks.
    pub owed_webhooks: u64,
    /// Number of active API keys.
    pub active_keys: u64,
}

/// Findings of a check.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Summary of the documents.
    pub inventory: Inventory,
    /// The keys of documents whose columns do not match them: a list, the queue or a purge may miss these
    /// documents.
    pub misplaced: Vec<String>,
    /// True if SQLite finds the file's structure or an index damaged.
    pub is_damaged: bool,
}

impl Findings {
    /// Returns whether no problems were found.
    #[must_use]
    pub const fn is_sound(&self) -> bool {
        self.inventory.damaged.is_empty() && self.misplaced.is_empty() && !self.is_damaged
    }

    /// Checks the store in a directory without changing it. The caller must hold the directory's
    /// lock.
    ///
    /// # Errors
    /// Fails if the store cannot be opened. Damage is reported as a finding, not as an error.
    pub fn of_store(
        directory: &PrivateDirectory,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Self, OpenError> {
        schema::must_exist(directory)?;
        let connection = schema::open_to_read(directory)?;
        match schema::known(&connection, directory) {
            Err(OpenError::Definitions) => Ok(Self::damaged()),
            Err(OpenError::Sqlite(error)) if is_damage(&error) => Ok(Self::damaged()),
            Err(error) => Err(error),
            Ok(()) => Self::collect(&connection, progress),
        }
    }

    fn damaged() -> Self {
        Self {
            is_damaged: true,
            ..Self::default()
        }
    }

    /// Checks all documents. `progress` receives the number of documents checked so far.
    pub(super) fn collect(
        connection: &Connection,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Self, OpenError> {
        let mut findings = Self {
            is_damaged: !integrity_check(connection)?,
            ..Self::default()
        };
        let mut looked_at = 0;
        survey(connection, SurveyDepth::Documents, &mut |surveyed| {
            match surveyed {
                Surveyed::Gap => findings.is_damaged = true,
                Surveyed::Damaged(lost) => findings.inventory.damaged.push(lost.name()),
                Surveyed::Whole {
                    row,
                    document,
                    is_misplaced,
                } => {
                    findings.inventory.count(&row, document.as_deref());
                    if is_misplaced {
                        findings.misplaced.push(row.key);
                    }
                }
            }
            looked_at += 1;
            progress(looked_at);
            Ok::<_, OpenError>(())
        })?;
        Ok(findings)
    }
}

impl Inventory {
    pub(super) fn count(&mut self, row: &Row, document: Option<&Document>) {
        self.owed_webhooks += u64::from(row.line.is_some());
        let Some(document) = document else {
            return;
        };
        *self.documents.entry(name_of(document)).or_default() += 1;
        if let Document::App(app) = document {
            let active = app.keys.iter().filter(|key| ApiKeyRecord::is_active(key));
            self.active_keys += active.count() as u64;
        }
    }
}

fn name_of(document: &Document) -> &'static str {
    match document {
        Document::Confirmation(_) => "confirmations",
        Document::Login(_) => "logins",
        Document::App(_) => "apps",
        Document::ApiKey(_) => "API keys",
        Document::KeyUse(_) => "last uses of API keys",
        Document::Candidates(_) => "app keys and link hosts",
        Document::Profile(_) => "profiles",
        Document::AssociationKey(_) => "association keys",
        Document::OwnerKeys(_) => "owners of association keys",
        Document::KeyCount(_) => "counts of association keys",
        Document::TestKeys(_) => "association keys of tests",
        Document::PhoneRegistration(_) => "phone registrations",
        Document::OwnerRegistrations(_) => "owners of phone registrations",
        Document::Person(_) => "login histories",
        Document::Denials(_) => "denials",
        Document::Nonce(_) => "nonces",
        Document::Text(_) => "parts of texts",
        Document::Audit(_) => "audit records",
        Document::Grant(_) => "grants of the OpenID provider",
        Document::Subject(_) => "subjects of phone numbers",
    }
}

/// Returns whether SQLite finds the file's structure, the types of its columns and its indexes sound.
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
