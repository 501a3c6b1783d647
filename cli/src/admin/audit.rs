//! The record of what administrators did.

use countersign_api::Causes;
use countersign_domain::app::audit::{AuditEnd, AuditId, AuditRecord};
use countersign_domain::primitives::unavailable::Unavailable;
use serde_json::{Map, Value};

use super::answer::{AdminAnswer, AuditView, ListView};
use super::command::{AuditQuery, Command};
use super::{Admin, AdminError, aside};

impl Admin {
    /// Records a command before it is carried out, so that nothing changes without a record.
    pub(super) async fn begin_record(
        &self,
        command: &Command,
        by: String,
    ) -> Result<AuditId, AdminError> {
        let at = self.clock.now();
        let id = AuditId::generate(at, self.entropy.as_ref());
        let command = serde_json::to_value(command);
        let command = command.map_err(|error| Unavailable::new("audit", error))?;
        let mut details = Map::new();
        leaves(command, &mut details);
        let mut take = |name| match details.remove(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let record = AuditRecord {
            at,
            by,
            action: take("command").unwrap_or_default(),
            app: take("app").and_then(|app| app.parse().ok()),
            details,
            end: None,
        };
        self.store.record(id, record).await?;
        Ok(id)
    }

    /// Completes the record. Where that fails, the record stays without an end: the administrator must not
    /// lose the answer, which may be a new key.
    pub(super) async fn end_record(&self, id: AuditId, result: &Result<AdminAnswer, AdminError>) {
        let end = match result {
            Ok(answer) => AuditEnd::Done {
                key: new_key(answer).map(str::to_owned),
            },
            Err(error) if error.is_ours() => AuditEnd::Failed(Causes(error).to_string()),
            Err(error) => AuditEnd::Refused(Causes(error).to_string()),
        };
        if let Err(error) = self.store.complete_record(id, end).await {
            tracing::warn!(cause = %Causes(&error), "the record of a command has no end");
        }
    }

    pub(super) async fn list_audit(&self, query: &AuditQuery) -> Result<AdminAnswer, AdminError> {
        let limit = match query.app {
            Some(_) => usize::MAX,
            None => query.last,
        };
        let (records, left_out) = self.store.records(limit).await?;
        let (app, last) = (query.app.clone(), query.last);
        let views = aside(move || {
            let wanted = |record: &AuditRecord| app.is_none() || record.app == app;
            let records = records.into_iter().filter(wanted);
            records.take(last).map(AuditView::of).collect()
        });
        let views = views.await?;
        Ok(AdminAnswer::Audit(ListView { views, left_out }))
    }
}

/// Returns the id of the key that a command made.
fn new_key(answer: &AdminAnswer) -> Option<&str> {
    match answer {
        AdminAnswer::NewApp(new) => Some(&new.key.key_id),
        AdminAnswer::NewKey(new) => Some(&new.key_id),
        AdminAnswer::AssociationKey(key) => Some(&key.key_id),
        AdminAnswer::SigningKeys(keys) => Some(&keys.first()?.key_id),
        _ => None,
    }
}

/// Collects the arguments that were given. Their names are unique on a command line, so groups are left
/// out.
fn leaves(value: Value, into: &mut Map<String, Value>) {
    let Value::Object(members) = value else {
        return;
    };
    for (name, value) in members {
        match value {
            Value::Object(_) => leaves(value, into),
            Value::Null | Value::Bool(false) => {}
            Value::Array(items) if items.is_empty() => {}
            // It proves possession at the time, and says nothing later.
            _ if name == "signature" => {}
            // There may be thousands, and each confirmation says when it was redacted.
            Value::Array(items) if name == "redactions" => {
                into.insert(name, items.len().into());
            }
            _ => {
                into.insert(name, value);
            }
        }
    }
}
