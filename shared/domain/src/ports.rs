//! The ports: how time, chance and IO come in. Each says what every implementation MUST do; the
//! conformance suite holds them to it.

mod qr;

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use thiserror::Error;

use crate::api_key::{ApiKeyHash, ApiKeyId, ApiKeyRecord};
use crate::app::{App, AppKey, InboundProfile};
use crate::callback_url::CallbackUrl;
use crate::confirmation::Confirmation;
use crate::confirmation::transitions::{
    CancelOutcome, ClaimOutcome, CreateOutcome, PostponeOutcome, RedactOutcome, RedeliverOutcome,
    SettleOutcome, SettledAttempt, TextEvidence, VerifyOutcome,
};
use crate::delivery::{DeliveryLane, DeliveryPointer, DeliverySubject, FailureReason};
use crate::event::Event;
use crate::ids::{AppId, ConfirmationId};
use crate::qr_session::LinkHost;
use crate::quota::Allowance;
use crate::signing::{PublicKey, Signature};
use crate::time::Timestamp;

pub use qr::{
    DueNotice, GeoIp, HistoryQuery, Located, NameLimit, NameOutcome, NewNames, NoGeoIp,
    PokeOutcome, Push, QrSessionStore, RiskHistory,
};

/// Time.
pub trait Clock: Send + Sync {
    /// The present instant. MUST NOT be cached.
    fn now(&self) -> Timestamp;
}

/// Time that nobody can set.
pub trait BootTime: Send + Sync {
    /// How long ago the machine was started. MUST count the time that it was suspended for, and
    /// MUST NOT follow the wall clock.
    fn since_boot(&self) -> Duration;
}

/// Chance.
pub trait Entropy: Send + Sync {
    /// Fills the buffer with random bytes. In production they MUST come from the operating
    /// system's generator, since codes and keys are made of them.
    fn fill(&self, buffer: &mut [u8]);
}

/// Something behind a port did not work. Ours, never the caller's: it becomes an opaque 5xx, and
/// one log line with the cause.
#[derive(Debug, Error)]
#[error("{what} failed")]
pub struct Unavailable {
    what: &'static str,
    #[source]
    cause: Box<dyn Error + Send + Sync>,
}

impl Unavailable {
    /// A failure of `what` (`"confirmation store: verify"`).
    pub fn new(what: &'static str, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self {
            what,
            cause: cause.into(),
        }
    }

    /// What failed.
    #[must_use]
    pub const fn what(&self) -> &'static str {
        self.what
    }
}

/// An entry of the due index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Due {
    /// When the sweep was to look after the delivery.
    pub due_at: Timestamp,
    /// Whose delivery it is.
    pub confirmation: ConfirmationId,
    /// The lane of its webhook.
    pub lane: DeliveryLane,
}

/// Where confirmations are kept, one item each.
///
/// Every implementation MUST
/// - make each method that changes an item one atomic conditional write that decides as the
///   function of the same name in [`crate::confirmation::transitions`] does, whatever runs beside
///   it;
/// - have what it wrote on disk (or replicated) before it answers, except for a claim, which may
///   be lost with the process that made it;
/// - treat an item as absent from its `purge_at` on, and remove it some time later;
/// - never read anything that decides a transition from an index.
#[async_trait]
pub trait ConfirmationStore: Send + Sync {
    /// Puts a new session if there is none with its id.
    async fn create(&self, new: Confirmation, now: Timestamp)
    -> Result<CreateOutcome, Unavailable>;

    /// As [`create`](Self::create), within the quota of its app. A store that holds apps to quotas
    /// MUST decide as [`crate::confirmation::transitions::create_within`] does: an item that is
    /// there already is answered and not counted. The provided method holds nobody to anything.
    async fn create_within(
        &self,
        new: Confirmation,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<CreateOutcome, Unavailable> {
        let _ = allowance;
        self.create(new, now).await
    }

    /// The item, strongly consistent.
    async fn find(
        &self,
        id: ConfirmationId,
        now: Timestamp,
    ) -> Result<Option<Confirmation>, Unavailable>;

    /// Lets a text complete a session.
    async fn verify(
        &self,
        id: ConfirmationId,
        evidence: &TextEvidence,
        now: Timestamp,
        retention: Duration,
    ) -> Result<VerifyOutcome, Unavailable>;

    /// Ends an open session of the app.
    async fn cancel(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
    ) -> Result<CancelOutcome, Unavailable>;

    /// Erases the personal data of a session of the app that has ended.
    async fn redact(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
    ) -> Result<RedactOutcome, Unavailable>;

    /// Makes the webhook of a session of the app owed again.
    async fn redeliver(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
        retention: Duration,
    ) -> Result<RedeliverOutcome, Unavailable>;

    /// Claims the attempt after `attempts_claimed` others.
    async fn claim(
        &self,
        id: ConfirmationId,
        attempts_claimed: u32,
        now: Timestamp,
    ) -> Result<ClaimOutcome, Unavailable>;

    /// Writes down how a claimed attempt ended.
    async fn settle(
        &self,
        id: ConfirmationId,
        settled: SettledAttempt,
        now: Timestamp,
        retention: Duration,
    ) -> Result<SettleOutcome, Unavailable>;

    /// The lanes of which something is due at `now`, each once. May be stale.
    ///
    /// MUST take time by the number of lanes and not by that of the entries: a lane with 300,000 of
    /// them must not keep the sweep from the others.
    async fn due_lanes(&self, now: Timestamp) -> Result<Vec<DeliveryLane>, Unavailable>;

    /// At most `limit` entries of one lane that are due at `now`, the longest due first, from the
    /// one after `after` on. Fewer than `limit` means that there are no more. May be stale. MUST
    /// take time by `limit`, whatever other lanes hold.
    async fn due(
        &self,
        lane: DeliveryLane,
        now: Timestamp,
        after: Option<Due>,
        limit: usize,
    ) -> Result<Vec<Due>, Unavailable>;

    /// Advances the instant at which the sweep looks after a delivery.
    async fn postpone(&self, due: Due, now: Timestamp) -> Result<PostponeOutcome, Unavailable>;
}

/// What is known of a presented API key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyLookup {
    /// It opens this app.
    Active(Arc<App>),
    /// It was revoked.
    Revoked,
    /// Nobody was ever given it.
    Unknown,
}

/// What became of a new app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CreateAppOutcome {
    /// It is there.
    Created,
    /// An app of that name exists.
    NameTaken,
}

/// What became of an app's change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateAppOutcome {
    /// It is as asked for.
    Updated,
    /// There is no such app.
    Unknown,
}

/// What became of a new key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IssueKeyOutcome {
    /// It works from now on.
    Issued,
    /// The app has [`crate::api_key::MOST_ACTIVE_KEYS`] active keys already.
    TooMany,
    /// There is no such app.
    UnknownApp,
}

/// What became of a revocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RevokeKeyOutcome {
    /// It no longer works.
    Revoked,
    /// It had been revoked before.
    AlreadyRevoked,
    /// The app has no such key.
    Unknown,
}

/// Where apps and their API keys are kept.
///
/// Every implementation MUST store no API key, only its hash; MUST make a revocation hold at once
/// for the process that made it and within 60 s everywhere; and MUST decide `issue_key`'s limit
/// atomically, so that two at once cannot exceed it.
#[async_trait]
pub trait AppStore: Send + Sync {
    /// Which app a key opens. May be answered from a cache of at most 60 s.
    async fn lookup_key(&self, hash: &ApiKeyHash) -> Result<KeyLookup, Unavailable>;

    /// The app of that name.
    async fn find_app(&self, id: &AppId) -> Result<Option<Arc<App>>, Unavailable>;

    /// Every app, by name.
    async fn list_apps(&self) -> Result<Vec<Arc<App>>, Unavailable>;

    /// The app that browsers and phones call so. May be answered from a cache of at most 60 s.
    async fn lookup_app_key(&self, key: &AppKey) -> Result<Option<Arc<App>>, Unavailable> {
        let apps = self.list_apps().await?;
        Ok(apps.into_iter().find(|app| app.app_key == *key))
    }

    /// The apps whose links have that host, by name: several may share one. May be answered from a
    /// cache of at most 60 s.
    async fn apps_of_link_host(&self, host: &LinkHost) -> Result<Vec<Arc<App>>, Unavailable> {
        let mut apps = self.list_apps().await?;
        apps.retain(|app| app.login.link_host.as_ref() == Some(host));
        Ok(apps)
    }

    /// Puts a new app if there is none of its name.
    async fn create_app(&self, app: App) -> Result<CreateAppOutcome, Unavailable>;

    /// Replaces an app.
    async fn update_app(&self, app: App) -> Result<UpdateAppOutcome, Unavailable>;

    /// Adds a key to an app, unless it has too many.
    async fn issue_key(
        &self,
        app: &AppId,
        key: ApiKeyRecord,
    ) -> Result<IssueKeyOutcome, Unavailable>;

    /// An app's keys, the oldest first, revoked ones included; empty where there is no such app.
    async fn list_keys(&self, app: &AppId) -> Result<Vec<ApiKeyRecord>, Unavailable>;

    /// Revokes a key of an app.
    async fn revoke_key(
        &self,
        app: &AppId,
        key: &ApiKeyId,
        now: Timestamp,
    ) -> Result<RevokeKeyOutcome, Unavailable>;

    /// The prefixes and numbers of all apps. MUST still name what an app had before a change:
    /// sessions that were opened then refer to it.
    async fn inbound_profile(&self) -> Result<Arc<InboundProfile>, Unavailable>;
}

/// Where signatures come from.
///
/// Every implementation MUST sign ECDSA over P-256 with exactly the given digest (no hashing of
/// its own), answer DER, and name the key by its RFC 7638 thumbprint; `public_keys` MUST include
/// the current key, first, and every former one whose signatures may still be under way.
#[async_trait]
pub trait Signer: Send + Sync {
    /// Signs a SHA-256 digest with the current key.
    async fn sign(&self, digest: &[u8; 32]) -> Result<Signature, Unavailable>;

    /// The current key, then the former ones.
    async fn public_keys(&self) -> Result<Vec<PublicKey>, Unavailable>;
}

/// The queue that wakes the dispatcher.
///
/// An implementation may lose, double or reorder pointers, since the sweep finds what is owed; it
/// MUST NOT hand one out before its delay is over.
///
/// One lane's pointers MUST NOT keep another's from being taken or handed out, however many there
/// are and whatever the attempts do that they lead to.
#[async_trait]
pub trait DeliveryQueue: Send + Sync {
    /// Puts a pointer into the queue, to be handed out after `delay`, at most
    /// [`LONGEST_QUEUE_DELAY`]. A queue without room for it MAY leave it to the sweep, or another
    /// of a lane that has more waiting.
    async fn enqueue(
        &self,
        pointer: DeliveryPointer,
        delay: Duration,
    ) -> Result<Enqueued, Unavailable>;

    /// What the sweep would find the queue to do with a delivery of that lane. A queue that cannot
    /// tell has room.
    fn room_for(&self, lane: DeliveryLane, subject: DeliverySubject) -> Room {
        let _ = (lane, subject);
        Room::Free(usize::MAX)
    }
}

/// What became of a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enqueued {
    /// It waits for its time, or one like it did already.
    Waiting,
    /// The queue has no room for more of its lane. The sweep finds the delivery when it is due.
    LeftToSweep,
}

/// Whether a queue would take a delivery from the sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// It would, and so many of that lane in all.
    Free(usize),
    /// The delivery waits there already, or its attempt is under way.
    Held,
    /// There is none but in the place of another of that lane: for a receiver that has less waiting
    /// there than the one with the most.
    Contested,
    /// There is no room for more of that lane.
    Full,
}

/// The longest delay that a queue takes (SQS: 15 minutes). Longer waits are the sweep's.
pub const LONGEST_QUEUE_DELAY: Duration = Duration::from_mins(15);

/// A webhook as it goes over the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookRequest {
    /// Header `webhook-id`.
    pub webhook_id: crate::ids::WebhookId,
    /// Header `webhook-timestamp`, in whole seconds: when this attempt was made.
    pub attempted_at: Timestamp,
    /// Headers `x-signature` and `x-signature-key-id`.
    pub signature: Signature,
    /// The body, byte for byte what was signed.
    pub body: Arc<str>,
}

/// How sending ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SendOutcome {
    /// The receiver answered.
    Answered {
        /// The HTTP status.
        status: u16,
        /// What the receiver's `Retry-After` asks for, where it is there and well formed.
        retry_after: Option<Duration>,
    },
    /// No answer came.
    NoAnswer(FailureReason),
}

/// Sends webhooks.
///
/// Every implementation MUST obey the address guard, follow no redirect, bound the whole exchange
/// in time and what it reads in bytes, and never change the body.
#[async_trait]
pub trait WebhookSender: Send + Sync {
    /// Posts one webhook.
    async fn send(&self, url: &CallbackUrl, request: &WebhookRequest) -> SendOutcome;
}

/// Tells whether storage takes writes.
pub trait StorageHealth: Send + Sync {
    /// The condition now. Asked for each new session: MUST be quick.
    fn condition(&self) -> StorageCondition;
}

/// Whether storage takes writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageCondition {
    /// It takes everything.
    Ready,
    /// Space runs out. What is left is for sessions that are there: no new ones.
    Low,
    /// Writes fail.
    NotWritable,
}

/// Storage that others look after and that does not run full, such as a table in a cloud.
#[derive(Clone, Copy, Debug)]
pub struct ManagedStorage;

impl StorageHealth for ManagedStorage {
    fn condition(&self) -> StorageCondition {
        StorageCondition::Ready
    }
}

/// Where it is counted what happens.
pub trait Metrics: Send + Sync {
    /// Counts one event. MUST NOT block or fail.
    fn count(&self, event: &Event);
}
