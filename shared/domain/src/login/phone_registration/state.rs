//! The states of a phone registration.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_with::serde_as;

use super::credential::SetupSecretHash;
use super::tokens::{SetupPageTokenHash, SetupPhoneTokenHash};
use crate::app::key_label::KeyLabel;
use crate::delivery::Delivery;
use crate::login::association_key::{AssociationKey, CredentialId, KeyId, KeyKind, KeyPoint};
use crate::login::check_code::{CheckCode, MissedCodes};
use crate::login::sighting::{Place, UserAgent};
use crate::login::user::{ClaimedUserId, UserKey};
use crate::primitives::base64url::Base64Url;
use crate::primitives::ids::{AppId, PhoneRegistrationId, WebhookId};
use crate::primitives::time::Timestamp;
use crate::web::callback_url::CallbackUrl;
use crate::web::link_host::LinkHost;

/// Time from its creation in which a registration must be completed.
pub const VALIDITY: Duration = Duration::from_mins(10);

/// Time after that for which a registration is kept, so that the app's server can read how it ended.
pub const RETENTION: Duration = Duration::from_hours(24);

/// One registration. All its data is one item in the store, and each function in
/// [`transitions`](super::transitions) is one conditional write.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhoneRegistration {
    pub id: PhoneRegistrationId,
    pub app: AppId,
    /// The user whose phone is set up.
    pub owner: ClaimedUserId,
    /// The account's name as the user knows it, if the app's server gave one.
    pub label: Option<KeyLabel>,
    /// The host of the link, to which the key belongs.
    pub host: LinkHost,
    /// True if a test key created the registration. Its key is then a test's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub test: bool,
    #[serde(rename = "page")]
    pub page_token: SetupPageTokenHash,
    /// Hash of the secret in the link.
    pub secret: SetupSecretHash,
    /// Destination of the webhook; `None` if the app wants none.
    pub callback: Option<CallbackUrl>,
    #[serde(rename = "created")]
    pub created_at: Timestamp,
    pub state: SetupState,
    /// The webhook, until its delivery has ended.
    pub notice: Option<Box<Delivery>>,
    /// Treated as deleted from this time, even if still stored.
    pub purge_at: Timestamp,
}

/// The state of a registration. It never says that the time is over: that follows from the clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SetupState {
    /// No phone has opened the link.
    Created {},
    /// A phone has opened the link.
    Opened { phone: SetupPhone },
    /// The phone has proved that it has a key, and shows the digits.
    Signed {
        phone: SetupPhone,
        key: NewPhoneKey,
        digits: CheckCode,
        #[serde(default)]
        missed: MissedCodes,
    },
    /// The user has typed the digits. Only the registration of the key can follow.
    Accepted { phone: SetupPhone, key: NewPhoneKey },
    /// The key is registered.
    Completed {
        phone: SetupPhone,
        key: KeyId,
        kind: KeyKind,
        at: Timestamp,
    },
    /// The registration ended without a key.
    Failed {
        reason: Failure,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        phone: Option<SetupPhone>,
        at: Timestamp,
    },
}

/// The phone that opened the link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetupPhone {
    pub token: SetupPhoneTokenHash,
    /// The browser's description of itself.
    #[serde(rename = "agent")]
    pub user_agent: UserAgent,
    /// The location of its address.
    #[serde(default)]
    pub place: Place,
}

impl SetupPhone {
    /// Returns the phone's name, by which people tell a user's phones apart: its browser and system.
    #[must_use]
    pub fn name(&self) -> Option<KeyLabel> {
        self.user_agent.name().parse().ok()
    }
}

/// The key that the phone made.
#[serde_as]
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewPhoneKey {
    pub point: KeyPoint,
    pub kind: KeyKind,
    /// The id of a passkey on its phone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential: Option<CredentialId>,
    /// Hash of the request that proved the key, which tells its repetition from a different one.
    #[serde_as(as = "Base64Url")]
    pub request: [u8; 32],
}

impl fmt::Debug for NewPhoneKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NewPhoneKey({})", self.kind.name())
    }
}

/// The reason why a registration ended without a key.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Failure {
    /// The page sent three different wrong pairs of digits.
    WrongDigits,
    /// The app's server, the page or the phone cancelled it.
    Cancelled,
    /// The key was registered for someone else or revoked, or the user or the app got too many, after the phone had
    /// shown the digits.
    KeyRefused,
}

/// The status of a registration, as its parties see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum SetupStatus {
    /// No phone has opened the link.
    Created,
    /// A phone has opened the link.
    Opened,
    /// The phone shows the digits.
    Signed,
    /// The key is registered.
    Completed,
    /// The registration ended without a key.
    Failed,
    /// The time is over.
    Expired,
}

impl PhoneRegistration {
    /// Returns the time until which the registration must be completed.
    #[must_use]
    pub fn expires_at(&self) -> Timestamp {
        self.created_at.plus(VALIDITY)
    }

    /// Returns the time from which a registration that was created at `created_at` is treated as deleted, unless its
    /// webhook is still pending.
    #[must_use]
    pub fn kept_until(created_at: Timestamp) -> Timestamp {
        created_at.plus(VALIDITY).plus(RETENTION)
    }

    #[must_use]
    pub fn status(&self, now: Timestamp) -> SetupStatus {
        let open = |status| {
            if now < self.expires_at() {
                status
            } else {
                SetupStatus::Expired
            }
        };
        match &self.state {
            SetupState::Created {} => open(SetupStatus::Created),
            SetupState::Opened { .. } => open(SetupStatus::Opened),
            SetupState::Signed { .. } => open(SetupStatus::Signed),
            SetupState::Accepted { .. } => SetupStatus::Signed,
            SetupState::Completed { .. } => SetupStatus::Completed,
            SetupState::Failed { .. } => SetupStatus::Failed,
        }
    }

    /// Returns the phone that opened the link, if any did.
    #[must_use]
    pub const fn phone(&self) -> Option<&SetupPhone> {
        match &self.state {
            SetupState::Created {} => None,
            SetupState::Opened { phone }
            | SetupState::Signed { phone, .. }
            | SetupState::Accepted { phone, .. }
            | SetupState::Completed { phone, .. } => Some(phone),
            SetupState::Failed { phone, .. } => phone.as_ref(),
        }
    }

    /// Returns the reason why the registration ended without a key, if it did.
    #[must_use]
    pub const fn failure(&self) -> Option<Failure> {
        match &self.state {
            SetupState::Failed { reason, .. } => Some(*reason),
            _ => None,
        }
    }

    /// Returns the time at which the registration was completed or failed, if it was.
    #[must_use]
    pub const fn ended_at(&self) -> Option<Timestamp> {
        match &self.state {
            SetupState::Completed { at, .. } | SetupState::Failed { at, .. } => Some(*at),
            _ => None,
        }
    }

    /// Returns the registered key and its kind.
    #[must_use]
    pub const fn registered(&self) -> Option<(KeyId, &KeyKind)> {
        match &self.state {
            SetupState::Completed { key, kind, .. } => Some((*key, kind)),
            _ => None,
        }
    }

    /// Returns the key that the phone has proved, until it is registered.
    #[must_use]
    pub const fn proved_key(&self) -> Option<&NewPhoneKey> {
        match &self.state {
            SetupState::Signed { key, .. } | SetupState::Accepted { key, .. } => Some(key),
            _ => None,
        }
    }

    /// Returns the key that is to be registered, once the user has typed the digits.
    #[must_use]
    pub fn accepted_key(&self, now: Timestamp) -> Option<AssociationKey> {
        let SetupState::Accepted { phone, key } = &self.state else {
            return None;
        };
        let new = AssociationKey::new(
            self.app.clone(),
            key.point,
            self.owner.clone(),
            now,
            key.kind.clone(),
            phone.name(),
        );
        Some(new.with_credential(key.credential.clone()))
    }

    /// Returns the id of the registration's only webhook.
    #[must_use]
    pub fn webhook_id(&self) -> WebhookId {
        WebhookId::for_phone_registration(&self.id)
    }

    /// Returns the hash of the owner, under which the owner's registrations are listed.
    #[must_use]
    pub fn owner_key(&self) -> UserKey {
        self.owner.verified_key(&self.app)
    }
}
