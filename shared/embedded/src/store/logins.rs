//! The login store. The domain's transitions run on the writer's thread, which makes them atomic.

use async_trait::async_trait;
use countersign_domain::app::quota::Allowance;
use countersign_domain::login::store::LoginStore;
use countersign_domain::login::transitions::{
    Answer, AttachOutcome, CancelOutcome, ConfirmOutcome, CreateOutcome, Denial, DenyOutcome,
    DetachOutcome, InitiateOutcome, RedeemOutcome,
};
use countersign_domain::login::{
    BrowserTokenHash, CheckCode, DeviceTokenHash, Login, Phone, ReceiptHash, WatcherId, transitions,
};
use countersign_domain::primitives::ids::{AppId, LoginId};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

use super::EmbeddedStore;
use super::quotas::CheckQuota;

#[async_trait]
impl LoginStore for EmbeddedStore {
    async fn create(&self, new: Login, now: Timestamp) -> Result<CreateOutcome, Unavailable> {
        self.create_within(new, Allowance::Unlimited, now).await
    }

    async fn create_within(
        &self,
        new: Login,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<CreateOutcome, Unavailable> {
        let id = new.id;
        self.write("login store: create", move |batch| {
            let check_and_create = |current, check: &CheckQuota<'_>| {
                let check = |item: &Login| check(&item.app);
                transitions::create_within(current, new, check, now)
            };
            batch.create(id, allowance, now, check_and_create)
        })
        .await
    }

    async fn find(&self, id: LoginId, now: Timestamp) -> Result<Option<Login>, Unavailable> {
        self.find_item("login store: find", id, now)
    }

    async fn initiate(
        &self,
        id: LoginId,
        app: &AppId,
        phone: Phone,
        now: Timestamp,
    ) -> Result<InitiateOutcome, Unavailable> {
        let app = app.clone();
        self.decide("login store: initiate", id, move |current| {
            transitions::initiate(current, &app, phone, now)
        })
        .await
    }

    async fn confirm(
        &self,
        id: LoginId,
        answer: Answer,
        now: Timestamp,
    ) -> Result<ConfirmOutcome, Unavailable> {
        self.decide("login store: confirm", id, move |current| {
            transitions::confirm(current, answer, now)
        })
        .await
    }

    async fn deny(
        &self,
        id: LoginId,
        denial: Denial,
        now: Timestamp,
    ) -> Result<DenyOutcome, Unavailable> {
        self.decide("login store: deny", id, move |current| {
            transitions::deny(current, denial, now)
        })
        .await
    }

    async fn redeem(
        &self,
        id: LoginId,
        browser: &BrowserTokenHash,
        receipt: &ReceiptHash,
        check_code: Option<CheckCode>,
        now: Timestamp,
    ) -> Result<RedeemOutcome, Unavailable> {
        let (browser, receipt) = (*browser, *receipt);
        self.decide("login store: redeem", id, move |current| {
            transitions::redeem(current, &browser, &receipt, check_code, now)
        })
        .await
    }

    async fn cancel(
        &self,
        id: LoginId,
        browser: &BrowserTokenHash,
        now: Timestamp,
    ) -> Result<CancelOutcome, Unavailable> {
        let browser = *browser;
        self.decide("login store: cancel", id, move |current| {
            transitions::cancel(current, &browser, now)
        })
        .await
    }

    async fn attach_watcher(
        &self,
        id: LoginId,
        device: &DeviceTokenHash,
        watcher: WatcherId,
        now: Timestamp,
    ) -> Result<AttachOutcome, Unavailable> {
        let device = *device;
        self.decide("login store: attach watcher", id, move |current| {
            transitions::attach_watcher(current, &device, watcher, now)
        })
        .await
    }

    async fn detach_watcher(
        &self,
        id: LoginId,
        watcher: &WatcherId,
        now: Timestamp,
    ) -> Result<DetachOutcome, Unavailable> {
        let watcher = watcher.clone();
        self.decide("login store: detach watcher", id, move |current| {
            transitions::detach_watcher(current, &watcher, now)
        })
        .await
    }
}
