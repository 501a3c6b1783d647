//! Approvals that have started.

use std::fmt;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::time_member;
use crate::error::Error;
use crate::request::{Members, text_member};

/// An approval that has started.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Approval {
    /// For your own record.
    pub id: String,
    /// For the page.
    pub session: ApprovalSession,
    /// The seconds that are left. Count down from them: a clock may be wrong.
    pub expires_in: u64,
    /// When it expires.
    pub expires_at: SystemTime,
}

/// JSON for the page: for the attribute or property `session` of `<countersign-login>`.
///
/// Its token shows and watches the approval. It can neither redeem nor cancel it. `Debug` hides it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ApprovalSession {
    /// The approval's id.
    pub session_id: String,
    /// The link to show as a QR code.
    pub url: String,
    /// Watches the approval.
    pub token: String,
    /// The WebSocket that announces changes.
    pub socket_url: String,
    /// When it expires. UTC, ISO 8601 with milliseconds.
    pub expires_at: String,
    /// The seconds until then.
    pub expires_in: u64,
    /// The service's time. UTC, ISO 8601 with milliseconds.
    pub server_time: String,
    /// Whether the page has to ask for the digits that the phone shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check_code_required: Option<bool>,
}

impl fmt::Debug for ApprovalSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApprovalSession")
            .field("session_id", &self.session_id)
            .finish_non_exhaustive()
    }
}

impl Approval {
    pub(super) fn read(id: String, token: String, answer: &Members) -> Result<Self, Error> {
        let text = |name: &str| text_member(answer, name).map(str::to_owned);
        let expires_at = time_member(answer, "expiresAt")?;
        let is_required = answer.get("checkCodeRequired") == Some(&Value::Bool(true));
        let session = ApprovalSession {
            session_id: id.clone(),
            url: text("url")?,
            token,
            socket_url: text("socketUrl")?,
            expires_at: text("expiresAt")?,
            expires_in: seconds(answer, "expiresIn")?,
            server_time: text("serverTime")?,
            check_code_required: is_required.then_some(true),
        };
        Ok(Self {
            id,
            expires_in: session.expires_in,
            session,
            expires_at,
        })
    }
}

/// Returns a member that has to be a number of seconds.
pub(super) fn seconds(answer: &Members, name: &str) -> Result<u64, Error> {
    answer
        .get(name)
        .and_then(Value::as_u64)
        .ok_or_else(|| Error::lacking(name))
}
