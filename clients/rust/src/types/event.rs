//! Webhook bodies.

use std::fmt;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::time::optional;
use super::words::{
    AssociationKeyKind, LoginDenyReason, LoginResult, ResultChannel, ResultNumberType,
};

/// A verified number. `Debug` hides number and metadata.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct VerifiedNumber {
    /// The id of the confirmation. Accept only an id that you stored, and only once.
    pub confirmation_id: String,
    /// The user's number, in E.164.
    pub phone_number: String,
    /// The user's carrier; empty if unknown.
    pub carrier: String,
    /// The metadata that you sent.
    pub metadata: Map<String, Value>,
    /// Time at which the text was received.
    #[serde(with = "optional")]
    pub timestamp: Option<SystemTime>,
    /// The channel through which the text arrived. Absent unless the app enables details in
    /// webhooks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<ResultChannel>,
    /// The type of the number. Absent unless the app enables details in webhooks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number_type: Option<ResultNumberType>,
    /// The provider that delivered the text. Absent unless the app enables details in webhooks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Whether the confirmation was started with a test key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<bool>,
}

impl fmt::Debug for VerifiedNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VerifiedNumber")
            .field("confirmation_id", &self.confirmation_id)
            .field("timestamp", &self.timestamp)
            .finish_non_exhaustive()
    }
}

/// A decided login. Never log a user in because of this webhook. `Debug` hides payload and users.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct LoginWebhook {
    /// The id of the login. Accept each id only once.
    pub session_id: String,
    /// The decision.
    pub result: LoginResult,
    /// Why the phone itself refused; absent if the user decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<LoginDenyReason>,
    /// The payload that the phone sent. Absent if it was encrypted for the browser.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<String>,
    /// The user id that the phone sent, unverified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_public_user_id: Option<String>,
    /// The owner of the registered key that proved the confirmation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified_public_user_id: Option<String>,
    /// Time of the decision.
    #[serde(with = "optional")]
    pub timestamp: Option<SystemTime>,
    /// Whether the login was opened with a test key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<bool>,
}

impl fmt::Debug for LoginWebhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoginWebhook")
            .field("session_id", &self.session_id)
            .field("result", &self.result)
            .field("timestamp", &self.timestamp)
            .finish_non_exhaustive()
    }
}

/// A phone without an app that was set up. Its key is registered already. `Debug` hides the user.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct PhoneRegistered {
    /// The id of the registration. Accept only an id that you created, and only once.
    pub registration_id: String,
    /// The user whose phone it is.
    pub public_user_id: String,
    /// The id of the phone's key.
    pub key_id: String,
    /// Where the private half of the key is.
    pub kind: AssociationKeyKind,
    /// The phone's name: its browser and system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Time at which the key was registered.
    #[serde(with = "optional")]
    pub timestamp: Option<SystemTime>,
    /// Whether the registration was created with a test key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<bool>,
}

impl fmt::Debug for PhoneRegistered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PhoneRegistered")
            .field("registration_id", &self.registration_id)
            .field("key_id", &self.key_id)
            .field("kind", &self.kind)
            .field("timestamp", &self.timestamp)
            .finish_non_exhaustive()
    }
}
