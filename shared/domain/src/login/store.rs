//! The port to the store of logins.

use async_trait::async_trait;

use crate::app::quota::Allowance;
use crate::login::transitions::{
    Answer, AttachOutcome, CancelOutcome, ConfirmOutcome, CreateOutcome, Denial, DenyOutcome,
    DetachOutcome, InitiateOutcome, RedeemOutcome,
};
use crate::login::{
    BrowserTokenHash, CheckCode, DeviceTokenHash, Login, Phone, ReceiptHash, WatcherId,
};
use crate::primitives::ids::{AppId, LoginId};
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// A store of logins, with one item each. Their webhooks are in the
/// [`DeliveryStore`](crate::delivery::store::DeliveryStore), which has the same items.
///
/// Every implementation MUST
/// - make each method that changes an item one atomic conditional write that decides as the
///   function of the same name in [`crate::login::transitions`] does, whatever runs
///   concurrently;
/// - have its writes on disk (or replicated) before it answers;
/// - treat an item as absent from its `purge_at` on, and remove it some time later;
/// - never base a transition on data read from an index.
#[async_trait]
pub trait LoginStore: Send + Sync {
    /// Stores a new login, unless an item with its id exists. The same browser may repeat this.
    async fn create(&self, new: Login, now: Timestamp) -> Result<CreateOutcome, Unavailable>;

    /// Stores a new login as [`create`](Self::create) does, within the quota of its app. Stores
    /// that enforce quotas MUST decide as [`crate::login::transitions::create_within`] does. The
    /// provided method enforces no quota.
    async fn create_within(
        &self,
        new: Login,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<CreateOutcome, Unavailable> {
        let _ = allowance;
        self.create(new, now).await
    }

    /// Reads an item with strong consistency.
    async fn find(&self, id: LoginId, now: Timestamp) -> Result<Option<Login>, Unavailable>;

    /// Opens a login of the app for a phone, or blocks it if another phone opened it before.
    async fn initiate(
        &self,
        id: LoginId,
        app: &AppId,
        phone: Phone,
        now: Timestamp,
    ) -> Result<InitiateOutcome, Unavailable>;

    /// Confirms a login for the phone that opened it.
    async fn confirm(
        &self,
        id: LoginId,
        answer: Answer,
        now: Timestamp,
    ) -> Result<ConfirmOutcome, Unavailable>;

    /// Denies a login for the phone that opened it.
    async fn deny(
        &self,
        id: LoginId,
        denial: Denial,
        now: Timestamp,
    ) -> Result<DenyOutcome, Unavailable>;

    /// Returns the payload of a confirmed login: a readable one once, removing it; a sealed one
    /// again to the same receipt. Counts wrong check codes.
    async fn redeem(
        &self,
        id: LoginId,
        browser: &BrowserTokenHash,
        receipt: &ReceiptHash,
        check_code: Option<CheckCode>,
        now: Timestamp,
    ) -> Result<RedeemOutcome, Unavailable>;

    /// Cancels a live login.
    async fn cancel(
        &self,
        id: LoginId,
        browser: &BrowserTokenHash,
        now: Timestamp,
    ) -> Result<CancelOutcome, Unavailable>;

    /// Adds a connection of the browser or the phone that is notified of changes.
    async fn attach_watcher(
        &self,
        id: LoginId,
        device: &DeviceTokenHash,
        watcher: WatcherId,
        now: Timestamp,
    ) -> Result<AttachOutcome, Unavailable>;

    /// Removes a connection that is closed.
    async fn detach_watcher(
        &self,
        id: LoginId,
        watcher: &WatcherId,
        now: Timestamp,
    ) -> Result<DetachOutcome, Unavailable>;
}
