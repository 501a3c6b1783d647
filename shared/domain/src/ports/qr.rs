//! The ports of logins by QR code or app link.

use std::net::IpAddr;

use async_trait::async_trait;

use super::Unavailable;
use crate::confirmation::transitions::{PostponeOutcome, SettleOutcome};
use crate::delivery::{DeliveryLane, SettledAttempt};
use crate::ids::AppId;
use crate::qr_session::transitions::{
    Answer, AttachOutcome, CancelOutcome, ClaimNoticeOutcome, ConfirmOutcome, CreateOutcome,
    DenyOutcome, DetachOutcome, InitiateOutcome, RedeemOutcome,
};
use crate::qr_session::{
    AddressBlock, BrowserTokenHash, NetworkClass, Phone, Place, QrSession, QrSessionId, UserKey,
    WatcherId,
};
use crate::quota::Allowance;
use crate::risk::{BrowserMark, ConfirmedLogin, History};
use crate::time::Timestamp;

/// Where QR sessions are kept, one item each.
///
/// Every implementation MUST
/// - make each method that changes an item one atomic conditional write that decides as the
///   function of the same name in [`crate::qr_session::transitions`] does, whatever runs beside
///   it;
/// - have what it wrote on disk (or replicated) before it answers;
/// - treat an item as absent from its `purge_at` on, and remove it some time later;
/// - never read anything that decides a transition from an index.
#[async_trait]
pub trait QrSessionStore: Send + Sync {
    /// Puts a new session if there is none with its id.
    async fn create(&self, new: QrSession, now: Timestamp) -> Result<CreateOutcome, Unavailable>;

    /// As [`create`](Self::create), within the quota of its app. A store that holds apps to quotas
    /// MUST decide as [`crate::qr_session::transitions::create_within`] does. The provided method
    /// holds nobody to anything.
    async fn create_within(
        &self,
        new: QrSession,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<CreateOutcome, Unavailable> {
        let _ = allowance;
        self.create(new, now).await
    }

    /// The item, strongly consistent.
    async fn find(&self, id: QrSessionId, now: Timestamp)
    -> Result<Option<QrSession>, Unavailable>;

    /// Opens a session of the app for a phone, or blocks one that another phone opened.
    async fn initiate(
        &self,
        id: QrSessionId,
        app: &AppId,
        phone: Phone,
        now: Timestamp,
    ) -> Result<InitiateOutcome, Unavailable>;

    /// Lets the phone that opened a session confirm it.
    async fn confirm(
        &self,
        id: QrSessionId,
        answer: Answer,
        now: Timestamp,
    ) -> Result<ConfirmOutcome, Unavailable>;

    /// Lets the phone that opened a session deny it.
    async fn deny(
        &self,
        id: QrSessionId,
        answer: Answer,
        now: Timestamp,
    ) -> Result<DenyOutcome, Unavailable>;

    /// Takes the payload out of a confirmed session.
    async fn redeem(
        &self,
        id: QrSessionId,
        browser: &BrowserTokenHash,
        now: Timestamp,
    ) -> Result<RedeemOutcome, Unavailable>;

    /// Ends a live session.
    async fn cancel(
        &self,
        id: QrSessionId,
        browser: &BrowserTokenHash,
        now: Timestamp,
    ) -> Result<CancelOutcome, Unavailable>;

    /// Adds a connection to those that are told of changes.
    async fn attach_watcher(
        &self,
        id: QrSessionId,
        browser: &BrowserTokenHash,
        watcher: WatcherId,
        now: Timestamp,
    ) -> Result<AttachOutcome, Unavailable>;

    /// Takes a connection that is gone from them.
    async fn detach_watcher(
        &self,
        id: QrSessionId,
        watcher: &WatcherId,
        now: Timestamp,
    ) -> Result<DetachOutcome, Unavailable>;

    /// Claims the attempt after `attempts_claimed` others of the webhook owed for a decision.
    async fn claim_notice(
        &self,
        id: QrSessionId,
        attempts_claimed: u32,
        now: Timestamp,
    ) -> Result<ClaimNoticeOutcome, Unavailable>;

    /// Writes down how a claimed attempt ended.
    async fn settle_notice(
        &self,
        id: QrSessionId,
        settled: SettledAttempt,
        now: Timestamp,
    ) -> Result<SettleOutcome, Unavailable>;

    /// The lanes of which a notice is due at `now`, as [`super::ConfirmationStore::due_lanes`].
    async fn due_notice_lanes(&self, now: Timestamp) -> Result<Vec<DeliveryLane>, Unavailable>;

    /// At most `limit` notices of one lane that are due at `now`, as
    /// [`super::ConfirmationStore::due`].
    async fn due_notices(
        &self,
        lane: DeliveryLane,
        now: Timestamp,
        after: Option<DueNotice>,
        limit: usize,
    ) -> Result<Vec<DueNotice>, Unavailable>;

    /// Advances the instant at which the sweep looks after a notice.
    async fn postpone_notice(
        &self,
        due: DueNotice,
        now: Timestamp,
    ) -> Result<PostponeOutcome, Unavailable>;
}

/// An entry of the due index of notices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DueNotice {
    /// When the sweep was to look after the notice.
    pub due_at: Timestamp,
    /// Whose notice it is.
    pub session: QrSessionId,
    /// The lane of its webhook.
    pub lane: DeliveryLane,
}

/// Whose history is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryQuery {
    /// In which app.
    pub app: AppId,
    /// From where the browser came.
    pub browser: AddressBlock,
    /// Whom the phone names, and the browser that they would confirm.
    pub person: Option<(UserKey, BrowserMark)>,
}

/// Where it is kept what bears on later logins.
///
/// Nothing here decides a transition, so that an implementation may lose what was written at the
/// same instant as something else. It MUST answer as [`crate::risk::Denials`] and
/// [`crate::risk::PersonHistory`] do over what it kept, MUST keep the histories of two apps apart,
/// and MUST forget what these no longer count.
#[async_trait]
pub trait RiskHistory: Send + Sync {
    /// What happened lately.
    async fn recent(&self, query: &HistoryQuery, now: Timestamp) -> Result<History, Unavailable>;

    /// Remembers that a session that was opened from there was denied.
    async fn note_denial(
        &self,
        app: &AppId,
        browser: AddressBlock,
        at: Timestamp,
    ) -> Result<(), Unavailable>;

    /// Remembers that a person confirmed a login.
    async fn note_confirmation(
        &self,
        user: UserKey,
        login: ConfirmedLogin,
    ) -> Result<(), Unavailable>;

    /// As [`note_confirmation`](Self::note_confirmation), and says whether the name was new. A name
    /// is known as long as anything is stored for it. The provided method knows every name.
    async fn note_name(
        &self,
        user: UserKey,
        login: ConfirmedLogin,
        new_names: NewNames,
    ) -> Result<NameOutcome, Unavailable> {
        let _ = new_names;
        self.note_confirmation(user, login).await?;
        Ok(NameOutcome::Known)
    }
}

/// What is to become of a name that the app never saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewNames {
    /// It is remembered, as every other.
    Remember,
    /// It is left out: nothing is written.
    LeaveOut,
}

/// What was done with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameOutcome {
    /// The app had seen it before.
    Known,
    /// It is remembered from now on.
    New,
    /// It is new, and was left out.
    LeftOut,
}

/// Bounds how many names that an app never saw are remembered.
///
/// Every implementation MUST decide and count in one step.
pub trait NameLimit: Send + Sync {
    /// Counts a name that a phone at that address claims.
    fn take(&self, app: &AppId, phone: IpAddr, now: Timestamp) -> NewNames;

    /// Takes back one that was counted and is not new after all.
    fn give_back(&self, app: &AppId, phone: IpAddr, now: Timestamp);
}

/// What became of a poke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PokeOutcome {
    /// It is on its way.
    Sent,
    /// Nobody is there any more, and nobody will come back under that name.
    Gone,
}

/// Tells a watching browser that its session changed.
///
/// Every implementation MUST send no more than that: what it changed to, the browser asks for with
/// its token. It MUST give up within a bound rather than wait for a connection that takes nothing.
#[async_trait]
pub trait Push: Send + Sync {
    /// Sends `{"changed":true}`.
    async fn poke(&self, watcher: &WatcherId) -> Result<PokeOutcome, Unavailable>;
}

/// Where an address is and what network it belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Located {
    /// Where.
    pub place: Place,
    /// What network.
    pub network: NetworkClass,
}

impl Located {
    /// This, and of the other what this does not say. Country, city and coordinates are taken from
    /// one of them together: two sources may differ, and a mixture would be nowhere.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            place: if self.place == Place::default() {
                other.place
            } else {
                self.place
            },
            network: if self.network == NetworkClass::Unknown {
                other.network
            } else {
                self.network
            },
        }
    }
}

/// Locates addresses. Every implementation MUST leave out what it does not know, and MUST NOT ask
/// anybody over the network who is told whom it is about.
pub trait GeoIp: Send + Sync {
    /// Where that address is.
    fn locate(&self, address: IpAddr) -> Located;
}

/// Knows nothing: for hosts without a source of places.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoGeoIp;

impl GeoIp for NoGeoIp {
    fn locate(&self, _: IpAddr) -> Located {
        Located::default()
    }
}
