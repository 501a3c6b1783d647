//! Changes that administrators made.

use std::fmt;

use countersign_domain::app::audit::{AuditEnd, AuditRecord};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A change that an administrator made or tried to make.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AuditView {
    /// In ISO 8601.
    pub(crate) at: String,
    pub(crate) by: String,
    pub(crate) action: String,
    pub(crate) app: Option<String>,
    /// The arguments of the command, without the app.
    pub(crate) details: Map<String, Value>,
    /// `done`, `refused`, `failed` or `unknown`.
    pub(crate) result: String,
    /// Why it was refused or failed.
    pub(crate) reason: Option<String>,
    /// The id of the key that was made.
    pub(crate) key_id: Option<String>,
}

impl AuditView {
    pub(crate) fn of(record: AuditRecord) -> Self {
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

impl fmt::Display for AuditView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}  {}  {}", self.at, self.by, self.action)?;
        if let Some(app) = &self.app {
            write!(f, " {app}")?;
        }
        for (name, value) in &self.details {
            write!(f, " {name}={value}")?;
        }
        write!(f, "  {}", self.result)?;
        if let Some(key) = &self.key_id {
            write!(f, ", key {key}")?;
        }
        match &self.reason {
            Some(reason) => write!(f, ": {reason}"),
            None => Ok(()),
        }
    }
}
