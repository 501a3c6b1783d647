//! The link to the store of logins and to their history.

use std::net::IpAddr;
use std::sync::Arc;

use async_trait::async_trait;
use countersign_domain::login::history::{
    HistoryQuery, NameLimit, NameOutcome, NewNames, RiskHistory,
};
use countersign_domain::login::risk::{ConfirmedLogin, History};
use countersign_domain::login::store::LoginStore;
use countersign_domain::login::transitions::{
    Answer as Confirmation, AttachOutcome, CancelOutcome, ConfirmOutcome, CreateOutcome, Denial,
    DenyOutcome, DetachOutcome, InitiateOutcome, RedeemOutcome,
};
use countersign_domain::login::{
    BrowserTokenHash, CheckCode, DeviceTokenHash, Login, Phone, ReceiptHash, UserKey, WatcherId,
};
use countersign_domain::primitives::ids::{AppId, LoginId};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::address_block::AddressBlock;

use super::StoreLink;
use super::store::{Answer, over_the_link};
use crate::env::Link;

#[async_trait]
impl LoginStore for StoreLink {
    async fn create(&self, new: Login, now: Timestamp) -> Answer<CreateOutcome> {
        let id = new.id;
        over_the_link!(self, "logins: create", id, |stores| stores
            .logins
            .create(new, now))
    }

    async fn find(&self, id: LoginId, now: Timestamp) -> Answer<Option<Login>> {
        over_the_link!(self, "logins: find", id, |stores| stores
            .logins
            .find(id, now))
    }

    async fn initiate(
        &self,
        id: LoginId,
        app: &AppId,
        phone: Phone,
        now: Timestamp,
    ) -> Answer<InitiateOutcome> {
        let app = app.clone();
        over_the_link!(self, "logins: initiate", id, |stores| stores
            .logins
            .initiate(id, &app, phone, now))
    }

    async fn confirm(
        &self,
        id: LoginId,
        answer: Confirmation,
        now: Timestamp,
    ) -> Answer<ConfirmOutcome> {
        over_the_link!(self, "logins: confirm", id, |stores| stores
            .logins
            .confirm(id, answer, now))
    }

    async fn deny(&self, id: LoginId, denial: Denial, now: Timestamp) -> Answer<DenyOutcome> {
        over_the_link!(self, "logins: deny", id, |stores| stores
            .logins
            .deny(id, denial, now))
    }

    async fn redeem(
        &self,
        id: LoginId,
        browser: &BrowserTokenHash,
        receipt: &ReceiptHash,
        check_code: Option<CheckCode>,
        now: Timestamp,
    ) -> Answer<RedeemOutcome> {
        let (browser, receipt) = (*browser, *receipt);
        over_the_link!(self, "logins: redeem", id, |stores| stores
            .logins
            .redeem(id, &browser, &receipt, check_code, now))
    }

    async fn cancel(
        &self,
        id: LoginId,
        browser: &BrowserTokenHash,
        now: Timestamp,
    ) -> Answer<CancelOutcome> {
        let browser = *browser;
        over_the_link!(self, "logins: cancel", id, |stores| stores
            .logins
            .cancel(id, &browser, now))
    }

    async fn attach_watcher(
        &self,
        id: LoginId,
        device: &DeviceTokenHash,
        watcher: WatcherId,
        now: Timestamp,
    ) -> Answer<AttachOutcome> {
        let (stores, device) = (Arc::clone(&self.watched), *device);
        let effect = async move {
            let copy = watcher.clone();
            let logins = &stores.stores.logins;
            let outcome = logins.attach_watcher(id, &device, copy, now).await;
            stores.look(id).await;
            if let Ok(AttachOutcome::Attached(_)) = outcome {
                let oracle = &stores.env.oracle;
                oracle.with(|oracle| oracle.attached(id, &watcher));
            }
            outcome
        };
        self.link.call("logins: attach", effect).await
    }

    async fn detach_watcher(
        &self,
        id: LoginId,
        watcher: &WatcherId,
        now: Timestamp,
    ) -> Answer<DetachOutcome> {
        let watcher = watcher.clone();
        over_the_link!(self, "logins: detach", id, |stores| stores
            .logins
            .detach_watcher(id, &watcher, now))
    }
}

#[async_trait]
impl RiskHistory for StoreLink {
    async fn recent(&self, query: &HistoryQuery, now: Timestamp) -> Answer<History> {
        let (watched, query) = (Arc::clone(&self.watched), query.clone());
        let effect = async move { watched.model.logins().recent(&query, now).await };
        self.link.call("history: recent", effect).await
    }

    async fn note_denial(&self, app: &AppId, browser: AddressBlock, at: Timestamp) -> Answer<()> {
        let (watched, app) = (Arc::clone(&self.watched), app.clone());
        let effect = async move { watched.model.logins().note_denial(&app, browser, at).await };
        self.link.call("history: denial", effect).await
    }

    async fn note_confirmation(&self, user: UserKey, login: ConfirmedLogin) -> Answer<()> {
        self.note_name(user, login, NewNames::Remember).await?;
        Ok(())
    }

    async fn note_name(
        &self,
        user: UserKey,
        login: ConfirmedLogin,
        new_names: NewNames,
    ) -> Answer<NameOutcome> {
        let watched = Arc::clone(&self.watched);
        let effect = async move {
            watched
                .model
                .logins()
                .note_name(user, login, new_names)
                .await
        };
        self.link.call("history: name", effect).await
    }
}

/// A limit on new names that chance decides.
pub struct NameLimitLink(pub Link);

impl NameLimit for NameLimitLink {
    fn take(&self, _: &AppId, _: IpAddr, _: Timestamp) -> NewNames {
        if self.0.env.sim.draw(|chance| chance.once_in(8)) {
            NewNames::LeaveOut
        } else {
            NewNames::Remember
        }
    }

    fn give_back(&self, _: &AppId, _: IpAddr, _: Timestamp) {}
}
