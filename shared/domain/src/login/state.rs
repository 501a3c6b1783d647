//! The state of a login and what follows from it.

use std::ops::Not;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::browser_binding::BrowserBinding;
use super::browser_key::BrowserPublicKey;
use super::check_code::MissedCodes;
use super::context::{Context, LoginCreator};
use super::denial::DenialPayload;
use super::link::LoginLink;
use super::notice::Notice;
use super::openid_page::OpenIdPage;
use super::payload::Payload;
use super::phone_payload::{PhonePayload, Proof};
use super::receipt::ReceiptHash;
use super::risk::Assessment;
use super::sighting::Sighting;
use super::token::{BrowserTokenHash, LoginPageTokenHash, MobileTokenHash, PayloadFingerprint};
use super::user::ClaimedUserId;
use super::verified::VerifiedUser;
use crate::primitives::ids::{AppId, LoginId, LoginKind, WebhookId};
use crate::primitives::time::Timestamp;
use crate::primitives::watcher::WatcherId;
use crate::web::callback_url::CallbackUrl;
use crate::web::link_host::LinkHost;
use crate::web::origin::WebOrigin;
use crate::web::return_url::ReturnUrl;

/// Maximum number of connections that watch one login. Page and phone have one each; after a
/// connection is lost, the old one may remain for a while next to the new one.
pub const MAX_WATCHERS: usize = 4;

/// Time during which a code can be scanned. Afterwards, the page shows a new code.
pub const UNSCANNED_TTL: Duration = Duration::from_mins(1);

/// Time for the decision after the scan.
pub const SCANNED_TTL: Duration = Duration::from_mins(3);

/// Time that the payload of a confirmed login waits for the browser.
pub const REDEEM_WINDOW: Duration = Duration::from_mins(1);

/// Time that a confirmed login with a context waits: it is not redeemed; the app's server reads the proof whenever it
/// is ready.
pub const READ_WINDOW: Duration = Duration::from_mins(10);

/// Minimum time that a login is kept after it has ended, so that late requests still get its
/// outcome.
pub const RETENTION: Duration = Duration::from_mins(10);

/// Time from its creation that a login without a context is kept: the maximum lifetime plus [`RETENTION`]. Only a webhook
/// keeps it longer.
pub const RETENTION_SINCE_CREATION: Duration = kept_since_creation(REDEEM_WINDOW);

const fn kept_since_creation(confirmed: Duration) -> Duration {
    UNSCANNED_TTL
        .saturating_add(SCANNED_TTL)
        .saturating_add(confirmed)
        .saturating_add(RETENTION)
}

impl LoginCreator {
    /// Returns the time that a confirmed login waits.
    #[must_use]
    pub const fn confirmed_for(&self) -> Duration {
        if self.context().is_some() {
            READ_WINDOW
        } else {
            REDEEM_WINDOW
        }
    }

    /// Returns the time from its creation that a login is kept: the maximum lifetime plus [`RETENTION`].
    #[must_use]
    pub const fn kept_since_creation(&self) -> Duration {
        kept_since_creation(self.confirmed_for())
    }
}

/// One login across two devices. All its data is one item in the store, and each function in
/// [`transitions`](super::transitions) is one conditional write.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, and absent from most documents"
)]
pub struct Login {
    /// Identifier, which the QR code contains.
    pub id: LoginId,
    /// The app that the person logs in to.
    pub app: AppId,
    /// Origin of the page that created the login, or for which the app's server created it.
    pub origin: WebOrigin,
    /// Party that created the login.
    #[serde(rename = "opener")]
    pub creator: LoginCreator,
    #[serde(rename = "token")]
    pub browser_token: BrowserTokenHash,
    /// Hash of the token of the page that watches a login that the app's server opened; `None` if a
    /// page opened it.
    #[serde(rename = "page")]
    pub page_token: Option<LoginPageTokenHash>,
    /// Sighting of the browser when it created the login, or when it joined a login that the app's server had created
    /// for it. Until the browser joins, this is the sighting of the server.
    pub browser: Sighting,
    /// True if the browser has joined a login that the app's server created for it.
    #[serde(rename = "joined", default, skip_serializing_if = "Not::not")]
    pub is_joined: bool,
    /// True if a test key opened the login: only a phone that presents a test key can open its
    /// code.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub test: bool,
    /// The page of the `OpenID` provider that opened the login; `None` for logins of the app's own pages and server. The
    /// page is at the service's own origin, which no app lists.
    pub openid: Option<OpenIdPage>,
    /// Encryption of the payload for the browser. Determined by the kind of the id.
    pub encryption: Encryption,
    /// True if confirming the login requires a proof by a registered key.
    #[serde(rename = "proof", default, skip_serializing_if = "Not::not")]
    pub requires_proof: bool,
    /// True if redeeming the payload requires the check code that the phone shows, unless the app returns to the
    /// browser.
    #[serde(rename = "check_code", default, skip_serializing_if = "Not::not")]
    pub requires_check_code: bool,
    /// The page to which an app on the same phone returns, if any.
    #[serde(rename = "return")]
    pub return_url: Option<ReturnUrl>,
    /// Destination of the webhook about the decision; `None` if the app does not want it.
    pub callback: Option<CallbackUrl>,
    /// Time of creation.
    #[serde(rename = "created")]
    pub created_at: Timestamp,
    /// The connections of browser and phone that are notified of changes, oldest first; at most
    /// [`MAX_WATCHERS`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub watchers: Vec<WatcherId>,
    /// The current state.
    pub state: State,
    /// The pending webhook for the decision, if any.
    pub notice: Option<Box<Notice>>,
    /// Treated as deleted from this time, even if still stored.
    pub purge_at: Timestamp,
}

/// The rule for encrypting a login's payload for the browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Encryption {
    /// The browser has no key, and the payload must be readable.
    Plain,
    /// The browser has this key, and the payload must be sealed for it.
    Sealed(BrowserPublicKey),
}

impl Encryption {
    /// Returns the kind of the ids of logins with this rule.
    #[must_use]
    pub const fn kind(&self) -> LoginKind {
        match self {
            Self::Plain => LoginKind::Plain,
            Self::Sealed(_) => LoginKind::Sealed,
        }
    }

    #[must_use]
    pub const fn key(&self) -> Option<&BrowserPublicKey> {
        match self {
            Self::Plain => None,
            Self::Sealed(key) => Some(key),
        }
    }

    /// Returns whether the payload follows the rule.
    #[must_use]
    pub const fn suits(&self, payload: &Payload) -> bool {
        match self {
            Self::Plain => !payload.is_encrypted(),
            Self::Sealed(_) => payload.is_encrypted(),
        }
    }
}

/// The phone that opened the login, with the facts determined at that time.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phone {
    pub token: MobileTokenHash,
    /// Sighting of the phone when it opened the login.
    #[serde(rename = "seen")]
    pub sighting: Sighting,
    pub user: Option<ClaimedUserId>,
    /// The risk of the login. Assessed once, so that the person sees the verdict that is enforced.
    pub risk: Assessment,
    /// Time at which the phone opened the login.
    #[serde(rename = "at")]
    pub scanned_at: Timestamp,
    /// The owner of the registered key that proved the confirmation, if any.
    pub verified: Option<VerifiedUser>,
    /// The evidence that the browser must show; `None` if none is required.
    #[serde(flatten)]
    pub binding: Option<BrowserBinding>,
}

/// The state of a login. Expiry is not a separate state: a live login is expired once its time has
/// run out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// The code has not been scanned yet.
    Created {
        /// Time from which the code can no longer be scanned.
        #[serde(rename = "expires")]
        expires_at: Timestamp,
    },
    /// A phone opened the login, and the person has not decided yet.
    Scanned {
        /// The phone that opened the login.
        phone: Box<Phone>,
        /// Time from which the login can no longer be decided.
        #[serde(rename = "expires")]
        expires_at: Timestamp,
    },
    /// The person confirmed, and the payload waits for the browser.
    Confirmed {
        /// The phone that opened the login.
        phone: Box<Phone>,
        /// Time of the confirmation.
        at: Timestamp,
        /// Data for the browser.
        payload: PhonePayload,
        /// Fingerprint of the confirmation, to recognize the phone's repetitions of it.
        #[serde(rename = "hash")]
        fingerprint: PayloadFingerprint,
        /// Time until which the payload can be redeemed.
        #[serde(rename = "until")]
        redeem_by: Timestamp,
        /// The wrong check codes that the browser has sent.
        missed: MissedCodes,
    },
    /// The browser has redeemed the payload.
    Consumed {
        /// The phone that opened the login.
        phone: Box<Phone>,
        /// Time of the confirmation.
        #[serde(rename = "confirmed")]
        confirmed_at: Timestamp,
        /// Fingerprint of the confirmation, to recognize the phone's repetitions of it.
        #[serde(rename = "hash")]
        fingerprint: PayloadFingerprint,
        /// The rest of the data for the browser.
        redeemed: Redeemed,
        /// Time at which the browser redeemed the payload.
        at: Timestamp,
    },
    /// The person denied the login.
    Denied {
        /// The phone that opened the login.
        phone: Box<Phone>,
        /// Time of the denial.
        at: Timestamp,
        /// Data for the app's server.
        payload: DenialPayload,
    },
    /// The service blocked the login.
    Blocked {
        /// The phone that opened the login.
        phone: Box<Phone>,
        /// Time of the block.
        at: Timestamp,
        reason: BlockReason,
    },
    /// The browser cancelled the login.
    Cancelled {
        /// The phone that opened the login, if any.
        #[serde(skip_serializing_if = "Option::is_none")]
        phone: Option<Box<Phone>>,
        /// Time of the cancellation.
        at: Timestamp,
    },
}

/// The part of a confirmation that remains after the browser has redeemed it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Redeemed {
    /// The payload was readable and is no longer stored.
    Removed {
        /// The proof that came with the payload, for the app's server.
        #[serde(skip_serializing_if = "Option::is_none")]
        proof: Option<Proof>,
    },
    /// The payload is sealed, and is returned again to the browser with the same receipt.
    Sealed {
        /// Data for the browser.
        payload: PhonePayload,
        receipt: ReceiptHash,
        /// Time until which the payload is returned again.
        until: Timestamp,
    },
}

impl Redeemed {
    /// Returns the proof that came with the confirmation.
    #[must_use]
    pub const fn proof(&self) -> Option<&Proof> {
        match self {
            Self::Removed { proof } => proof.as_ref(),
            Self::Sealed { payload, .. } => payload.proof(),
        }
    }
}

/// The reason why a login was blocked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockReason {
    /// A second phone opened the login, so another person may have the code.
    SecondPhone,
    /// The person confirmed although the risk was too high.
    Risk,
    /// The phone found that the id on the screen does not match the service's answer. Contains the
    /// phone's data for the app's server.
    KeyMismatch(DenialPayload),
    /// The browser sent too many wrong check codes, so it may not be in front of the person.
    CheckCode,
}

/// The status that browser and phone see.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Status {
    /// The code has not been scanned yet.
    Created,
    /// A phone opened the login.
    Scanned,
    /// The payload can be redeemed.
    Confirmed,
    /// The payload was redeemed.
    Consumed,
    /// The person denied the login.
    Denied,
    /// The service blocked the login.
    Blocked,
    /// The login expired.
    Expired,
    /// The browser cancelled the login.
    Cancelled,
}

impl Status {
    /// Returns whether the login can still change.
    #[must_use]
    pub const fn is_live(self) -> bool {
        matches!(self, Self::Created | Self::Scanned | Self::Confirmed)
    }
}

impl Login {
    /// Returns the status at `now`.
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

    /// Returns the expiry time of a live login, or the time at which the login ended.
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

    /// Returns the time until which the login counts as open; `None` if it was decided, blocked or
    /// cancelled.
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

    /// Returns the phone that opened the login, if any.
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

    /// Returns whether `browser` is the sighting of the requesting browser and not of the app's server.
    #[must_use]
    pub const fn has_seen_browser(&self) -> bool {
        self.is_joined || matches!(self.creator, LoginCreator::Page)
    }

    /// Returns the text that the person approves, if any.
    #[must_use]
    pub const fn context(&self) -> Option<&Context> {
        self.creator.context()
    }

    /// Returns whether redeeming the payload requires the check code that the phone shows.
    #[must_use]
    pub fn awaits_check_code(&self) -> bool {
        let binding = self.phone().and_then(|phone| phone.binding);
        self.requires_check_code && !matches!(binding, Some(BrowserBinding::Return(_)))
    }

    /// Returns the user who must decide, if the app's server named one.
    #[must_use]
    pub const fn expected_user(&self) -> Option<&ClaimedUserId> {
        self.creator.user()
    }

    /// Returns the proof that came with the confirmation, if any.
    #[must_use]
    pub const fn proof(&self) -> Option<&Proof> {
        match &self.state {
            State::Confirmed { payload, .. } => payload.proof(),
            State::Consumed { redeemed, .. } => redeemed.proof(),
            _ => None,
        }
    }

    /// Returns the user that the confirmation's proof verified with a key that the app had
    /// registered.
    #[must_use]
    pub const fn verified_user(&self) -> Option<&VerifiedUser> {
        match &self.state {
            State::Confirmed { phone, .. } | State::Consumed { phone, .. } => {
                phone.verified.as_ref()
            }
            _ => None,
        }
    }

    /// Returns the data for the app's server that the phone sent with a denial, if it denied the
    /// login.
    #[must_use]
    pub const fn denial(&self) -> Option<&DenialPayload> {
        match &self.state {
            State::Denied { payload, .. }
            | State::Blocked {
                reason: BlockReason::KeyMismatch(payload),
                ..
            } => Some(payload),
            _ => None,
        }
    }

    /// Returns the id of the webhook about the decision, which is the same for every attempt.
    #[must_use]
    pub fn webhook_id(&self) -> WebhookId {
        WebhookId::for_login(&self.id)
    }

    /// Returns the link that the browser shows.
    #[must_use]
    pub fn link(&self, host: LinkHost) -> LoginLink {
        LoginLink { host, id: self.id }
    }
}
