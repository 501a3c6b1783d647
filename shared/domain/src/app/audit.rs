//! The audit log of administrators' commands.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::primitives::entropy::Entropy;
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;

/// Retention of a record: a year and a day.
const RETENTION: Duration = Duration::from_hours(366 * 24);

/// The id of a record. Ids are ordered by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AuditId {
    pub at: Timestamp,
    /// Distinguishes records of the same millisecond.
    pub nonce: [u8; 8],
}

impl AuditId {
    #[must_use]
    pub fn generate(at: Timestamp, entropy: &dyn Entropy) -> Self {
        let mut nonce = [0; 8];
        entropy.fill(&mut nonce);
        Self { at, nonce }
    }
}

/// An administrator's command. The record is written before the change is made, and completed once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditRecord {
    pub at: Timestamp,
    /// The administrator: the ARN on AWS, the user of the operating system on one machine.
    pub by: String,
    /// The name of the command, such as `update_app`.
    pub action: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app: Option<AppId>,
    /// The arguments of the command, without the app. Contains no secrets.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub details: Map<String, Value>,
    /// `None` if the command was interrupted or is still running: it may have changed something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<AuditEnd>,
}

/// The outcome of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuditEnd {
    Done {
        /// The id of the key that was created.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<String>,
    },
    /// The command changed nothing, for this reason.
    Refused(String),
    /// The command failed for this reason, and may have changed something.
    Failed(String),
}

impl AuditRecord {
    pub(crate) fn forgotten_at(&self) -> Timestamp {
        self.at.plus(RETENTION)
    }
}
