//! Registrations that set up phones without an app.

use std::fmt;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::time::optional;
use super::words::{AssociationKeyKind, PhoneRegistrationFailure, PhoneRegistrationState};

/// A request to set up a phone of a user who is logged in.
#[derive(Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CreatePhoneRegistration {
    /// The app's own id of the user.
    pub public_user_id: String,
    /// The account's name as the user knows it, which the phone shows in place of the id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Members that this version does not know, by their API names.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

impl CreatePhoneRegistration {
    /// Creates a request for a phone of this user.
    #[must_use]
    pub fn new(public_user_id: impl Into<String>) -> Self {
        Self {
            public_user_id: public_user_id.into(),
            ..Self::default()
        }
    }

    /// Sets the account's name as the user knows it.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }
}

impl fmt::Debug for CreatePhoneRegistration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CreatePhoneRegistration")
    }
}

/// A new registration, for the user's page. `Debug` hides link and token, which set a phone up.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct NewPhoneRegistration {
    /// The id of the registration.
    pub registration_id: String,
    /// The link for the phone. Only the first phone can open it.
    pub url: String,
    /// The token with which the page watches the registration and sends the digits.
    pub page_token: String,
    /// Time at which the registration expires.
    #[serde(with = "optional")]
    pub expires_at: Option<SystemTime>,
    /// Remaining time in seconds.
    pub expires_in: u64,
    /// The service's time.
    #[serde(with = "optional")]
    pub server_time: Option<SystemTime>,
}

impl fmt::Debug for NewPhoneRegistration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewPhoneRegistration")
            .field("registration_id", &self.registration_id)
            .field("expires_at", &self.expires_at)
            .finish_non_exhaustive()
    }
}

/// A registration as the app's server sees it. `Debug` hides the user.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct PhoneRegistration {
    /// The registration's state.
    pub state: PhoneRegistrationState,
    /// Why it failed; absent unless it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<PhoneRegistrationFailure>,
    /// The user whose phone is set up.
    pub public_user_id: String,
    /// The account's name, if you gave one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The phone that opened the link; absent until one has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<PhoneDevice>,
    /// The id of the registered key; absent until the registration is completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_id: Option<String>,
    /// Where the private half of that key is. Present together with `key_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<AssociationKeyKind>,
    /// Time at which the registration expires, or would have.
    #[serde(with = "optional")]
    pub expires_at: Option<SystemTime>,
    /// Remaining time in seconds.
    pub expires_in: u64,
    /// The service's time.
    #[serde(with = "optional")]
    pub server_time: Option<SystemTime>,
}

impl fmt::Debug for PhoneRegistration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PhoneRegistration")
            .field("state", &self.state)
            .field("failure", &self.failure)
            .field("key_id", &self.key_id)
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

/// A phone as its request described it. It proves nothing: it helps the user to recognize the phone.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct PhoneDevice {
    /// The browser and its system.
    pub browser: String,
    /// Where its address is; absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// The source to credit where you show the location; absent if its license requires none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribution: Option<PhoneDeviceAttribution>,
}

/// The source of a location.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct PhoneDeviceAttribution {
    /// The words to show.
    pub text: String,
    /// The URL that the words link to.
    pub url: String,
}
