//! The model with a fault.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use countersign_conformance::model::ModelStore;
use countersign_conformance::samples::{MILLI, before};
use countersign_conformance::stores::Stores;
use countersign_domain::confirmation::carrier::{Carrier, CarrierName};
use countersign_domain::confirmation::miss::Unfit;
use countersign_domain::confirmation::store::ConfirmationStore;
use countersign_domain::confirmation::transitions::{
    CancelOutcome, CarrierOutcome, CreateOutcome, MissOutcome, Reached, RedactOutcome,
    RedeliverOutcome, TextEvidence, VerifyOutcome,
};
use countersign_domain::confirmation::{
    Confirmation, Flow, Redactable, State, Verified, transitions,
};
use countersign_domain::delivery::store::{DeliveryStore, Due};
use countersign_domain::delivery::transitions::{Claim, DeliveryTransition as _};
use countersign_domain::delivery::{
    ClaimOutcome, Delivery, DeliveryKind, DeliveryLane, DeliveryPointer, DeliverySubject,
    PostponeOutcome, Progress, SettleOutcome, SettledAttempt, Settlement,
};
use countersign_domain::primitives::ids::{AppId, ConfirmationId};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

use countersign_simulation::executor::Sim;

use super::Fault;

/// The model with a fault.
pub(super) struct Broken {
    model: Arc<ModelStore>,
    sim: Sim,
    fault: Fault,
}

/// Maximum time that a write takes if it is not atomic.
const ONE_WRITE: Duration = Duration::from_millis(5);

type Answer<T> = Result<T, Unavailable>;

impl Broken {
    pub(super) fn stores(model: Arc<ModelStore>, sim: Sim, fault: Fault) -> Stores {
        let logins = model.logins().clone();
        let broken = Arc::new(Self { model, sim, fault });
        Stores {
            confirmations: broken.clone(),
            logins,
            deliveries: broken,
        }
    }

    async fn raw(&self, id: ConfirmationId) -> Option<Confirmation> {
        let beginning = Timestamp::from_millis(0);
        self.model.find(id, beginning).await.ok().flatten()
    }

    /// Changes a stored confirmation.
    async fn amend(&self, id: ConfirmationId, change: impl FnOnce(&mut Confirmation) + Send) {
        if let Some(mut item) = self.raw(id).await {
            change(&mut item);
            self.model.put(item);
        }
    }

    /// Changes a stored confirmation, if it is verified.
    async fn amend_verified(&self, id: ConfirmationId, change: impl FnOnce(&mut Verified) + Send) {
        self.amend(id, |item| {
            if let State::Verified(verified) = &mut item.state {
                change(verified);
            }
        })
        .await;
    }

    /// Removes the recorded miss if the fault is that a second one replaces it.
    async fn forget_the_miss(&self, id: ConfirmationId) {
        if self.fault == Fault::MissReplacesTheFirst {
            self.amend(id, |item| {
                if let State::Open { last_miss } = &mut item.state {
                    *last_miss = None;
                }
            })
            .await;
        }
    }
}

fn set_claimed(delivery: &mut Delivery, at: Option<Timestamp>) {
    if let Progress::Pending { claimed_at, .. } = &mut delivery.progress {
        *claimed_at = at;
    }
}

/// Returns the confirmation with its next attempt due at once.
fn due_at_once(mut item: Confirmation) -> Confirmation {
    if let State::Verified(verified) = &mut item.state
        && let Progress::Pending {
            next_attempt_at, ..
        } = &mut verified.delivery.progress
    {
        *next_attempt_at = verified.at;
    }
    item
}

#[async_trait]
impl ConfirmationStore for Broken {
    async fn create(&self, new: Confirmation, now: Timestamp) -> Answer<CreateOutcome> {
        if self.fault == Fault::CreateOverwrites {
            self.model.put(new);
            return Ok(CreateOutcome::Created);
        }
        self.model.create(new, now).await
    }

    async fn find(&self, id: ConfirmationId, now: Timestamp) -> Answer<Option<Confirmation>> {
        self.model.find(id, now).await
    }

    async fn verify(
        &self,
        id: ConfirmationId,
        evidence: &TextEvidence,
        now: Timestamp,
        retention: Duration,
    ) -> Answer<VerifyOutcome> {
        let (mut evidence, mut at) = (evidence.clone(), now);
        self.forget_the_miss(id).await;
        let Some(item) = self.raw(id).await else {
            return self.model.verify(id, &evidence, now, retention).await;
        };
        match (self.fault, &item.state) {
            (Fault::VerifyForgetsExpiry, State::Open { .. }) => {
                at = now.min(before(item.expires_at, MILLI));
            }
            (Fault::VerifyForgetsTheSender, State::Open { .. }) => {
                if let Flow::Confirmation { expected } = &item.flow {
                    evidence.from = expected.present().cloned().unwrap_or(evidence.from);
                }
            }
            (Fault::VerifyForgetsTheRecipient, State::Open { .. }) => {
                evidence.reached = Reached::Sms;
            }
            (Fault::VerifyForgetsSingleUse, State::Verified(verified))
                if verified.text != evidence.text =>
            {
                self.amend(id, |item| item.state = State::Open { last_miss: None })
                    .await;
            }
            (Fault::VerifyRevivesTheCancelled, State::Cancelled { .. }) => {
                self.amend(id, |item| item.state = State::Open { last_miss: None })
                    .await;
            }
            (Fault::VerifyIsNotWritten, State::Open { .. }) => {
                let decision = transitions::verify(Some(item), &evidence, now, retention);
                return Ok(decision.outcome);
            }
            (Fault::VerifyIsNotAtomic, _) => {
                self.sim.pass(ONE_WRITE).await;
                let decision = transitions::verify(Some(item), &evidence, now, retention);
                if let Some(item) = decision.write {
                    self.model.put(item);
                }
                return Ok(decision.outcome);
            }
            _ => {}
        }
        self.model.verify(id, &evidence, at, retention).await
    }

    async fn record_miss(
        &self,
        id: ConfirmationId,
        unfit: Unfit,
        now: Timestamp,
    ) -> Answer<MissOutcome> {
        self.forget_the_miss(id).await;
        self.model.record_miss(id, unfit, now).await
    }

    async fn decide_carrier(
        &self,
        id: ConfirmationId,
        name: &CarrierName,
        now: Timestamp,
    ) -> Answer<CarrierOutcome> {
        if self.fault == Fault::CarrierReplacesTheFirst {
            self.amend(id, |item| {
                if let State::Verified(verified) = &mut item.state {
                    verified.carrier = Carrier::Undecided;
                }
            })
            .await;
        }
        self.model.decide_carrier(id, name, now).await
    }

    async fn cancel(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
    ) -> Answer<CancelOutcome> {
        if self.fault == Fault::CancelForgetsThatItEnded {
            self.amend(id, |item| item.state = State::Open { last_miss: None })
                .await;
        }
        self.model.cancel(id, app, now).await
    }

    async fn redact(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
    ) -> Answer<RedactOutcome> {
        if self.fault == Fault::RedactForgetsWhatIsOwed {
            self.amend(id, |item| {
                if let State::Verified(verified) = &mut item.state {
                    verified.phone_number = Redactable::Redacted;
                    item.metadata = Redactable::Redacted;
                    item.redacted_at = Some(now);
                }
            })
            .await;
        }
        self.model.redact(id, app, now).await
    }

    async fn redeliver(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
        retention: Duration,
    ) -> Answer<RedeliverOutcome> {
        let kept = self.raw(id).await;
        let outcome = self.model.redeliver(id, app, now, retention).await;
        if let (Fault::RedeliverForgetsTheRound, Some(kept)) = (self.fault, kept)
            && let Some(round) = kept.verified().map(|it| it.delivery.round_began_at)
        {
            self.amend_verified(id, |verified| verified.delivery.round_began_at = round)
                .await;
        }
        outcome
    }
}

#[async_trait]
impl DeliveryStore for Broken {
    async fn claim(
        &self,
        subject: DeliverySubject,
        attempts_claimed: u32,
        now: Timestamp,
    ) -> Answer<ClaimOutcome> {
        let DeliverySubject::Confirmation(id) = subject else {
            return self.model.claim(subject, attempts_claimed, now).await;
        };
        let claim = Claim {
            attempts_claimed,
            now,
        };
        let mut number = attempts_claimed;
        match self.fault {
            Fault::ClaimForgetsTheNumber => {
                let item = self.raw(id).await;
                let claimed = item.as_ref().and_then(Confirmation::verified);
                number = claimed.map_or(number, |it| it.delivery.attempts_claimed);
            }
            Fault::ClaimForgetsTheLease => {
                let release = |delivery: &mut Delivery| set_claimed(delivery, None);
                self.model.amend_delivery(subject, release);
            }
            Fault::ClaimForgetsTheTime => {
                let item = self.raw(id).await.map(due_at_once);
                let decision = claim.decide(item);
                if let Some(item) = decision.write {
                    self.model.put(item);
                    return Ok(decision.outcome);
                }
            }
            Fault::ClaimIsNotWritten => {
                let item = self.raw(id).await;
                return Ok(claim.decide(item).outcome);
            }
            _ => {}
        }
        self.model.claim(subject, number, now).await
    }

    async fn settle(
        &self,
        subject: DeliverySubject,
        mut settled: SettledAttempt,
        now: Timestamp,
        retention: Duration,
    ) -> Answer<SettleOutcome> {
        let model = &self.model;
        let is_login = subject.kind() == DeliveryKind::Logins;
        match self.fault {
            Fault::SettleIsNotWritten => return Ok(SettleOutcome::Superseded),
            Fault::SettleIsNotWrittenForLogins if is_login => {
                return Ok(SettleOutcome::Superseded);
            }
            Fault::SettleGivesUpOnLogins if !is_login => {}
            Fault::SettleGivesUp | Fault::SettleGivesUpOnLogins => {
                if let Settlement::Retry { .. } = settled.settlement {
                    settled.settlement = Settlement::Failed;
                }
            }
            Fault::SettleForgetsTheNumber => {
                let claimed = model.delivery(subject).map_or(0, |it| it.attempts_claimed);
                let number = std::mem::replace(&mut settled.attempt.number, claimed);
                model.amend_delivery(subject, |delivery| set_claimed(delivery, Some(now)));
                let outcome = model.settle(subject, settled, now, retention).await;
                model.amend_delivery(subject, |delivery| {
                    if let Some(last) = delivery.attempts.last_mut() {
                        last.number = number;
                    }
                });
                return outcome;
            }
            _ => {}
        }
        model.settle(subject, settled, now, retention).await
    }

    async fn due_lanes(&self, now: Timestamp) -> Answer<Vec<DeliveryLane>> {
        self.model.due_lanes(now).await
    }

    async fn due(
        &self,
        lane: DeliveryLane,
        now: Timestamp,
        after: Option<Due>,
        limit: usize,
    ) -> Answer<Vec<Due>> {
        let mut due = self.model.due(lane, now, after, limit).await?;
        match self.fault {
            Fault::DueFindsNothing => due.clear(),
            Fault::DueFindsNoLogins if lane.kind() == DeliveryKind::Logins => due.clear(),
            Fault::VerifySetsNoDue => {
                let mut kept = Vec::new();
                for entry in due {
                    let delivery = self.model.delivery(entry.subject);
                    if delivery.is_some_and(|it| it.attempts_claimed > 0) {
                        kept.push(entry);
                    }
                }
                return Ok(kept);
            }
            _ => {}
        }
        Ok(due)
    }

    async fn postpone(&self, due: Due, now: Timestamp) -> Answer<PostponeOutcome> {
        let (model, subject) = (&self.model, due.subject);
        if let DeliverySubject::Confirmation(id) = subject
            && self.fault == Fault::PostponeForgetsThatItEnded
            && let Some(item) = self.raw(id).await
            && let Some(verified) = item.verified()
            && !verified.delivery.is_pending()
        {
            let pointer = DeliveryPointer {
                subject,
                attempts_claimed: verified.delivery.attempts_claimed,
                group: item.group(),
            };
            model.amend_delivery(subject, |delivery| {
                delivery.progress = Progress::Pending {
                    next_attempt_at: now,
                    due_at: now,
                    claimed_at: None,
                };
            });
            return Ok(PostponeOutcome::Postponed(pointer));
        }
        let outcome = model.postpone(due, now).await;
        if self.fault == Fault::PostponeForever {
            model.amend_delivery(subject, |delivery| {
                if let Progress::Pending { due_at, .. } = &mut delivery.progress {
                    *due_at = now.plus(Duration::from_hours(24 * 365));
                }
            });
        }
        outcome
    }
}
