//! The state of a confirmation and what follows from it.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_with::serde_as;
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::carrier::Carrier;
use super::client::Client;
use super::miss::LastMiss;
use super::subject::SubjectKey;
use crate::app::refused_types::RefusedTypes;
use crate::app::senders::Recipient;
use crate::app::whatsapp::WhatsAppNumber;
use crate::delivery::Delivery;
use crate::primitives::base64url::Base64Url;
use crate::primitives::canonical_json::CanonicalObject;
use crate::primitives::idempotency::RequestHash;
use crate::primitives::ids::{AppId, ConfirmationId, WebhookId};
use crate::primitives::phone::PhoneNumber;
use crate::primitives::time::Timestamp;
use crate::web::callback_url::CallbackUrl;

/// Default time that a confirmation is open (phone number API, section 8).
pub const VALIDITY: Duration = Duration::from_mins(5);

/// Default time that a verified confirmation is kept after the last possible retry of its webhook.
pub const RETENTION: Duration = Duration::from_hours(7 * 24);

/// Allowed times that a confirmation may be open. A code in a leftover message should not work for
/// more than a day.
pub const VALIDITIES: RangeInclusive<Duration> =
    Duration::from_millis(1)..=Duration::from_hours(24);

/// Maximum retention that an operator may set: ten years.
pub const MAX_RETENTION: Duration = Duration::from_hours(24 * 3650);

/// The verification of a phone number by a text that the person sends.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confirmation {
    /// Identifier, derived from the code.
    pub id: ConfirmationId,
    /// The app that started the confirmation.
    pub app: AppId,
    /// The flow, which includes the number to verify if it is already known.
    pub flow: Flow,
    /// Destination of the webhook; `None` if the service itself reads the result, as its `OpenID` provider does.
    pub callback: Option<CallbackUrl>,
    /// The caller's data, returned in the webhook.
    pub metadata: Redactable<CanonicalObject>,
    /// Our number that the person texts.
    #[serde(rename = "to")]
    pub send_to: Recipient,
    /// The only one of our numbers to which the person may send the text on WhatsApp instead;
    /// `None` if the app had none when the confirmation was started.
    pub whatsapp: Option<WhatsAppNumber>,
    /// Time of the API call.
    #[serde(rename = "created")]
    pub created_at: Timestamp,
    /// Time from which a text no longer completes the confirmation.
    #[serde(rename = "expires")]
    pub expires_at: Timestamp,
    /// Data for comparing replays of the request; `None` if the request had no `Idempotency-Key`.
    pub idempotency: Option<Idempotency>,
    /// The current state.
    pub state: State,
    /// True if a test key started the confirmation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub test: bool,
    /// For an acquisition, the types of numbers that the app refused when it was started. For a
    /// confirmation, the number was checked at the start.
    #[serde(
        rename = "refused",
        default,
        skip_serializing_if = "RefusedTypes::is_empty"
    )]
    pub refused_types: RefusedTypes,
    /// Whether the app wanted details in its webhooks when the confirmation was started. Every attempt
    /// therefore sends the same body.
    #[serde(
        rename = "details",
        default,
        skip_serializing_if = "std::ops::Not::not"
    )]
    pub webhook_details: bool,
    /// The page that may see the status; `None` if the caller did not ask for a channel.
    pub client: Option<Client>,
    /// Present if the `OpenID` provider started the confirmation.
    pub openid: Option<OpenIdConfirmation>,
    /// Time at which the personal data was erased; `None` if it was not erased.
    #[serde(rename = "redacted")]
    pub redacted_at: Option<Timestamp>,
    /// Treated as deleted from this time, even if still stored.
    pub purge_at: Timestamp,
}

/// The part of a confirmation that only the `OpenID` provider uses.
#[serde_with::skip_serializing_none]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenIdConfirmation {
    /// The key of the subject that the number has at the app; `None` until the person returns to the app.
    pub subject: Option<SubjectKey>,
}

/// The two flows of the phone number API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flow {
    /// Verifies the number of the first sender.
    Acquisition,
    /// Verifies a number that is already known.
    Confirmation {
        /// The only number whose text completes the confirmation.
        expected: Redactable<PhoneNumber>,
    },
}

/// Personal data that can be erased while the rest of its item stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Redactable<T> {
    /// The data is still stored.
    Present(T),
    /// The data was erased.
    Redacted,
}

impl<T> Redactable<T> {
    /// Returns the data, or `None` if it was erased.
    pub const fn present(&self) -> Option<&T> {
        match self {
            Self::Present(data) => Some(data),
            Self::Redacted => None,
        }
    }
}

/// Data that lets a replay of an idempotent request get the same answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Idempotency {
    /// Hash of the request's route and body.
    pub request: RequestHash,
    /// The message as first answered, with `{code}` instead of the code: the app's template and
    /// prefix may have changed since.
    pub message: String,
}

/// The state of a confirmation. Expiry is not a separate state: an open confirmation is expired
/// from its `expires_at` on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Waiting for the text.
    Open {
        /// The first text that had the code but could not complete the confirmation, if any.
        #[serde(skip_serializing_if = "Option::is_none")]
        last_miss: Option<LastMiss>,
    },
    /// Cancelled by the caller.
    Cancelled {
        /// Time of the cancellation.
        at: Timestamp,
    },
    /// Completed in time by a text from an accepted number.
    Verified(Box<Verified>),
}

/// A number that sent a code after another number had completed the confirmation. The code was shared or stolen. A
/// confirmation records at most one, so a stranger who knows the code causes at most one write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecondSender {
    #[serde(rename = "number")]
    pub phone_number: PhoneNumber,
    /// Time at which the text was processed.
    pub at: Timestamp,
}

/// The channel and provider of a text. Stored as `channel:provider`, so that items stay small.
#[derive(
    Clone, Debug, PartialEq, Eq, serde_with::SerializeDisplay, serde_with::DeserializeFromStr,
)]
pub struct TextOrigin {
    pub channel: TextChannel,
    /// The provider, as in its route.
    pub provider: String,
}

impl fmt::Display for TextOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.channel.into_str(), self.provider)
    }
}

/// The error for a malformed channel and provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("not a channel and a provider")]
pub struct MalformedOrigin;

impl FromStr for TextOrigin {
    type Err = MalformedOrigin;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (channel, provider) = text.split_once(':').ok_or(MalformedOrigin)?;
        Ok(Self {
            channel: channel.parse().map_err(|_| MalformedOrigin)?,
            provider: provider.to_owned(),
        })
    }
}

/// How a text came. `sms`: over a mobile network, from a subscriber's number. `modem`: the same,
/// received by the operator's own modem and not by a provider. `whatsapp`: from an account, which proves no
/// SIM. `simulated`: from the app's server with a test key.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantArray,
    utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[schema(as = ResultChannel)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum TextChannel {
    Sms,
    Modem,
    #[serde(rename = "whatsapp")]
    #[strum(serialize = "whatsapp")]
    WhatsApp,
    Simulated,
}

/// The result of a verification.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verified {
    /// Sender of the text.
    #[serde(rename = "number")]
    pub phone_number: Redactable<PhoneNumber>,
    /// The sender's carrier.
    pub carrier: Carrier,
    /// Time at which the text was accepted: `timestamp` in the webhook.
    pub at: Timestamp,
    /// Identifies the text, so that a repeated delivery by the provider has no effect.
    pub text: TextFingerprint,
    /// The channel and provider of the text; `None` if an earlier release stored the item.
    #[serde(rename = "via")]
    pub origin: Option<TextOrigin>,
    /// The first text with the code from a different number after the verification.
    #[serde(rename = "second")]
    pub second_sender: Option<SecondSender>,
    /// Delivery of the webhook; `None` if the confirmation has none.
    pub delivery: Option<Delivery>,
}

impl Verified {
    /// Returns whether the carrier can still be decided: it is undecided, and no settled attempt has sent
    /// an empty name.
    #[must_use]
    pub fn awaits_carrier(&self) -> bool {
        let attempts = self.delivery.as_ref().map(|delivery| &delivery.attempts);
        self.carrier == Carrier::Undecided && attempts.is_some_and(Vec::is_empty)
    }
}

/// A hash of a provider's name and its id for a message.
#[serde_as]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TextFingerprint(#[serde_as(as = "Base64Url")] [u8; 16]);

impl TextFingerprint {
    /// Computes the fingerprint of a provider's message.
    #[must_use]
    pub fn new(provider: &str, message_id: &str) -> Self {
        let digest = Sha256::new()
            .chain_update(provider.as_bytes())
            .chain_update([0])
            .chain_update(message_id.as_bytes())
            .finalize();
        let mut fingerprint = [0; 16];
        fingerprint.copy_from_slice(&digest[..16]);
        Self(fingerprint)
    }

    /// Restores a fingerprint from its bytes, for stores.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }
}

/// The status that callers see.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Status {
    /// A text can still complete the confirmation.
    Open,
    /// The number was verified.
    Verified,
    /// No text came in time.
    Expired,
    /// The caller cancelled the confirmation.
    Cancelled,
}

impl Confirmation {
    /// Returns the status at `now`.
    #[must_use]
    pub fn status(&self, now: Timestamp) -> Status {
        match self.state {
            State::Open { .. } if now < self.expires_at => Status::Open,
            State::Open { .. } => Status::Expired,
            State::Cancelled { .. } => Status::Cancelled,
            State::Verified(_) => Status::Verified,
        }
    }

    /// Returns the time until which the confirmation counts as open; `None` if it was verified or
    /// cancelled.
    #[must_use]
    pub const fn open_until(&self) -> Option<Timestamp> {
        match self.state {
            State::Open { .. } => Some(self.expires_at),
            State::Cancelled { .. } | State::Verified(_) => None,
        }
    }

    /// Returns the result of the verification, if any.
    #[must_use]
    pub fn verified(&self) -> Option<&Verified> {
        match &self.state {
            State::Verified(verified) => Some(verified),
            State::Open { .. } | State::Cancelled { .. } => None,
        }
    }

    /// Returns the number that was verified, or else the one to confirm. `None` if neither is known, or it was erased.
    #[must_use]
    pub fn number(&self) -> Option<&PhoneNumber> {
        let expected = match &self.flow {
            Flow::Acquisition => None,
            Flow::Confirmation { expected } => expected.present(),
        };
        let verified = self.verified();
        let verified = verified.and_then(|verified| verified.phone_number.present());
        verified.or(expected)
    }

    /// Returns the miss, if there was one and the confirmation is open or expired.
    #[must_use]
    pub const fn last_miss(&self) -> Option<LastMiss> {
        match self.state {
            State::Open { last_miss } => last_miss,
            State::Cancelled { .. } | State::Verified(_) => None,
        }
    }

    /// Returns the webhook's id, which is the same for every attempt.
    #[must_use]
    pub fn webhook_id(&self) -> WebhookId {
        WebhookId::for_confirmation(&self.id)
    }
}
