//! The store of logins.

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

use super::attributes::Key;
use super::rates::LOGINS;
use super::record::from_item;
use super::{DynamoStore, unavailable};

#[async_trait]
impl LoginStore for DynamoStore {
    async fn create(&self, new: Login, now: Timestamp) -> Result<CreateOutcome, Unavailable> {
        let created = CreateOutcome::Created;
        let decide = |current, new| transitions::create(current, new, now);
        self.put_new(new.id, new, now, created, decide)
            .await
            .map_err(unavailable("login store: create"))
    }

    /// Counts the rate in this instance only, and does not limit how many logins are open.
    async fn create_within(
        &self,
        new: Login,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<CreateOutcome, Unavailable> {
        let Allowance::Within(quota) = allowance else {
            return self.create(new, now).await;
        };
        let app = new.app.clone();
        if let Err(exceeded) = self.rates.take(LOGINS, &app, &quota, now) {
            return Ok(CreateOutcome::Exceeded(exceeded));
        }
        let outcome = self.create(new, now).await;
        if !matches!(outcome, Ok(CreateOutcome::Created)) {
            self.rates.give_back(LOGINS, &app, &quota, now);
        }
        outcome
    }

    async fn find(&self, id: LoginId, now: Timestamp) -> Result<Option<Login>, Unavailable> {
        let read = async {
            let item = self.get(Key::login(id)).await?;
            let item = item.map(|item| from_item(id, &item)).transpose()?;
            Ok(item.filter(|item: &Login| now < item.purge_at))
        };
        read.await.map_err(unavailable("login store: find"))
    }

    async fn initiate(
        &self,
        id: LoginId,
        app: &AppId,
        phone: Phone,
        now: Timestamp,
    ) -> Result<InitiateOutcome, Unavailable> {
        let decide = |current| transitions::initiate(current, app, phone.clone(), now);
        self.transact(id, decide)
            .await
            .map_err(unavailable("login store: initiate"))
    }

    async fn confirm(
        &self,
        id: LoginId,
        answer: Answer,
        now: Timestamp,
    ) -> Result<ConfirmOutcome, Unavailable> {
        let decide = |current| transitions::confirm(current, answer.clone(), now);
        self.transact(id, decide)
            .await
            .map_err(unavailable("login store: confirm"))
    }

    async fn deny(
        &self,
        id: LoginId,
        denial: Denial,
        now: Timestamp,
    ) -> Result<DenyOutcome, Unavailable> {
        let decide = |current| transitions::deny(current, denial.clone(), now);
        self.transact(id, decide)
            .await
            .map_err(unavailable("login store: deny"))
    }

    async fn redeem(
        &self,
        id: LoginId,
        browser: &BrowserTokenHash,
        receipt: &ReceiptHash,
        check_code: Option<CheckCode>,
        now: Timestamp,
    ) -> Result<RedeemOutcome, Unavailable> {
        let decide = |current| transitions::redeem(current, browser, receipt, check_code, now);
        self.transact(id, decide)
            .await
            .map_err(unavailable("login store: redeem"))
    }

    async fn cancel(
        &self,
        id: LoginId,
        browser: &BrowserTokenHash,
        now: Timestamp,
    ) -> Result<CancelOutcome, Unavailable> {
        let decide = |current| transitions::cancel(current, browser, now);
        self.transact(id, decide)
            .await
            .map_err(unavailable("login store: cancel"))
    }

    async fn attach_watcher(
        &self,
        id: LoginId,
        device: &DeviceTokenHash,
        watcher: WatcherId,
        now: Timestamp,
    ) -> Result<AttachOutcome, Unavailable> {
        let decide = |current| transitions::attach_watcher(current, device, watcher.clone(), now);
        self.transact(id, decide)
            .await
            .map_err(unavailable("login store: attach watcher"))
    }

    async fn detach_watcher(
        &self,
        id: LoginId,
        watcher: &WatcherId,
        now: Timestamp,
    ) -> Result<DetachOutcome, Unavailable> {
        let decide = |current| transitions::detach_watcher(current, watcher, now);
        self.transact(id, decide)
            .await
            .map_err(unavailable("login store: detach watcher"))
    }
}
