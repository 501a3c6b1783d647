//! The port of logins.

use async_trait::async_trait;

use crate::app::quota::Allowance;
use crate::login::transitions::{
    Answer, AttachOutcome, CancelOutcome, ConfirmOutcome, CreateOutcome, DenyOutcome,
    DetachOutcome, InitiateOutcome, RedeemOutcome,
};
use crate::login::{BrowserTokenHash, Login, Phone, WatcherId};
use crate::primitives::ids::{AppId, LoginId};
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// Where logins are kept, one item each. Their webhooks are the business of the
/// [`DeliveryStore`](crate::delivery::store::DeliveryStore), which sees the same items.
///
/// Every implementation MUST
/// - make each method that changes an item one atomic conditional write that decides as the
///   function of the same name in [`crate::login::transitions`] does, whatever runs at the same
///   time;
/// - have the write on disk (or replicated) before it answers;
/// - treat an item as absent from its `purge_at` on, and remove it some time later;
/// - never read anything that decides a transition from an index.
#[async_trait]
pub trait LoginStore: Send + Sync {
    /// Stores a new login, unless one has its id.
    async fn create(&self, new: Login, now: Timestamp) -> Result<CreateOutcome, Unavailable>;

    /// Stores a new login as [`create`](Self::create) does, within the quota of its app. A store that
    /// enforces quotas MUST decide as [`crate::login::transitions::create_within`] does. The provided
    /// method enforces no quota.
    async fn create_within(
        &self,
        new: Login,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<CreateOutcome, Unavailable> {
        let _ = allowance;
        self.create(new, now).await
    }

    /// Reads the item, strongly consistent.
    async fn find(&self, id: LoginId, now: Timestamp) -> Result<Option<Login>, Unavailable>;

    /// Opens a login of the app for a phone, or blocks one that another phone opened.
    async fn initiate(
        &self,
        id: LoginId,
        app: &AppId,
        phone: Phone,
        now: Timestamp,
    ) -> Result<InitiateOutcome, Unavailable>;

    /// Lets the phone that opened a login confirm it.
    async fn confirm(
        &self,
        id: LoginId,
        answer: Answer,
        now: Timestamp,
    ) -> Result<ConfirmOutcome, Unavailable>;

    /// Lets the phone that opened a login deny it.
    async fn deny(
        &self,
        id: LoginId,
        answer: Answer,
        now: Timestamp,
    ) -> Result<DenyOutcome, Unavailable>;

    /// Takes the payload out of a confirmed login.
    async fn redeem(
        &self,
        id: LoginId,
        browser: &BrowserTokenHash,
        now: Timestamp,
    ) -> Result<RedeemOutcome, Unavailable>;

    /// Ends a live login.
    async fn cancel(
        &self,
        id: LoginId,
        browser: &BrowserTokenHash,
        now: Timestamp,
    ) -> Result<CancelOutcome, Unavailable>;

    /// Subscribes a connection to changes.
    async fn attach_watcher(
        &self,
        id: LoginId,
        browser: &BrowserTokenHash,
        watcher: WatcherId,
        now: Timestamp,
    ) -> Result<AttachOutcome, Unavailable>;

    /// Unsubscribes a connection that is gone.
    async fn detach_watcher(
        &self,
        id: LoginId,
        watcher: &WatcherId,
        now: Timestamp,
    ) -> Result<DetachOutcome, Unavailable>;
}
