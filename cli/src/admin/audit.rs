//! The audit log of administrators' commands.

use clap::Args;
use countersign_api::Causes;
use countersign_domain::app::audit::{AuditEnd, AuditId, AuditRecord};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::unavailable::Unavailable;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::request::{Item, List, Offer, Request};
use super::{Admin, AdminError, aside};
use crate::schema::{Ours, Time};

/// The number of records, if the request does not say.
const LAST: usize = 50;

/// Lists what administrators and their assistants did, newest first: the arguments of `audit`.
#[derive(Clone, Debug, Args, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ListAudit {
    /// Show only records about this app
    #[arg(long)]
    #[schemars(with = "Option<String>")]
    app: Option<AppId>,
    /// Show only what this person did; part of the name is enough
    #[arg(long, value_name = "PERSON")]
    by: Option<String>,
    /// Show only this action, such as `issue_key`
    #[arg(long)]
    action: Option<String>,
    /// Show at most this many records, newest first
    #[arg(long, value_name = "COUNT", default_value_t = LAST)]
    #[serde(default = "last")]
    last: usize,
}

/// Records a change of an SMS provider's settings, which the command itself makes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ChangeProvider {
    pub(crate) provider: String,
    pub(crate) removed: bool,
}

const fn last() -> usize {
    LAST
}

/// A change that an administrator made or tried to make, or a reading by an assistant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Change {
    /// In ISO 8601.
    #[schemars(with = "Time")]
    at: String,
    by: String,
    #[schemars(with = "Ours")]
    action: String,
    #[schemars(with = "Option<Ours>")]
    app: Option<String>,
    /// The arguments of the command, except for the app.
    details: Map<String, Value>,
    /// `done`, `refused`, `failed` or `unknown`.
    #[schemars(with = "Ours")]
    result: String,
    /// Why the change was refused or failed.
    reason: Option<String>,
    /// The id of the new key.
    #[schemars(with = "Option<Ours>")]
    key_id: Option<String>,
}

impl From<AuditRecord> for Change {
    fn from(record: AuditRecord) -> Self {
        let (result, reason, key_id) = match record.end {
            Some(AuditEnd::Done { key }) => ("done", None, key),
            Some(AuditEnd::Refused(reason)) => ("refused", Some(reason), None),
            Some(AuditEnd::Failed(reason)) => ("failed", Some(reason), None),
            None => ("unknown", None, None),
        };
        Self {
            at: record.at.to_string(),
            by: record.by,
            action: record.action,
            app: record.app.map(|app| app.to_string()),
            details: record.details,
            result: result.to_owned(),
            reason,
            key_id,
        }
    }
}

impl Item for Change {
    const EMPTY: &'static str = "Nothing is recorded";
    const COLUMNS: &'static [&'static str] = &[
        "at", "by", "action", "app", "result", "keyId", "details", "reason",
    ];
}

impl Request for ListAudit {
    const NAME: &'static str = "list_audit";
    type Answer = List<Change>;

    fn at_most(self, items: usize) -> Self {
        let last = self.last.min(items);
        Self { last, ..self }
    }

    async fn execute(self, admin: &Admin) -> Result<List<Change>, AdminError> {
        let Self {
            app,
            by,
            action,
            last,
        } = self;
        let is_filtered = app.is_some() || by.is_some() || action.is_some();
        let limit = if is_filtered { usize::MAX } else { last };
        let (records, left_out) = admin.store.records(limit).await?;
        let items = aside(move || {
            let by = by.map(|by| by.to_lowercase());
            let wanted = |record: &AuditRecord| {
                (app.is_none() || record.app == app)
                    && action
                        .as_ref()
                        .is_none_or(|action| record.action == *action)
                    && by
                        .as_ref()
                        .is_none_or(|by| record.by.to_lowercase().contains(by))
            };
            let records = records.into_iter().filter(wanted);
            records.take(last).map(Change::from).collect()
        });
        let items = items.await?;
        Ok(List { items, left_out })
    }
}

impl Request for ChangeProvider {
    const NAME: &'static str = "change_provider";
    const CHANGES: bool = true;
    const OFFER: Offer = Offer::Never;
    type Answer = ();

    async fn execute(self, _: &Admin) -> Result<(), AdminError> {
        Ok(())
    }
}

impl Admin {
    /// Records a request before executing it, so that every change is on record.
    pub(super) async fn begin_record<R: Request>(
        &self,
        request: &R,
        by: String,
    ) -> Result<AuditId, AdminError> {
        let at = self.clock.now();
        let id = AuditId::generate(at, self.entropy.as_ref());
        let arguments = serde_json::to_value(request);
        let arguments = arguments.map_err(|error| Unavailable::new("audit", error))?;
        let mut details = Map::new();
        leaves(arguments, &mut details);
        let app = match details.remove("app") {
            Some(Value::String(app)) => app.parse().ok(),
            _ => request.app(self).await,
        };
        let record = AuditRecord {
            at,
            by,
            action: R::NAME.to_owned(),
            app,
            details,
            end: None,
        };
        self.store.record(id, record).await?;
        Ok(id)
    }

    /// Completes the record. If that fails, the record stays incomplete: the administrator must not lose
    /// the answer, which may be a new key.
    pub(super) async fn end_record(&self, id: AuditId, result: Result<Option<&str>, &AdminError>) {
        let end = match result {
            Ok(new_key) => AuditEnd::Done {
                key: new_key.map(str::to_owned),
            },
            Err(error) if error.is_ours() => AuditEnd::Failed(Causes(error).to_string()),
            Err(error) => AuditEnd::Refused(Causes(error).to_string()),
        };
        if let Err(error) = self.store.complete_record(id, end).await {
            tracing::warn!(cause = %Causes(&error), "the record of a command has no end");
        }
    }
}

/// Collects the arguments that were given. Argument names are unique on a command line, so the names of
/// groups are omitted.
fn leaves(value: Value, into: &mut Map<String, Value>) {
    let Value::Object(members) = value else {
        return;
    };
    for (name, value) in members {
        match value {
            // The values before a change, and not part of it.
            _ if name == "seen" => {}
            Value::Object(_) => leaves(value, into),
            Value::Null | Value::Bool(false) => {}
            Value::Array(items) if items.is_empty() => {}
            // The signature proves possession only at the time of the request, so it is not
            // recorded.
            _ if name == "signature" => {}
            // There may be thousands, and each redacted confirmation already records the time.
            Value::Array(items) if name == "redactions" => {
                into.insert(name, items.len().into());
            }
            _ => {
                into.insert(name, value);
            }
        }
    }
}
