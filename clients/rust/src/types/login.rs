//! Logins by QR code or app link.

use std::fmt;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::time::optional;
use super::words::LoginState;

/// A request that creates a login on behalf of the browser.
#[derive(Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CreateLogin {
    /// The origin that the phone shows; it must be in the app's list.
    pub origin: String,
    /// The key with which to encrypt the payload: a P-256 point in base64url.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub browser_public_key: Option<String>,
    /// The text that the user approves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// The user who must decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub public_user_id: Option<String>,
    /// The page's URL, if the user may open the link on the same phone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub return_url: Option<String>,
    /// Members that this version does not know, by their API names.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

impl CreateLogin {
    /// Creates a request for a page's origin.
    #[must_use]
    pub fn new(origin: impl Into<String>) -> Self {
        Self {
            origin: origin.into(),
            ..Self::default()
        }
    }

    /// Sets the browser's key: an uncompressed P-256 point in base64url.
    #[must_use]
    pub fn browser_public_key(mut self, key: impl Into<String>) -> Self {
        self.browser_public_key = Some(key.into());
        self
    }

    /// Sets the text that the user approves.
    #[must_use]
    pub fn context(mut self, context: impl Into<String>) -> Self {
        self.context = Some(context.into());
        self
    }

    /// Sets the user who must decide.
    #[must_use]
    pub fn public_user_id(mut self, user: impl Into<String>) -> Self {
        self.public_user_id = Some(user.into());
        self
    }

    /// Sets the page's URL, if the user may open the link on the same phone.
    #[must_use]
    pub fn return_url(mut self, url: impl Into<String>) -> Self {
        self.return_url = Some(url.into());
        self
    }
}

/// A created login.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct NewLogin {
    /// The id of the login. Compare it with the id that you compute.
    pub session_id: String,
    /// The link to show as a QR code.
    pub url: String,
    /// The WebSocket that announces changes.
    pub socket_url: String,
    /// Whether redeeming the payload requires the digits that the phone shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check_code_required: Option<bool>,
    /// Time until which the code can be scanned.
    #[serde(with = "optional")]
    pub expires_at: Option<SystemTime>,
    /// Remaining time in seconds. Count down from this value: a clock may be wrong.
    pub expires_in: u64,
    /// The service's time.
    #[serde(with = "optional")]
    pub server_time: Option<SystemTime>,
    /// Whether the login was opened with a test key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<bool>,
}

/// A login as the app's server sees it. Nothing in it logs a user in. `Debug` hides users, proof and texts.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct InspectedLogin {
    /// The login's id.
    pub session_id: String,
    /// The login's status.
    pub state: LoginState,
    /// The page's origin.
    pub origin: String,
    /// The text that the user approves.
    pub context: Option<String>,
    /// The user who must decide, according to the app's server.
    pub expected_public_user_id: Option<String>,
    /// The user id that the phone sent, unverified.
    pub claimed_public_user_id: Option<String>,
    /// The user whose registered key signed the proof, as verified by the service.
    pub verified_public_user_id: Option<String>,
    /// The browser's key, in base64url.
    pub browser_public_key: Option<String>,
    /// True if the digits that the phone shows are required before the login is consumed.
    pub check_code_required: bool,
    /// The proof sent with the confirmation. Verify it before relying on it.
    pub proof: Option<String>,
    /// The claim `pay` of the proof, not verified.
    pub pay: Option<String>,
    /// The payload that the phone sent with its denial.
    pub denial_payload: Option<String>,
    /// Why the phone itself denied the login.
    pub denial_reason: Option<String>,
    /// Time at which the login was opened.
    #[serde(with = "optional")]
    pub created_at: Option<SystemTime>,
    /// Time at which a phone opened the code.
    #[serde(with = "optional")]
    pub scanned_at: Option<SystemTime>,
    /// Time at which the user confirmed.
    #[serde(with = "optional")]
    pub confirmed_at: Option<SystemTime>,
    /// Time at which the login expires; for an ended login, when it ended.
    #[serde(with = "optional")]
    pub expires_at: Option<SystemTime>,
    /// Remaining time in seconds.
    pub expires_in: u64,
    /// The service's time.
    #[serde(with = "optional")]
    pub server_time: Option<SystemTime>,
    /// Whether the login was opened with a test key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<bool>,
}

impl fmt::Debug for InspectedLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InspectedLogin")
            .field("session_id", &self.session_id)
            .field("state", &self.state)
            .field("origin", &self.origin)
            .finish_non_exhaustive()
    }
}

/// A page of logins.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct LoginPage {
    /// The logins, newest first.
    pub logins: Vec<InspectedLogin>,
    /// The cursor of the next page; absent on the last page.
    pub next_cursor: Option<String>,
}
