//! Logins.

use async_trait::async_trait;

use super::document::Key;
use super::{Started, Store};
use crate::app::quota::Allowance;
use crate::login::store::LoginStore;
use crate::login::transitions::{
    self, Answer, AttachOutcome, CancelOutcome, ConfirmOutcome, CreateOutcome, Denial, DenyOutcome,
    DetachOutcome, InitiateOutcome, RedeemOutcome,
};
use crate::login::{
    BrowserTokenHash, CheckCode, DeviceTokenHash, Login, Phone, ReceiptHash, WatcherId,
};
use crate::primitives::ids::{AppId, LoginId};
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

#[async_trait]
impl LoginStore for Store {
    async fn create(&self, new: Login, now: Timestamp) -> Result<CreateOutcome, Unavailable> {
        self.create_within(new, Allowance::Unlimited, now).await
    }

    async fn create_within(
        &self,
        new: Login,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<CreateOutcome, Unavailable> {
        let (key, app) = (Key::Login(new.id), new.app.clone());
        let started = self.start(
            (&key, new.clone()),
            (&app, |rates| &mut rates.logins),
            allowance,
            now,
        );
        Ok(match started.await? {
            Started::Made => CreateOutcome::Created,
            Started::Present(present) => transitions::create(Some(present), new, now).outcome,
            Started::Exceeded(exceeded) => CreateOutcome::Exceeded(exceeded),
        })
    }

    async fn find(&self, id: LoginId, now: Timestamp) -> Result<Option<Login>, Unavailable> {
        let found = self.get::<Login>(&Key::Login(id)).await?;
        Ok(found.filter(|item| now < item.purge_at))
    }

    async fn initiate(
        &self,
        id: LoginId,
        app: &AppId,
        phone: Phone,
        now: Timestamp,
    ) -> Result<InitiateOutcome, Unavailable> {
        let decide = |current| transitions::initiate(current, app, phone.clone(), now);
        self.change(&Key::Login(id), decide).await
    }

    async fn confirm(
        &self,
        id: LoginId,
        answer: Answer,
        now: Timestamp,
    ) -> Result<ConfirmOutcome, Unavailable> {
        let decide = |current| transitions::confirm(current, answer.clone(), now);
        self.change(&Key::Login(id), decide).await
    }

    async fn deny(
        &self,
        id: LoginId,
        denial: Denial,
        now: Timestamp,
    ) -> Result<DenyOutcome, Unavailable> {
        let decide = |current| transitions::deny(current, denial.clone(), now);
        self.change(&Key::Login(id), decide).await
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
        self.change(&Key::Login(id), decide).await
    }

    async fn cancel(
        &self,
        id: LoginId,
        browser: &BrowserTokenHash,
        now: Timestamp,
    ) -> Result<CancelOutcome, Unavailable> {
        let decide = |current| transitions::cancel(current, browser, now);
        self.change(&Key::Login(id), decide).await
    }

    async fn attach_watcher(
        &self,
        id: LoginId,
        device: &DeviceTokenHash,
        watcher: WatcherId,
        now: Timestamp,
    ) -> Result<AttachOutcome, Unavailable> {
        let decide = |current| transitions::attach_watcher(current, device, watcher.clone(), now);
        self.change(&Key::Login(id), decide).await
    }

    async fn detach_watcher(
        &self,
        id: LoginId,
        watcher: &WatcherId,
        now: Timestamp,
    ) -> Result<DetachOutcome, Unavailable> {
        let decide = |current| transitions::detach_watcher(current, watcher, now);
        self.change(&Key::Login(id), decide).await
    }
}
