mod broken;
mod faults;
mod history;

use std::sync::Arc;

use async_trait::async_trait;
use countersign_conformance::samples::logins::{
    check_code as a_code, receipt as a_receipt, server,
};
use countersign_conformance::samples::{MILLI, before};
use countersign_conformance::suite;
use countersign_domain::delivery::HORIZON;
use countersign_domain::login::history::RiskHistory;
use countersign_domain::login::risk::{Assessment, Flag};
use countersign_domain::login::store::LoginStore;
use countersign_domain::login::transitions::{
    Answer, AttachOutcome, CancelOutcome, ConfirmOutcome, CreateOutcome, Denial, DenyOutcome,
    DetachOutcome, InitiateOutcome, RedeemOutcome,
};
use countersign_domain::login::{
    BrowserTokenHash, CheckCode, DenialPayload, DeviceTokenHash, Encryption, Login, MissedCodes,
    Phone, PhonePayload, ReceiptHash, Redeemed, State, Status, WatcherId, transitions,
};
use countersign_domain::primitives::ids::{AppId, LoginId};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

use broken::Broken;
use faults::{FAULTS, Fault, HISTORY_FAULTS};

// Time is paused, so cases that wait for a lagging index take no time.
#[tokio::test(start_paused = true)]
async fn every_fault_is_caught() {
    let make = async |fault| Arc::new(Broken::with(fault));
    suite::logins(async || make(Fault::Nothing).await.stores())
        .await
        .assert_passed();
    suite::risk_histories(async || make(Fault::Nothing).await)
        .await
        .assert_passed();
    let mut missed = Vec::new();
    for (fault, case) in FAULTS {
        let case = super::named(suite::login_cases(), case);
        let make = async || Arc::new(make(*fault).await.stores());
        missed.extend(super::caught(fault, &suite::run(vec![case], make).await).err());
    }
    for (fault, case) in HISTORY_FAULTS {
        let case = super::named(suite::risk_history_cases(), case);
        let make = async || make(*fault).await as Arc<dyn RiskHistory>;
        missed.extend(super::caught(fault, &suite::run(vec![case], make).await).err());
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[async_trait]
impl LoginStore for Broken {
    async fn create(&self, mut new: Login, now: Timestamp) -> Result<CreateOutcome, Unavailable> {
        let id = new.id;
        match self.fault {
            Fault::CreateOverwrites => {
                self.logins().put(new);
                return Ok(CreateOutcome::Created);
            }
            Fault::CreateIsNotAtomic => {
                let decide = |current| transitions::create(current, new, now);
                return Ok(self.non_atomically(id, decide).await);
            }
            Fault::CreateSeesPurgedItem | Fault::RepeatedCreateIsRefused
                if self.raw(id).is_some() =>
            {
                return Ok(CreateOutcome::Taken);
            }
            Fault::CreateRepeatsForAnyone => {
                if let Some(item) = self.raw(id) {
                    return Ok(CreateOutcome::Repeated(Box::new(item)));
                }
            }
            Fault::KindsMixedUp => {
                let is_other = |item: &Login| item.id.as_bytes() == id.as_bytes();
                if self.logins().items().iter().any(is_other) {
                    return Ok(CreateOutcome::Taken);
                }
            }
            Fault::CityLost => new.browser.place.city = None,
            Fault::MillisecondsLost => {
                new.created_at = Timestamp::from_millis(new.created_at.as_secs() * 1000);
            }
            _ => {}
        }
        self.logins().create(new, now).await
    }

    async fn find(&self, id: LoginId, now: Timestamp) -> Result<Option<Login>, Unavailable> {
        match self.fault {
            Fault::FindSeesPurgedItem => Ok(self.raw(id)),
            _ => self.logins().find(id, now).await,
        }
    }

    async fn initiate(
        &self,
        id: LoginId,
        app: &AppId,
        mut phone: Phone,
        now: Timestamp,
    ) -> Result<InitiateOutcome, Unavailable> {
        let mut at = now;
        let was = self.raw(id);
        if self.fault == Fault::CheckCodeRuleNotKept
            && was.as_ref().is_some_and(|item| item.requires_check_code)
        {
            phone.check_code = phone.check_code.or(Some(a_code(0)));
        }
        match (self.fault, &was) {
            (Fault::InitiateOfAnyApp, Some(item)) => {
                return self.logins().initiate(id, &item.app, phone, now).await;
            }
            (Fault::InitiateIsNotAtomic, _) => {
                let decide = |current| transitions::initiate(current, app, phone, now);
                return Ok(self.non_atomically(id, decide).await);
            }
            (Fault::InitiateOneMilliLate, _) => at = self.with_milli_of_grace(id, now),
            (Fault::SecondPhoneTakesOver, Some(item)) if item.status(now) == Status::Scanned => {
                self.amend(id, |item| {
                    item.state = State::Created {
                        expires_at: item.expires_at(),
                    };
                });
            }
            (Fault::SecondPhoneDoesNotBlock, Some(item))
                if item.status(now) == Status::Scanned
                    && item.phone().is_some_and(|known| known.token != phone.token) =>
            {
                return Ok(InitiateOutcome::Ended(Status::Scanned));
            }
            (Fault::RepeatCountsAsSecondPhone, Some(item))
                if item.status(now) == Status::Scanned =>
            {
                let outcome = self.logins().initiate(id, app, phone, now).await?;
                return Ok(match outcome {
                    InitiateOutcome::Repeated(item) => InitiateOutcome::SecondPhone(item),
                    other => other,
                });
            }
            (Fault::RepeatWithAnyUser, Some(item)) => {
                if let Some(known) = item.phone() {
                    phone.user.clone_from(&known.user);
                }
            }
            (Fault::StrangersLearnOfExpiry, _) => {
                let outcome = self.logins().initiate(id, app, phone, now).await?;
                let expired = was.is_some_and(|item| item.status(now) == Status::Expired);
                return Ok(if expired {
                    InitiateOutcome::Expired
                } else {
                    outcome
                });
            }
            (Fault::ConfirmedCanBeBlocked, Some(item)) if item.status(now) == Status::Confirmed => {
                self.amend(id, |item| {
                    if let State::Confirmed { phone, at, .. } = item.state.clone() {
                        item.state = State::Scanned {
                            phone,
                            expires_at: at.plus(MILLI),
                        };
                    }
                });
            }
            (Fault::FlagsLost, _) => {
                let flags = phone.risk.flags().iter().copied();
                phone.risk = Assessment::of(flags.filter(|flag| *flag != Flag::TooFast));
            }
            (Fault::UserLost, _) => phone.user = None,
            _ => {}
        }
        let outcome = self.logins().initiate(id, app, phone, at).await?;
        if self.fault == Fault::ScanDropsWatchers {
            self.amend(id, |item| item.watchers.clear());
        }
        Ok(outcome)
    }

    async fn confirm(
        &self,
        id: LoginId,
        mut answer: Answer,
        now: Timestamp,
    ) -> Result<ConfirmOutcome, Unavailable> {
        let mut at = now;
        let was = self.raw(id);
        let first = was.as_ref().and_then(Login::phone).cloned();
        match (self.fault, first) {
            (Fault::ConfirmByAnyPhone, Some(phone)) => answer.token = phone.token,
            (Fault::ConfirmIsNotAtomic, _) => {
                let decide = |current| transitions::confirm(current, answer, now);
                return Ok(self.non_atomically(id, decide).await);
            }
            (Fault::ConfirmIgnoresExpiry, _) => at = self.before_expiry(id, now),
            (Fault::ConfirmOneMilliLate, _) => at = self.with_milli_of_grace(id, now),
            (Fault::ConfirmIgnoresRisk, _) => self.amend(id, |item| {
                if let State::Scanned { phone, .. } = &mut item.state {
                    phone.risk = Assessment::default();
                }
            }),
            (Fault::ConfirmAfterDeny, _) => self.amend(id, |item| {
                if let State::Denied { phone, at, .. } = item.state.clone() {
                    item.state = State::Scanned {
                        phone,
                        expires_at: at.plus(MILLI),
                    };
                }
            }),
            (Fault::ConfirmTakesAnyPayload, _) => {
                let is_sealed = answer.payload.is_encrypted();
                self.amend(id, |item| {
                    if !is_sealed {
                        item.encryption = Encryption::Plain;
                    }
                });
            }
            (Fault::UnprovenIsConfirmed, _) => {
                self.amend(id, |item| item.requires_proof = false);
            }
            (Fault::VerifiedUserLost, _) => {
                self.amend(id, |item| item.requires_proof = false);
                answer.verified = None;
            }
            (Fault::ContextNeedsNoProof, _) => self.amend(id, |item| item.opener = server(None)),
            (Fault::ProofLost, _) => {
                let (payload, salt) = (answer.payload.payload(), answer.payload.salt());
                let bare = PhonePayload::new(payload.clone(), salt.copied(), None);
                answer.payload = bare.expect("a payload without a proof");
            }
            (Fault::SaltLost, _) if answer.payload.salt().is_some() => {
                answer.payload = PhonePayload::bare(answer.payload.payload().clone());
            }
            (Fault::ConfirmSeesPurgedItem, _) => {
                if let Some(item) = was.as_ref().filter(|item| now >= item.purge_at) {
                    at = before(item.purge_at, MILLI);
                }
            }
            _ => {}
        }
        let outcome = self.logins().confirm(id, answer, at).await?;
        match self.fault {
            Fault::NoticeForgotten => self.amend(id, |item| item.notice = None),
            Fault::NoticePurgedEarly => {
                self.amend(id, |item| {
                    item.purge_at = before(item.purge_at, HORIZON / 2);
                });
            }
            _ => {}
        }
        Ok(match outcome {
            ConfirmOutcome::Repeated if self.fault == Fault::RepeatIsRefused => {
                let status = self
                    .raw(id)
                    .map_or(Status::Created, |item| item.status(now));
                ConfirmOutcome::Ended(status)
            }
            ConfirmOutcome::Forbidden(item) if self.fault == Fault::ForbiddenIsNotBlocked => {
                if let Some(was) = was {
                    self.logins().put(was);
                }
                ConfirmOutcome::Forbidden(item)
            }
            other => other,
        })
    }

    async fn deny(
        &self,
        id: LoginId,
        mut denial: Denial,
        now: Timestamp,
    ) -> Result<DenyOutcome, Unavailable> {
        match self.fault {
            Fault::DenyIsNotAtomic => {
                let decide = |current| transitions::deny(current, denial, now);
                return Ok(self.non_atomically(id, decide).await);
            }
            Fault::DenialPayloadLost => denial.payload = DenialPayload::default(),
            Fault::KeyMismatchIsADenial => denial.reason = None,
            Fault::DenyAfterConfirm => self.amend(id, |item| {
                if let State::Confirmed {
                    phone, redeem_by, ..
                } = item.state.clone()
                {
                    item.state = State::Scanned {
                        phone,
                        expires_at: redeem_by,
                    };
                }
            }),
            _ => {}
        }
        self.logins().deny(id, denial, now).await
    }

    async fn redeem(
        &self,
        id: LoginId,
        browser: &BrowserTokenHash,
        receipt: &ReceiptHash,
        mut check_code: Option<CheckCode>,
        now: Timestamp,
    ) -> Result<RedeemOutcome, Unavailable> {
        let mut receipt = *receipt;
        let was = self.raw(id);
        let own = was.as_ref().map(|item| item.browser_token);
        let unchanged = was.clone();
        let mut at = now;
        match self.fault {
            Fault::RedeemByAnyBrowser => {
                return self
                    .logins()
                    .redeem(id, &own.unwrap_or(*browser), &receipt, check_code, now)
                    .await;
            }
            Fault::RedeemIsNotAtomic => {
                let decide =
                    |current| transitions::redeem(current, browser, &receipt, check_code, now);
                return Ok(self.non_atomically(id, decide).await);
            }
            Fault::RedeemTakesAnyReceipt => receipt = a_receipt(1),
            Fault::RedeemForgetsReceipt => receipt = self.another_receipt(),
            Fault::RedeemOneMilliTooLong => self.amend(id, |item| {
                if let State::Consumed {
                    redeemed: Redeemed::Sealed { until, .. },
                    ..
                } = &mut item.state
                {
                    *until = until.plus(MILLI);
                }
            }),
            Fault::RedeemOneMilliLate => at = self.with_milli_of_grace(id, now),
            Fault::CheckCodeNotCompared => {
                let phone = was.as_ref().and_then(Login::phone);
                check_code = phone.and_then(|phone| phone.check_code);
            }
            Fault::CheckCodeNotRequired if check_code.is_none() => {
                self.amend(id, |item| item.requires_check_code = false);
            }
            Fault::MissingCodeIsAMiss => check_code = check_code.or(Some(a_code(99))),
            Fault::StrangersMissCounts => {
                let own = own.unwrap_or(*browser);
                if own != *browser && check_code != Some(a_code(42)) {
                    self.logins()
                        .redeem(id, &own, &receipt, check_code, now)
                        .await?;
                }
            }
            Fault::SameMissCountsAgain => self.amend(id, |item| {
                if let State::Confirmed { missed, .. } = &mut item.state
                    && check_code.is_some_and(|code| missed.contains(code))
                {
                    // Codes that nobody sends, so that this one counts as new.
                    let others = (90..).map(a_code).take(missed.codes().len());
                    *missed = MissedCodes::from_codes(others.collect()).expect("few misses");
                }
            }),
            _ => {}
        }
        let outcome = self
            .logins()
            .redeem(id, browser, &receipt, check_code, at)
            .await?;
        if let (Fault::RedeemLeavesPayload, Some(was)) = (self.fault, was) {
            self.logins().put(was);
        }
        match (self.fault, &outcome) {
            (Fault::MissNotCounted, RedeemOutcome::CheckCodeWrong { .. }) => {
                self.amend(id, |item| {
                    if let State::Confirmed { missed, .. } = &mut item.state {
                        *missed = MissedCodes::default();
                    }
                });
            }
            (Fault::ThirdMissDoesNotBlock, RedeemOutcome::CheckCodeBlocked(_)) => {
                if let Some(was) = unchanged {
                    self.logins().put(was);
                }
            }
            _ => {}
        }
        if self.fault == Fault::RedeemRemovesNotice {
            self.amend(id, |item| item.notice = None);
        }
        Ok(outcome)
    }

    async fn cancel(
        &self,
        id: LoginId,
        browser: &BrowserTokenHash,
        now: Timestamp,
    ) -> Result<CancelOutcome, Unavailable> {
        match self.fault {
            Fault::CancelIgnoresExpiry => {
                let at = self.before_expiry(id, now);
                self.logins().cancel(id, browser, at).await
            }
            Fault::CancelIsNotAtomic => {
                let decide = |current| transitions::cancel(current, browser, now);
                Ok(self.non_atomically(id, decide).await)
            }
            _ => self.logins().cancel(id, browser, now).await,
        }
    }

    async fn attach_watcher(
        &self,
        id: LoginId,
        device: &DeviceTokenHash,
        watcher: WatcherId,
        now: Timestamp,
    ) -> Result<AttachOutcome, Unavailable> {
        match self.fault {
            Fault::AttachIsNotAtomic => {
                let decide = |current| transitions::attach_watcher(current, device, watcher, now);
                return Ok(self.non_atomically(id, decide).await);
            }
            Fault::WatchersUnbounded => {
                let outcome = self
                    .logins()
                    .attach_watcher(id, device, watcher.clone(), now)
                    .await?;
                let first = countersign_conformance::samples::logins::watcher(0);
                self.amend(id, |item| {
                    if !item.watchers.contains(&first) {
                        item.watchers.insert(0, first);
                    }
                });
                return Ok(outcome);
            }
            Fault::PhoneCannotWatch
                if self
                    .raw(id)
                    .is_none_or(|item| item.browser_token != device.browser) =>
            {
                return Ok(AttachOutcome::Unknown);
            }
            _ => {}
        }
        self.logins().attach_watcher(id, device, watcher, now).await
    }

    async fn detach_watcher(
        &self,
        id: LoginId,
        watcher: &WatcherId,
        now: Timestamp,
    ) -> Result<DetachOutcome, Unavailable> {
        let outcome = self.logins().detach_watcher(id, watcher, now).await?;
        if self.fault == Fault::DetachRemovesAll {
            self.amend(id, |item| item.watchers.clear());
        }
        Ok(outcome)
    }
}
