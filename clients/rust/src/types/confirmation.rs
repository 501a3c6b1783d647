//! Confirmations of phone numbers.

use std::fmt;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::delivery::Delivery;
use super::time::optional;
use super::words::{
    ConfirmationFlow, ConfirmationStatus, LastMissReason, ResultChannel, ResultNumberType,
};

/// A request for a confirmation that determines the number.
#[derive(Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AcquireRequest {
    /// The URL that receives the webhook; optional if the app has a default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callback_url: Option<String>,
    /// Whether the answer includes `client`, with which the page that shows the confirmation follows its
    /// status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_channel: Option<bool>,
    /// The user's country: two letters, or the beginning of a number there, such as `+44`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    /// The language of the message, as a language tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Your own data, returned in the webhook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// Members that this version does not know, by their API names.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// A request for a confirmation of a known number.
#[derive(Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ConfirmRequest {
    /// The number, as the user typed or pasted it.
    pub phone_number: String,
    /// The other members.
    #[serde(flatten)]
    pub start: AcquireRequest,
}

/// Defines methods that set a member of either request.
macro_rules! setters {
    ($kind:ident $(. $inner:ident)?) => {
        impl $kind {
            /// Sets the URL that receives the webhook.
            #[must_use]
            pub fn callback_url(mut self, url: impl Into<String>) -> Self {
                self$(.$inner)?.callback_url = Some(url.into());
                self
            }

            /// Requests `client` in the answer, for the page that shows the confirmation.
            #[must_use]
            pub fn client_channel(mut self) -> Self {
                self$(.$inner)?.client_channel = Some(true);
                self
            }

            /// Sets the user's country: two letters, or the beginning of a number there.
            #[must_use]
            pub fn country(mut self, country: impl Into<String>) -> Self {
                self$(.$inner)?.country = Some(country.into());
                self
            }

            /// Sets the language of the message.
            #[must_use]
            pub fn language(mut self, language: impl Into<String>) -> Self {
                self$(.$inner)?.language = Some(language.into());
                self
            }

            /// Sets a member of your metadata, which the webhook returns.
            #[must_use]
            pub fn metadata(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
                let metadata = self$(.$inner)?.metadata.get_or_insert_default();
                metadata.insert(name.into(), value.into());
                self
            }
        }
    };
}

setters!(AcquireRequest);
setters!(ConfirmRequest.start);

impl AcquireRequest {
    /// Creates a request without any member set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl ConfirmRequest {
    /// Creates a request for a number, as the user typed or pasted it.
    #[must_use]
    pub fn new(phone_number: impl Into<String>) -> Self {
        Self {
            phone_number: phone_number.into(),
            start: AcquireRequest::default(),
        }
    }
}

/// A started confirmation. Show the message to one user only: `Debug` hides it.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct ConfirmationSession {
    /// The id of the confirmation.
    pub confirmation_id: String,
    /// The text that the user must send. Secret: show it only to this user.
    pub confirmation_message: String,
    /// Links that open the messages app with the text filled in.
    pub confirmation_uri: ConfirmationUri,
    /// The number to send the text to.
    pub send_to: String,
    /// The country of that number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub send_to_country: Option<String>,
    /// The number to confirm, in E.164 like in the webhook. Absent in an acquisition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phone_number: Option<String>,
    /// Present if requested: pass it to the page that shows the confirmation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<ConfirmationClient>,
    /// Time at which the confirmation expires.
    #[serde(with = "optional")]
    pub expires_at: Option<SystemTime>,
    /// Remaining time in seconds. Count down from this value: a clock may be wrong.
    pub expires_in: u64,
    /// The service's time.
    #[serde(with = "optional")]
    pub server_time: Option<SystemTime>,
    /// Whether the confirmation was started with a test key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<bool>,
}

impl fmt::Debug for ConfirmationSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConfirmationSession")
            .field("confirmation_id", &self.confirmation_id)
            .field("expires_in", &self.expires_in)
            .finish_non_exhaustive()
    }
}

/// Links that open the messages app, or WhatsApp. They contain the secret text.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ConfirmationUri {
    /// The link for a QR code.
    pub qr: String,
    /// The link for Android.
    pub sms: String,
    /// The specification's form of the link for Android.
    pub android: String,
    /// The link for iOS.
    pub ios: String,
    /// The link that opens WhatsApp. Present only if the app has a number on WhatsApp.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whatsapp: Option<String>,
}

impl fmt::Debug for ConfirmationUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ConfirmationUri(…)")
    }
}

/// Access for the page that shows a confirmation: to the confirmation's status only.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct ConfirmationClient {
    /// The WebSocket that announces status changes.
    pub socket_url: String,
    /// The URL of the status, to be requested with the token.
    pub status_url: String,
    /// The page's token.
    pub token: String,
}

impl fmt::Debug for ConfirmationClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ConfirmationClient(…)")
    }
}

/// A confirmation as its owner sees it. `Debug` hides numbers and metadata.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Confirmation {
    /// The id of the confirmation.
    pub confirmation_id: String,
    /// The confirmation's status.
    pub status: ConfirmationStatus,
    /// The kind of confirmation: of a number that the text reveals, or of a known one.
    pub flow: ConfirmationFlow,
    /// The number, in E.164. Absent while unknown, and once redacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phone_number: Option<String>,
    /// The number to send the text to.
    pub send_to: String,
    /// The URL that receives the webhook.
    pub callback_url: String,
    /// Your own data. Absent once redacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// Present once the confirmation is verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<ConfirmationResult>,
    /// The delivery of the webhook. Present once the confirmation is verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivery: Option<Delivery>,
    /// The first text with the code that did not complete the confirmation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_miss: Option<LastMiss>,
    /// The first number that sent the code after another one had completed the confirmation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second_sender: Option<SecondSender>,
    /// Time at which the confirmation was started.
    #[serde(with = "optional")]
    pub created_at: Option<SystemTime>,
    /// Time at which the confirmation expires or would have expired.
    #[serde(with = "optional")]
    pub expires_at: Option<SystemTime>,
    /// Remaining time in seconds.
    pub expires_in: u64,
    /// Time at which the owner cancelled the confirmation.
    #[serde(with = "optional", skip_serializing_if = "Option::is_none")]
    pub cancelled_at: Option<SystemTime>,
    /// Time at which numbers and metadata were erased.
    #[serde(with = "optional", skip_serializing_if = "Option::is_none")]
    pub redacted_at: Option<SystemTime>,
    /// The service's time.
    #[serde(with = "optional")]
    pub server_time: Option<SystemTime>,
    /// Whether the confirmation was started with a test key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<bool>,
}

impl fmt::Debug for Confirmation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Confirmation")
            .field("confirmation_id", &self.confirmation_id)
            .field("status", &self.status)
            .field("flow", &self.flow)
            .finish_non_exhaustive()
    }
}

/// The result of a verified confirmation. `Debug` hides the number.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct ConfirmationResult {
    /// The sender of the text, in E.164. Absent once redacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phone_number: Option<String>,
    /// The sender's carrier; empty if unknown. Absent once redacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carrier: Option<String>,
    /// The channel through which the text arrived.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<ResultChannel>,
    /// The type of the sender's number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number_type: Option<ResultNumberType>,
    /// The provider that delivered the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Time at which the text was received.
    #[serde(with = "optional")]
    pub timestamp: Option<SystemTime>,
}

impl fmt::Debug for ConfirmationResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConfirmationResult")
            .field("channel", &self.channel)
            .field("provider", &self.provider)
            .finish_non_exhaustive()
    }
}

/// A text with the code that did not complete the confirmation.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct LastMiss {
    /// Time at which the text was received.
    #[serde(with = "optional")]
    pub at: Option<SystemTime>,
    /// Why it did not complete the confirmation.
    pub reason: LastMissReason,
}

/// A number that sent the code after another one had completed the confirmation. `Debug` hides it.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct SecondSender {
    /// Time at which its text was received.
    #[serde(with = "optional")]
    pub at: Option<SystemTime>,
    /// The number, in E.164.
    pub phone_number: String,
}

impl fmt::Debug for SecondSender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecondSender")
            .field("at", &self.at)
            .finish_non_exhaustive()
    }
}

/// A page of confirmations.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ConfirmationPage {
    /// The confirmations, newest first.
    pub confirmations: Vec<Confirmation>,
    /// The cursor of the next page; absent on the last page.
    pub next_cursor: Option<String>,
}
