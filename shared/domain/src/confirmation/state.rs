//! The state of a confirmation and what can be read from it.

use std::ops::RangeInclusive;
use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::app::senders::Recipient;
use crate::delivery::{Delivery, DeliveryGroup, DeliveryKind};
use crate::primitives::canonical_json::CanonicalObject;
use crate::primitives::idempotency::RequestHash;
use crate::primitives::ids::{AppId, ConfirmationId, WebhookId};
use crate::primitives::phone::PhoneNumber;
use crate::primitives::time::Timestamp;
use crate::web::callback_url::{CallbackOrigin, CallbackUrl};

/// How long a session is open by default (phone number API, section 8).
pub const VALIDITY: Duration = Duration::from_mins(5);

/// How long a verified confirmation is kept by default once its webhook can no longer be retried.
pub const RETENTION: Duration = Duration::from_hours(7 * 24);

/// The times that a session may be open for: the code in a message that lies about for longer than
/// a day is too easy to find.
pub const VALIDITIES: RangeInclusive<Duration> =
    Duration::from_millis(1)..=Duration::from_hours(24);

/// The longest time that an operator may have confirmations kept for: ten years.
pub const MAX_RETENTION: Duration = Duration::from_hours(24 * 3650);

/// A phone-number session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirmation {
    /// Derived from the code.
    pub id: ConfirmationId,
    /// Whose it is.
    pub app: AppId,
    /// Which of the two flows, and for the second the number to verify.
    pub flow: Flow,
    /// Where the webhook goes.
    pub callback: CallbackUrl,
    /// What the caller wants back in the webhook.
    pub metadata: Redactable<CanonicalObject>,
    /// The number of ours that the person is to text.
    pub send_to: Recipient,
    /// When the API call came.
    pub created_at: Timestamp,
    /// From this instant on a text no longer completes it.
    pub expires_at: Timestamp,
    /// What a replay of the request is compared with, where it had an `Idempotency-Key`.
    pub idempotency: Option<Idempotency>,
    /// Where it stands.
    pub state: State,
    /// When its personal data was erased, if it was.
    pub redacted_at: Option<Timestamp>,
    /// From this instant on the item is as good as gone, wherever garbage is collected later.
    pub purge_at: Timestamp,
}

/// Which of the two flows a session belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flow {
    /// The number is not known beforehand.
    Acquisition,
    /// A known number is verified.
    Confirmation {
        /// The only number whose text counts.
        expected: Redactable<PhoneNumber>,
    },
}

/// Personal data that can be erased while the rest of its item stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Redactable<T> {
    /// Still there.
    Present(T),
    /// Erased.
    Redacted,
}

impl<T> Redactable<T> {
    /// The data, unless it was erased.
    pub const fn present(&self) -> Option<&T> {
        match self {
            Self::Present(data) => Some(data),
            Self::Redacted => None,
        }
    }
}

/// What makes a replay of an idempotent request answer the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idempotency {
    /// Route and body of the request.
    pub request: RequestHash,
    /// The message with `{code}` in the code's place, as it was when the session was made: the
    /// app's template and prefix may have changed since.
    pub message: String,
}

/// Where a session stands. Expiry is no state: it is what an open session is from `expires_at` on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Waiting for the text.
    Open,
    /// Ended by the caller.
    Cancelled {
        /// When.
        at: Timestamp,
    },
    /// The text came in time, from the right number.
    Verified(Box<Verified>),
}

/// What is known once the text came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The sender of the text.
    pub phone_number: Redactable<PhoneNumber>,
    /// The sender's carrier, empty where nobody said.
    pub carrier: String,
    /// When the text was taken: `timestamp` of the webhook.
    pub at: Timestamp,
    /// Which text it was, so that its redelivery by the provider is harmless.
    pub text: TextFingerprint,
    /// The webhook owed.
    pub delivery: Delivery,
}

/// A hash over a provider's name and its id for a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextFingerprint([u8; 16]);

impl TextFingerprint {
    /// The fingerprint of a provider's message.
    #[must_use]
    pub fn of(provider: &str, message_id: &str) -> Self {
        let digest = Sha256::new()
            .chain_update(provider.as_bytes())
            .chain_update([0])
            .chain_update(message_id.as_bytes())
            .finalize();
        let mut fingerprint = [0; 16];
        fingerprint.copy_from_slice(&digest[..16]);
        Self(fingerprint)
    }

    /// A fingerprint read back from a store.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The 16 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

/// The status that callers see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// A text can still complete it.
    Open,
    /// The number was verified.
    Verified,
    /// The time ran out.
    Expired,
    /// The caller ended it.
    Cancelled,
}

impl Status {
    /// The name that callers see.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Verified => "verified",
            Self::Expired => "expired",
            Self::Cancelled => "cancelled",
        }
    }
}

impl Confirmation {
    /// The status at an instant.
    #[must_use]
    pub fn status(&self, now: Timestamp) -> Status {
        match self.state {
            State::Open if now < self.expires_at => Status::Open,
            State::Open => Status::Expired,
            State::Cancelled { .. } => Status::Cancelled,
            State::Verified(_) => Status::Verified,
        }
    }

    /// The time until which it counts as open; `None` once it was verified or cancelled.
    #[must_use]
    pub const fn open_until(&self) -> Option<Timestamp> {
        match self.state {
            State::Open => Some(self.expires_at),
            State::Cancelled { .. } | State::Verified(_) => None,
        }
    }

    /// What is known of the verification, if it happened.
    #[must_use]
    pub fn verified(&self) -> Option<&Verified> {
        match &self.state {
            State::Verified(verified) => Some(verified),
            State::Open | State::Cancelled { .. } => None,
        }
    }

    /// The webhook's id, the same for every attempt.
    #[must_use]
    pub fn webhook_id(&self) -> WebhookId {
        WebhookId::for_confirmation(&self.id)
    }
    /// The group whose fairness its delivery shares.
    #[must_use]
    pub fn group(&self) -> DeliveryGroup {
        let origin = CallbackOrigin::of(&self.callback);
        DeliveryGroup::of(DeliveryKind::Confirmations, &self.app, &origin)
    }
}
