//! Started approvals.

use std::fmt;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::time_member;
use crate::error::Error;
use crate::request::{Members, text_member};

/// A started approval.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Approval {
    /// The approval's id, for your own record.
    pub id: String,
    /// The data for the page.
    pub session: ApprovalSession,
    /// Remaining time in seconds. Count down from this value: a clock may be wrong.
    pub expires_in: u64,
    /// Time at which the approval expires.
    pub expires_at: SystemTime,
}

/// JSON for the page, to use as the attribute or property `session` of `<countersign-login>`.
///
/// The token allows the page to show and watch the approval, but not to redeem or cancel it.
/// `Debug` hides the token.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ApprovalSession {
    /// The approval's id.
    pub session_id: String,
    /// The link to show as a QR code.
    pub url: String,
    /// The token with which the page watches the approval.
    pub token: String,
    /// The WebSocket that announces changes.
    pub socket_url: String,
    /// Time at which the approval expires: UTC, ISO 8601 with milliseconds.
    pub expires_at: String,
    /// Remaining time in seconds.
    pub expires_in: u64,
    /// The service's time: UTC, ISO 8601 with milliseconds.
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

/// Returns a required number of seconds from an answer.
pub(super) fn seconds(answer: &Members, name: &str) -> Result<u64, Error> {
    answer
        .get(name)
        .and_then(Value::as_u64)
        .ok_or_else(|| Error::lacking(name))
}
