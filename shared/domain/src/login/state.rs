//! The state of a login and what can be read from it.

use std::time::Duration;

use super::browser_key::BrowserPublicKey;
use super::link::LoginLink;
use super::notice::Notice;
use super::payload::Payload;
use super::risk::Assessment;
use super::sighting::Sighting;
use super::token::{BrowserTokenHash, MobileTokenHash, PayloadFingerprint};
use super::user::ClaimedUserId;
use super::watcher::WatcherId;
use crate::primitives::ids::{AppId, LoginId, WebhookId};
use crate::primitives::time::Timestamp;
use crate::web::callback_url::CallbackUrl;
use crate::web::link_host::LinkHost;
use crate::web::origin::WebOrigin;

/// How long a code can be scanned. The page then takes a new one.
pub const UNSCANNED: Duration = Duration::from_mins(1);

/// How long the person has to decide, from the scan on.
pub const SCANNED: Duration = Duration::from_mins(3);

/// How long the payload of a confirmed session waits for the browser.
pub const REDEEMABLE: Duration = Duration::from_mins(1);

/// How long a session is kept after its time, so that a latecomer is told what became of it.
pub const KEPT: Duration = Duration::from_mins(10);

/// One login across two devices. Everything about it is one item in the store, and each function
/// in [`transitions`](super::transitions) is one conditional write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Login {
    /// What the code says.
    pub id: LoginId,
    /// Whose it is.
    pub app: AppId,
    /// The page that opened it.
    pub origin: WebOrigin,
    /// By what the browser is known again.
    pub browser_token: BrowserTokenHash,
    /// What was seen of the browser when it opened the session.
    pub browser: Sighting,
    /// Whether the payload can be, or must be, for the browser's eyes alone.
    pub encryption: Encryption,
    /// Where the app is told of the decision, if it wants to be.
    pub callback: Option<CallbackUrl>,
    /// When it was opened.
    pub created_at: Timestamp,
    /// The connections that are told of changes, the oldest first; at most [`MAX_WATCHERS`](super::MAX_WATCHERS).
    pub watchers: Vec<WatcherId>,
    /// Where it stands.
    pub state: State,
    /// The webhook owed for the decision, if one is.
    pub notice: Option<Box<Notice>>,
    /// From this instant on the item is as good as gone, wherever garbage is collected later.
    pub purge_at: Timestamp,
}

/// Whether a payload can be, or must be, encrypted for the browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encryption {
    /// The browser gave no key.
    Unavailable,
    /// It gave this one.
    Offered(BrowserPublicKey),
    /// It gave this one, and the app takes no payload that others can read.
    Required(BrowserPublicKey),
}

impl Encryption {
    /// The browser's key, if it gave one.
    #[must_use]
    pub const fn key(&self) -> Option<&BrowserPublicKey> {
        match self {
            Self::Unavailable => None,
            Self::Offered(key) | Self::Required(key) => Some(key),
        }
    }

    /// Whether a payload suits the browser and the app.
    #[must_use]
    pub const fn suits(&self, payload: &Payload) -> bool {
        match self {
            Self::Unavailable => !payload.is_encrypted(),
            Self::Offered(_) => true,
            Self::Required(_) => payload.is_encrypted(),
        }
    }
}

/// The phone that opened the code, and what was found of it then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phone {
    /// By what it is known again.
    pub token: MobileTokenHash,
    /// What was seen of it.
    pub sighting: Sighting,
    /// Who it says that its user is.
    pub user: Option<ClaimedUserId>,
    /// How risky it looked. Decided once, so that what the person saw is what is enforced.
    pub risk: Assessment,
    /// When it opened the code.
    pub scanned_at: Timestamp,
}

/// Where a session stands. Expiry is no state: it is what a live session is from its time on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// The code waits to be scanned.
    Created {
        /// Until when.
        expires_at: Timestamp,
    },
    /// A phone opened it, and the person is to decide.
    Scanned {
        /// Which phone.
        phone: Box<Phone>,
        /// Until when.
        expires_at: Timestamp,
    },
    /// The person confirmed, and the payload waits for the browser.
    Confirmed {
        /// Which phone.
        phone: Box<Phone>,
        /// When.
        at: Timestamp,
        /// What the browser gets.
        payload: Payload,
        /// What a repeated confirmation is known by.
        fingerprint: PayloadFingerprint,
        /// Until when the payload waits.
        redeem_by: Timestamp,
    },
    /// The browser has the payload, and nobody else keeps it.
    Consumed {
        /// Which phone.
        phone: Box<Phone>,
        /// When the person confirmed.
        confirmed_at: Timestamp,
        /// What a repeated confirmation is known by.
        fingerprint: PayloadFingerprint,
        /// When the browser took it.
        at: Timestamp,
    },
    /// The person said no.
    Denied {
        /// Which phone.
        phone: Box<Phone>,
        /// When.
        at: Timestamp,
    },
    /// It was stopped.
    Blocked {
        /// The phone that had opened it.
        phone: Box<Phone>,
        /// When.
        at: Timestamp,
        /// Why.
        reason: BlockReason,
    },
    /// The browser gave it up.
    Cancelled {
        /// The phone that had opened it, if one had.
        phone: Option<Box<Phone>>,
        /// When.
        at: Timestamp,
    },
}

/// Why a session was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockReason {
    /// A second phone opened the code, so that somebody else has it.
    SecondPhone,
    /// The person confirmed what the risk forbids.
    Risk,
}

/// The status that browsers see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// The code waits to be scanned.
    Created,
    /// A phone opened it.
    Scanned,
    /// The payload can be taken.
    Confirmed,
    /// The payload was taken.
    Consumed,
    /// The person said no.
    Denied,
    /// It was stopped.
    Blocked,
    /// The time ran out.
    Expired,
    /// The browser gave it up.
    Cancelled,
}

impl Status {
    /// The name that browsers see.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Scanned => "scanned",
            Self::Confirmed => "confirmed",
            Self::Consumed => "consumed",
            Self::Denied => "denied",
            Self::Blocked => "blocked",
            Self::Expired => "expired",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether something can still become of the session.
    #[must_use]
    pub const fn is_live(self) -> bool {
        matches!(self, Self::Created | Self::Scanned | Self::Confirmed)
    }
}

impl Login {
    /// The status at an instant.
    #[must_use]
    pub fn status(&self, now: Timestamp) -> Status {
        let status = match self.state {
            State::Created { .. } => Status::Created,
            State::Scanned { .. } => Status::Scanned,
            State::Confirmed { .. } => Status::Confirmed,
            State::Consumed { .. } => Status::Consumed,
            State::Denied { .. } => Status::Denied,
            State::Blocked { .. } => Status::Blocked,
            State::Cancelled { .. } => Status::Cancelled,
        };
        if status.is_live() && now >= self.expires_at() {
            Status::Expired
        } else {
            status
        }
    }

    /// When its time is over: for a live session when it expires, for one that has ended when it
    /// did.
    #[must_use]
    pub const fn expires_at(&self) -> Timestamp {
        match self.state {
            State::Created { expires_at } | State::Scanned { expires_at, .. } => expires_at,
            State::Confirmed { redeem_by, .. } => redeem_by,
            State::Consumed { at, .. }
            | State::Denied { at, .. }
            | State::Blocked { at, .. }
            | State::Cancelled { at, .. } => at,
        }
    }

    /// The time until which it counts as open; `None` once it was decided, stopped or given up.
    #[must_use]
    pub const fn open_until(&self) -> Option<Timestamp> {
        match self.state {
            State::Created { expires_at } | State::Scanned { expires_at, .. } => Some(expires_at),
            State::Confirmed { .. }
            | State::Consumed { .. }
            | State::Denied { .. }
            | State::Blocked { .. }
            | State::Cancelled { .. } => None,
        }
    }

    /// The phone that opened it, if one did.
    #[must_use]
    pub fn phone(&self) -> Option<&Phone> {
        match &self.state {
            State::Created { .. } => None,
            State::Scanned { phone, .. }
            | State::Confirmed { phone, .. }
            | State::Consumed { phone, .. }
            | State::Denied { phone, .. }
            | State::Blocked { phone, .. } => Some(phone),
            State::Cancelled { phone, .. } => phone.as_deref(),
        }
    }

    /// The id of the webhook that tells of the decision, the same for every attempt.
    #[must_use]
    pub fn webhook_id(&self) -> WebhookId {
        WebhookId::for_login(&self.id)
    }

    /// The link that the browser shows.
    #[must_use]
    pub fn link(&self, host: LinkHost) -> LoginLink {
        LoginLink {
            host,
            id: self.id,
            key: self.encryption.key().map(BrowserPublicKey::hash),
        }
    }
}
