//! What an operator sees of the whole system: its version, its store and its backups.

use clap::Args;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_system::private_files::PrivateFileError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::request::{Answer, Request};
use super::{Admin, AdminError, Host, aside};
use crate::backup::record;
use crate::schema::{Ours, Time};

/// Shows the version and start of the server, the size and check of the store, and the latest backups.
#[derive(Clone, Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShowSystem {}

/// The facts about a system.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SystemFacts {
    /// The version of the running server, or of this command.
    #[schemars(with = "Ours")]
    version: String,
    /// UTC, ISO 8601 with milliseconds; `None` if no server is running.
    #[schemars(with = "Option<Time>")]
    started_at: Option<String>,
    /// The URL that API callers use; `None` if it is unknown.
    #[schemars(with = "Option<Ours>")]
    url: Option<String>,
    /// `None` for a table.
    store: Option<StoreFacts>,
    /// The latest backups that `countersign backup` wrote on this machine, newest first; `None` for a table.
    backups: Option<Vec<SeenBackup>>,
    /// `None` for a data directory.
    table: Option<TableFacts>,
}

/// The store of one machine.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoreFacts {
    /// The size of the file and its log.
    bytes: u64,
    /// Time at which the check after the start ended; `None` if it has not.
    #[schemars(with = "Option<Time>")]
    checked_at: Option<String>,
    /// Number of damaged documents and other damaged places that were found.
    damaged: usize,
    /// Why the server refuses to write.
    #[schemars(with = "Option<Ours>")]
    refuses_writes: Option<String>,
}

/// A recorded backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SeenBackup {
    #[schemars(with = "Time")]
    at: String,
    /// The path of the file when it was written.
    #[schemars(with = "Ours")]
    name: String,
    bytes: u64,
    /// The number of damaged documents that it lacks.
    lacks: usize,
}

/// A deployment's table.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TableFacts {
    #[schemars(with = "Ours")]
    pub(crate) name: String,
    #[schemars(with = "Option<Ours>")]
    pub(crate) region: Option<String>,
}

impl Answer for SystemFacts {}

impl Request for ShowSystem {
    const NAME: &'static str = "show_system";
    type Answer = SystemFacts;

    async fn execute(self, admin: &Admin) -> Result<SystemFacts, AdminError> {
        let server = admin.running.as_ref().map(|running| &running.server);
        let facts = SystemFacts {
            version: server
                .map_or(env!("CARGO_PKG_VERSION"), |server| &server.version)
                .to_owned(),
            started_at: server.map(|server| server.started_at.clone()),
            url: server.map(|server| server.url.clone()),
            store: None,
            backups: None,
            table: None,
        };
        match &admin.host {
            Host::Machine(items) => {
                let condition = items.condition();
                let store = StoreFacts {
                    bytes: condition.bytes,
                    checked_at: condition.checked_at.map(|at| at.to_string()),
                    damaged: condition.damaged,
                    refuses_writes: items.refusal().map(|refusal| refusal.cause),
                };
                Ok(SystemFacts {
                    store: Some(store),
                    backups: Some(admin.backups().await?),
                    ..facts
                })
            }
            Host::Table(table) => Ok(SystemFacts {
                table: Some(table.facts()),
                ..facts
            }),
        }
    }
}

impl Admin {
    /// Returns the recorded backups, newest first; none for a table.
    async fn backups(&self) -> Result<Vec<SeenBackup>, AdminError> {
        let records = self.backup_records().await?.into_iter();
        let seen = records.map(|record| SeenBackup {
            at: record.at.to_string(),
            name: record.name.display().to_string(),
            bytes: record.bytes,
            lacks: record.lacks,
        });
        Ok(seen.collect())
    }

    pub(super) async fn backup_records(&self) -> Result<Vec<record::BackupRecord>, AdminError> {
        let Host::Machine(items) = &self.host else {
            return Ok(Vec::new());
        };
        let directory = items.directory().clone();
        let failed = |cause: PrivateFileError| Unavailable::new("backups", cause);
        Ok(aside(move || record::read(&directory))
            .await?
            .map_err(failed)?)
    }
}
