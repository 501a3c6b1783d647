//! The methods of the faulty store of logins.

use async_trait::async_trait;
use countersign_conformance::samples::logins::browser_key;
use countersign_domain::login::risk::Assessment;
use countersign_domain::login::store::LoginStore;
use countersign_domain::login::transitions::{
    Answer as Confirmation, AttachOutcome, CancelOutcome, ConfirmOutcome, CreateOutcome, Denial,
    DenyOutcome, DetachOutcome, InitiateOutcome, RedeemOutcome,
};
use countersign_domain::login::{
    BrowserTokenHash, CheckCode, DenialPayload, DeviceTokenHash, Encryption, Login, PayDigest,
    Phone, ReceiptHash, Redeemed, State, Status, VerifiedUser, WatcherId, transitions,
};
use countersign_domain::primitives::ids::{AppId, LoginId};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

use super::BrokenLogins;
use crate::logins::Fault;

type Answer<T> = Result<T, Unavailable>;

fn forget_who_is_verified(item: &mut Login) {
    if let State::Confirmed { phone, .. } | State::Consumed { phone, .. } = &mut item.state {
        phone.verified = None;
    }
}

#[async_trait]
impl LoginStore for BrokenLogins {
    async fn create(&self, mut new: Login, now: Timestamp) -> Answer<CreateOutcome> {
        let id = new.id;
        new.requires_proof &= self.fault != Fault::CreateForgetsTheProof;
        match (self.fault, self.raw(id).await) {
            (Fault::CreateOverwrites, Some(_)) => {
                self.model.put(new);
                return Ok(CreateOutcome::Created);
            }
            (Fault::CreateForgetsTheToken, Some(item)) if item.status(now).is_live() => {
                return Ok(CreateOutcome::Repeated(Box::new(item)));
            }
            (Fault::CreateReopens, Some(item))
                if !item.status(now).is_live() && item.browser_token == new.browser_token =>
            {
                self.model.put(new);
                return Ok(CreateOutcome::Created);
            }
            (Fault::CreateIsNotRepeated, Some(_)) => return Ok(CreateOutcome::Taken),
            _ => {}
        }
        self.model.create(new, now).await
    }

    async fn find(&self, id: LoginId, now: Timestamp) -> Answer<Option<Login>> {
        let mut found = self.model.find(id, now).await?;
        if self.fault == Fault::FindForgetsTheClaim
            && let Some(State::Scanned { phone, .. }) = found.as_mut().map(|item| &mut item.state)
        {
            phone.user = None;
        }
        Ok(found)
    }

    async fn initiate(
        &self,
        id: LoginId,
        app: &AppId,
        mut phone: Phone,
        now: Timestamp,
    ) -> Answer<InitiateOutcome> {
        let mut at = now;
        let item = self.raw(id).await;
        let first = item.as_ref().and_then(Login::phone);
        let is_second = first.is_some_and(|first| first.token != phone.token)
            && item.as_ref().map(|item| item.status(now)) == Some(Status::Scanned);
        match self.fault {
            Fault::InitiateLetsASecondPhoneIn if is_second => self.reopen(id, now, false).await,
            Fault::InitiateBlocksNobody if is_second => {
                return Ok(InitiateOutcome::Ended(Status::Scanned));
            }
            Fault::InitiateForgetsExpiry => at = self.before_expiry(id, now).await,
            Fault::InitiateForgetsTheBody => {
                phone.user = first.map_or(phone.user, |first| first.user.clone());
            }
            _ => {}
        }
        self.model.initiate(id, app, phone, at).await
    }

    async fn confirm(
        &self,
        id: LoginId,
        mut answer: Confirmation,
        now: Timestamp,
    ) -> Answer<ConfirmOutcome> {
        let mut at = now;
        let item = self.raw(id).await;
        match (self.fault, item.as_ref().map(|item| &item.state)) {
            (Fault::ConfirmForgetsExpiry, _) => at = self.before_expiry(id, now).await,
            (Fault::ConfirmForgetsThePhone, Some(State::Scanned { phone, .. })) => {
                answer.token = phone.token;
            }
            (Fault::ConfirmForgetsTheRisk, Some(State::Scanned { .. })) => {
                self.amend(id, |item| {
                    if let State::Scanned { phone, .. } = &mut item.state {
                        phone.risk = Assessment::of([]);
                    }
                })
                .await;
            }
            (Fault::ConfirmTakesAnotherPayload, Some(State::Confirmed { fingerprint, .. }))
                if *fingerprint != answer.fingerprint =>
            {
                self.reopen(id, now, true).await;
            }
            (Fault::ConfirmForgetsTheProof, Some(State::Scanned { .. })) => {
                let required = item.as_ref().is_some_and(|item| item.requires_proof);
                self.amend(id, |item| item.requires_proof = false).await;
                let outcome = self.model.confirm(id, answer, now).await;
                self.amend(id, |item| item.requires_proof = required).await;
                return outcome;
            }
            (Fault::ConfirmForgetsWhoIsVerified, Some(State::Scanned { .. })) => {
                let outcome = self.model.confirm(id, answer, now).await;
                self.amend(id, forget_who_is_verified).await;
                return outcome;
            }
            (Fault::ConfirmVerifiesTheClaim, Some(State::Scanned { phone, .. })) => {
                let pay = PayDigest::from_bytes([9; 32]);
                let claimed = phone.user.clone();
                answer.verified = claimed.map(|user| VerifiedUser { user, pay });
            }
            (Fault::ConfirmIsNotWritten, _) => {
                return Ok(transitions::confirm(item, answer, now).outcome);
            }
            (Fault::ConfirmForgetsTheKind, Some(State::Scanned { .. })) => {
                let wanted = item.as_ref().map(|item| item.encryption);
                let sent = answer.payload.payload().is_encrypted();
                let key = browser_key();
                self.amend(id, |item| {
                    item.encryption = if sent {
                        Encryption::Sealed(key)
                    } else {
                        Encryption::Plain
                    };
                })
                .await;
                let outcome = self.model.confirm(id, answer, now).await;
                self.amend(id, |item| {
                    item.encryption = wanted.unwrap_or(item.encryption);
                })
                .await;
                return outcome;
            }
            _ => {}
        }
        let outcome = self.model.confirm(id, answer, at).await;
        if self.fault == Fault::ConfirmIsNotOwed
            && let Ok(ConfirmOutcome::Confirmed(_)) = outcome
        {
            self.amend(id, |item| item.notice = None).await;
        }
        outcome
    }

    async fn deny(&self, id: LoginId, mut denial: Denial, now: Timestamp) -> Answer<DenyOutcome> {
        match self.fault {
            Fault::DenyIsNotWritten => {
                let item = self.raw(id).await;
                return Ok(transitions::deny(item, denial, now).outcome);
            }
            Fault::DenyForgetsThePayload => denial.payload = DenialPayload::default(),
            Fault::DenyForgetsTheReason => denial.reason = None,
            _ => {}
        }
        let outcome = self.model.deny(id, denial, now).await;
        if self.fault == Fault::DenyIsNotOwed
            && let Ok(DenyOutcome::Denied(_)) = outcome
        {
            self.amend(id, |item| item.notice = None).await;
        }
        outcome
    }

    async fn redeem(
        &self,
        id: LoginId,
        browser: &BrowserTokenHash,
        receipt: &ReceiptHash,
        check_code: Option<CheckCode>,
        now: Timestamp,
    ) -> Answer<RedeemOutcome> {
        let (mut browser, mut at) = (*browser, now);
        let item = self.raw(id).await;
        if let Some(State::Consumed {
            redeemed: Redeemed::Sealed { payload, until, .. },
            ..
        }) = item.as_ref().map(|item| &item.state)
            && now < *until
            && item.as_ref().map(|item| item.browser_token) == Some(browser)
        {
            match self.fault {
                Fault::RedeemForgetsTheReceipt => {
                    return Ok(RedeemOutcome::Repeated(payload.clone()));
                }
                Fault::RedeemIsNotRepeated => return Ok(RedeemOutcome::AlreadyRedeemed),
                _ => {}
            }
        }
        match self.fault {
            Fault::RedeemForgetsTheBrowser => browser = self.owner(id, &browser).await,
            Fault::RedeemForgetsExpiry => at = self.before_expiry(id, now).await,
            Fault::RedeemIsNotWritten => {
                let decision = transitions::redeem(item, &browser, receipt, check_code, now);
                return Ok(decision.outcome);
            }
            _ => {}
        }
        let outcome = self
            .model
            .redeem(id, &browser, receipt, check_code, at)
            .await;
        if let Ok(RedeemOutcome::Redeemed { payload, login }) = &outcome {
            if self.fault == Fault::RedeemForgetsWhoIsVerified {
                self.amend(id, forget_who_is_verified).await;
            }
            self.amend(id, |item| match (self.fault, &mut item.state) {
                (Fault::RedeemForgetsWhatIsOwed, _) => item.notice = None,
                (Fault::RedeemForgetsTheBody, _) => {
                    if let Some(notice) = &mut item.notice {
                        notice.body = None;
                    }
                }
                (Fault::RedeemKeepsAReadablePayload, State::Consumed { redeemed, .. })
                    if !payload.is_encrypted() =>
                {
                    *redeemed = Redeemed::Sealed {
                        payload: payload.clone(),
                        receipt: *receipt,
                        until: login.expires_at(),
                    };
                }
                _ => {}
            })
            .await;
        }
        outcome
    }

    async fn cancel(
        &self,
        id: LoginId,
        browser: &BrowserTokenHash,
        now: Timestamp,
    ) -> Answer<CancelOutcome> {
        let (mut browser, item) = (*browser, self.raw(id).await);
        match self.fault {
            Fault::CancelIsNotWritten => {
                return Ok(transitions::cancel(item, &browser, now).outcome);
            }
            Fault::CancelForgetsThatItEnded => self.reopen(id, now, true).await,
            Fault::CancelForgetsTheBrowser => browser = self.owner(id, &browser).await,
            _ => {}
        }
        self.model.cancel(id, &browser, now).await
    }

    async fn attach_watcher(
        &self,
        id: LoginId,
        device: &DeviceTokenHash,
        watcher: WatcherId,
        now: Timestamp,
    ) -> Answer<AttachOutcome> {
        let item = self.raw(id).await;
        if self.fault == Fault::AttachIsNotWritten {
            return Ok(transitions::attach_watcher(item, device, watcher, now).outcome);
        }
        let outcome = self
            .model
            .attach_watcher(id, device, watcher.clone(), now)
            .await;
        if self.fault == Fault::AttachDropsTheOthers {
            self.amend(id, |item| item.watchers.retain(|known| *known == watcher))
                .await;
        }
        outcome
    }

    async fn detach_watcher(
        &self,
        id: LoginId,
        watcher: &WatcherId,
        now: Timestamp,
    ) -> Answer<DetachOutcome> {
        if self.fault == Fault::DetachDropsTheOthers {
            self.amend(id, |item| item.watchers.clear()).await;
        }
        self.model.detach_watcher(id, watcher, now).await
    }
}
