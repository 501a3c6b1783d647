mod broken;
mod faults;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use countersign_conformance::model::ModelStore;
use countersign_conformance::samples::{MILLI, before};
use countersign_conformance::suite;
use countersign_domain::confirmation::carrier::{Carrier, CarrierName};
use countersign_domain::confirmation::miss::Unfit;
use countersign_domain::confirmation::store::ConfirmationStore;
use countersign_domain::confirmation::transitions::{
    CancelOutcome, CarrierOutcome, CreateOutcome, MissOutcome, Reached, RedactOutcome,
    RedeliverOutcome, TextEvidence, VerifyOutcome, VerifyRefusal,
};
use countersign_domain::confirmation::{Confirmation, Flow, State, transitions};
use countersign_domain::delivery::Progress;
use countersign_domain::delivery::transitions::Owes as _;
use countersign_domain::primitives::ids::{AppId, ConfirmationId};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

use broken::{Broken, set_claimed};
use faults::{FAULTS, Fault};

// Time is paused, so cases that wait for a lagging index take no time.
#[tokio::test(start_paused = true)]
async fn every_fault_is_caught() {
    let make = async |fault| Broken::stores(Arc::new(ModelStore::default()), fault);
    suite::confirmations(async || make(Fault::Nothing).await)
        .await
        .assert_passed();
    let mut missed = Vec::new();
    for (fault, case) in FAULTS {
        let case = super::named(suite::confirmation_cases(), case);
        let make = async || Arc::new(make(*fault).await);
        missed.extend(super::caught(fault, &suite::run(vec![case], make).await).err());
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[async_trait]
impl ConfirmationStore for Broken {
    async fn create(
        &self,
        mut new: Confirmation,
        now: Timestamp,
    ) -> Result<CreateOutcome, Unavailable> {
        let id = new.id;
        match self.fault {
            Fault::Unavailable => {
                return Err(Unavailable::new("store: create", "deliberate fault"));
            }
            Fault::CreateOverwrites => {
                self.model.put(new);
                return Ok(CreateOutcome::Created);
            }
            Fault::CreateIsNotAtomic => {
                let decide = |current| transitions::create(current, new, now);
                return Ok(self.non_atomically(id, decide).await);
            }
            Fault::CreateSeesPurgedItem => {
                if let Some(item) = self.raw(id) {
                    return Ok(CreateOutcome::Exists(Box::new(item)));
                }
            }
            Fault::MillisecondsLost => {
                new.created_at = Timestamp::from_millis(new.created_at.as_secs() * 1000);
            }
            Fault::NumberOnWhatsAppLost => new.whatsapp = None,
            Fault::MessageLost => {
                if let Some(kept) = &mut new.idempotency {
                    kept.message.clear();
                }
            }
            _ => {}
        }
        self.model.create(new, now).await
    }

    async fn find(
        &self,
        id: ConfirmationId,
        now: Timestamp,
    ) -> Result<Option<Confirmation>, Unavailable> {
        let item = self.raw(id);
        Ok(match self.fault {
            Fault::FindSeesPurgedItem => item,
            Fault::FindSeesPurgedItemForOneMilli => item.filter(|item| now <= item.purge_at),
            Fault::FindLosesItemOneMilliEarly => {
                item.filter(|item| now.plus(MILLI) < item.purge_at)
            }
            _ => return self.model.find(id, now).await,
        })
    }

    async fn verify(
        &self,
        id: ConfirmationId,
        evidence: &TextEvidence,
        now: Timestamp,
        retention: Duration,
    ) -> Result<VerifyOutcome, Unavailable> {
        let mut evidence = evidence.clone();
        let (mut at, mut retention) = (now, retention);
        let before_it = self.raw(id);
        let is_open = before_it
            .as_ref()
            .is_some_and(|item| matches!(item.state, State::Open { .. }) && now < item.purge_at);
        if let Some(item) = before_it.as_ref() {
            let last = before(item.expires_at, Duration::from_millis(u64::from(is_open)));
            match self.fault {
                Fault::Panics => panic!("deliberate fault"),
                Fault::ExpiryIgnored if is_open => at = now.min(last),
                Fault::ExpiryOneMilliLate if now == item.expires_at => at = last,
                Fault::ExpiryOneMilliEarly if is_open => at = now.plus(MILLI),
                Fault::SenderIgnored => {
                    if let Flow::Confirmation { expected } = &item.flow {
                        evidence.from = expected.present().cloned().unwrap_or(evidence.from);
                    }
                }
                Fault::NumberOnWhatsAppIgnored => evidence.reached = Reached::Sms,
                Fault::TextReopensCancelled => self.amend(id, |item| {
                    if matches!(item.state, State::Cancelled { .. }) {
                        item.state = State::Open { last_miss: None };
                    }
                }),
                _ => {}
            }
        }
        match self.fault {
            Fault::VerifyIsNotAtomic => {
                let decide = |current| transitions::verify(current, &evidence, now, retention);
                return Ok(self.non_atomically(id, decide).await);
            }
            Fault::MissIsNotAtomic => {
                let decide = |current| transitions::verify(current, &evidence, now, retention);
                let current = self.raw(id);
                let decided = transitions::verify(current, &evidence, now, retention);
                if matches!(decided.outcome, VerifyOutcome::Refused(_)) {
                    return Ok(self.non_atomically(id, decide).await);
                }
            }
            Fault::SecondMissReplacesFirst => self.forget_miss(id),
            Fault::RetentionIgnored => retention = Duration::ZERO,
            Fault::CarrierLosesNonAscii => {
                evidence.carrier = CarrierName::of(&evidence.carrier.as_str().replace('ド', ""));
            }
            _ => {}
        }
        let outcome = self.model.verify(id, &evidence, at, retention).await?;
        self.spoil_miss(id);
        Ok(match outcome {
            VerifyOutcome::Repeated { .. } if self.has(Fault::RepeatIsRefused) => {
                VerifyOutcome::Refused(VerifyRefusal::AlreadyUsed)
            }
            VerifyOutcome::Repeated { .. } if self.has(Fault::RepeatAlwaysHasPointer) => {
                let pointer = before_it.and_then(|item| item.pointer());
                VerifyOutcome::Repeated { pointer }
            }
            other => other,
        })
    }

    async fn record_miss(
        &self,
        id: ConfirmationId,
        unfit: Unfit,
        now: Timestamp,
    ) -> Result<MissOutcome, Unavailable> {
        let mut at = now;
        match self.fault {
            Fault::MissIsNotAtomic => {
                let decide = |current| transitions::record_miss(current, unfit, now);
                return Ok(self.non_atomically(id, decide).await);
            }
            Fault::SecondMissReplacesFirst => self.forget_miss(id),
            Fault::LatenessIgnored => {
                if let Some(item) = self.raw(id).filter(|item| now < item.purge_at) {
                    at = now.min(before(item.expires_at, MILLI));
                }
            }
            Fault::RedactedIsMissed => self.amend(id, |item| item.redacted_at = None),
            _ => {}
        }
        let outcome = self.model.record_miss(id, unfit, at).await?;
        self.spoil_miss(id);
        Ok(outcome)
    }

    async fn decide_carrier(
        &self,
        id: ConfirmationId,
        name: &CarrierName,
        now: Timestamp,
    ) -> Result<CarrierOutcome, Unavailable> {
        match self.fault {
            Fault::CarrierIsNotAtomic => {
                let decide = |current| transitions::decide_carrier(current, name, now);
                return Ok(self.non_atomically(id, decide).await);
            }
            Fault::SecondCarrierReplacesFirst => self.amend_verified(id, |verified| {
                verified.carrier = Carrier::Undecided;
            }),
            Fault::EmptyCarrierIsUndecided => self.amend_verified(id, |verified| {
                if verified.carrier.name().is_empty() {
                    verified.carrier = Carrier::Undecided;
                }
            }),
            Fault::SettledGetsCarrier => self.amend_verified(id, |verified| {
                if verified.carrier == Carrier::Undecided {
                    verified.carrier = Carrier::Decided(name.clone());
                }
            }),
            Fault::RedactedGetsCarrier => self.amend_verified(id, |verified| {
                verified.carrier = Carrier::Decided(name.clone());
            }),
            _ => {}
        }
        let outcome = self.model.decide_carrier(id, name, now).await?;
        match self.fault {
            Fault::CarrierIsNotWritten => self.amend_verified(id, |verified| {
                verified.carrier = Carrier::Undecided;
            }),
            Fault::CarrierKeepsItemLonger => self.amend(id, |item| {
                item.purge_at = item.purge_at.plus(MILLI);
            }),
            _ => {}
        }
        Ok(outcome)
    }

    async fn cancel(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
    ) -> Result<CancelOutcome, Unavailable> {
        let item = self.raw(id);
        match (self.fault, item) {
            (Fault::CancelOfAnyApp, Some(item)) => self.model.cancel(id, &item.app, now).await,
            (Fault::CancelAfterExpiry, Some(item)) if now < item.purge_at => {
                let last = before(item.expires_at, MILLI);
                self.model.cancel(id, app, now.min(last)).await
            }
            (Fault::CancelIsNotAtomic, _) => {
                let decide = |current| transitions::cancel(current, app, now);
                Ok(self.non_atomically(id, decide).await)
            }
            _ => self.model.cancel(id, app, now).await,
        }
    }

    async fn redact(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
    ) -> Result<RedactOutcome, Unavailable> {
        let kept = self.raw(id);
        match self.fault {
            Fault::RedactsWhileOwed => self.amend_verified(id, |verified| {
                verified.delivery.progress = Progress::Failed { at: now };
            }),
            Fault::SecondRedactionChangesTime => self.amend(id, |item| item.redacted_at = None),
            _ => {}
        }
        let outcome = self.model.redact(id, app, now).await?;
        if let (RedactOutcome::Redacted(_), Some(kept)) = (&outcome, kept) {
            match self.fault {
                Fault::RedactionLeavesCarrier => self.amend_verified(id, |verified| {
                    let carrier = kept.verified().map(|verified| verified.carrier.clone());
                    verified.carrier = carrier.unwrap_or_default();
                }),
                Fault::RedactionLeavesExpectedNumber => {
                    self.amend(id, |item| item.flow = kept.flow);
                }
                _ => {}
            }
        }
        Ok(outcome)
    }

    async fn redeliver(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
        retention: Duration,
    ) -> Result<RedeliverOutcome, Unavailable> {
        let round = self.verified(id).map(|v| v.delivery.round_began_at);
        match self.fault {
            Fault::RedeliversWhileInFlight => {
                self.amend_verified(id, |verified| set_claimed(verified, None));
            }
            Fault::RedeliveryIsNotAtomic => {
                let decide = |current| transitions::redeliver(current, app, now, retention);
                return Ok(self.non_atomically(id, decide).await);
            }
            _ => {}
        }
        let outcome = self.model.redeliver(id, app, now, retention).await;
        if self.has(Fault::RedeliveryKeepsTheRound) {
            self.amend_verified(id, |verified| {
                verified.delivery.round_began_at = round.unwrap_or(0);
            });
        }
        outcome
    }
}
