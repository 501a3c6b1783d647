//! The model with a fault.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use countersign_conformance::model::ModelStore;
use countersign_conformance::samples::{MILLI, before};
use countersign_domain::confirmation::store::{ConfirmationStore, Due};
use countersign_domain::confirmation::transitions::{
    CancelOutcome, ClaimOutcome, CreateOutcome, RedactOutcome, RedeliverOutcome, TextEvidence,
    VerifyOutcome,
};
use countersign_domain::confirmation::{
    Confirmation, Flow, Redactable, State, Verified, transitions,
};
use countersign_domain::delivery::{
    DeliveryLane, DeliveryPointer, PostponeOutcome, Progress, SettleOutcome, SettledAttempt,
    Settlement,
};
use countersign_domain::primitives::ids::{AppId, ConfirmationId};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

use countersign_simulation::executor::Sim;

use super::Fault;

/// The model with a fault.
pub(super) struct Broken {
    pub(super) model: Arc<ModelStore>,
    pub(super) sim: Sim,
    pub(super) fault: Fault,
}

/// How long a write may take that is not atomic.
const ONE_WRITE: Duration = Duration::from_millis(5);

type Answer<T> = Result<T, Unavailable>;

impl Broken {
    async fn raw(&self, id: ConfirmationId) -> Option<Confirmation> {
        let beginning = Timestamp::from_millis(0);
        self.model.find(id, beginning).await.ok().flatten()
    }

    /// Changes what is stored.
    async fn amend(&self, id: ConfirmationId, change: impl FnOnce(&mut Confirmation) + Send) {
        if let Some(mut item) = self.raw(id).await {
            change(&mut item);
            self.model.put(item);
        }
    }

    /// Changes what is stored of a verified confirmation.
    async fn amend_verified(&self, id: ConfirmationId, change: impl FnOnce(&mut Verified) + Send) {
        self.amend(id, |item| {
            if let State::Verified(verified) = &mut item.state {
                change(verified);
            }
        })
        .await;
    }
}

fn set_claimed(verified: &mut Verified, at: Option<Timestamp>) {
    if let Progress::Pending { claimed_at, .. } = &mut verified.delivery.progress {
        *claimed_at = at;
    }
}

/// The same, as though its next attempt were to be made at once.
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
        let Some(item) = self.raw(id).await else {
            return self.model.verify(id, &evidence, now, retention).await;
        };
        match (self.fault, &item.state) {
            (Fault::VerifyForgetsExpiry, State::Open) => {
                at = now.min(before(item.expires_at, MILLI));
            }
            (Fault::VerifyForgetsTheSender, State::Open) => {
                if let Flow::Confirmation { expected } = &item.flow {
                    evidence.from = expected.present().cloned().unwrap_or(evidence.from);
                }
            }
            (Fault::VerifyForgetsSingleUse, State::Verified(verified))
                if verified.text != evidence.text =>
            {
                self.amend(id, |item| item.state = State::Open).await;
            }
            (Fault::VerifyRevivesTheCancelled, State::Cancelled { .. }) => {
                self.amend(id, |item| item.state = State::Open).await;
            }
            (Fault::VerifyIsNotWritten, State::Open) => {
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

    async fn cancel(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
    ) -> Answer<CancelOutcome> {
        if self.fault == Fault::CancelForgetsThatItEnded {
            self.amend(id, |item| item.state = State::Open).await;
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

    async fn claim(
        &self,
        id: ConfirmationId,
        attempts_claimed: u32,
        now: Timestamp,
    ) -> Answer<ClaimOutcome> {
        let mut number = attempts_claimed;
        match self.fault {
            Fault::ClaimForgetsTheNumber => {
                let item = self.raw(id).await;
                let claimed = item.as_ref().and_then(Confirmation::verified);
                number = claimed.map_or(number, |it| it.delivery.attempts_claimed);
            }
            Fault::ClaimForgetsTheLease => {
                self.amend_verified(id, |verified| set_claimed(verified, None))
                    .await;
            }
            Fault::ClaimForgetsTheTime => {
                let item = self.raw(id).await.map(due_at_once);
                let decision = transitions::claim(item, attempts_claimed, now);
                if let Some(item) = decision.write {
                    self.model.put(item);
                    return Ok(decision.outcome);
                }
            }
            Fault::ClaimIsNotWritten => {
                let item = self.raw(id).await;
                return Ok(transitions::claim(item, attempts_claimed, now).outcome);
            }
            _ => {}
        }
        self.model.claim(id, number, now).await
    }

    async fn settle(
        &self,
        id: ConfirmationId,
        mut settled: SettledAttempt,
        now: Timestamp,
        retention: Duration,
    ) -> Answer<SettleOutcome> {
        match self.fault {
            Fault::SettleIsNotWritten => return Ok(SettleOutcome::Superseded),
            Fault::SettleGivesUp => {
                if let Settlement::Retry { .. } = settled.settlement {
                    settled.settlement = Settlement::Failed;
                }
            }
            Fault::SettleForgetsTheNumber => {
                let item = self.raw(id).await;
                let claimed = item.as_ref().and_then(Confirmation::verified);
                let claimed = claimed.map_or(0, |it| it.delivery.attempts_claimed);
                let number = std::mem::replace(&mut settled.attempt.number, claimed);
                self.amend_verified(id, |verified| set_claimed(verified, Some(now)))
                    .await;
                let outcome = self.model.settle(id, settled, now, retention).await;
                self.amend_verified(id, |verified| {
                    if let Some(last) = verified.delivery.attempts.last_mut() {
                        last.number = number;
                    }
                })
                .await;
                return outcome;
            }
            _ => {}
        }
        self.model.settle(id, settled, now, retention).await
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
            Fault::VerifySetsNoDue => {
                let mut kept = Vec::new();
                for entry in due {
                    let item = self.raw(entry.confirmation).await;
                    let verified = item.as_ref().and_then(Confirmation::verified);
                    if verified.is_some_and(|it| it.delivery.attempts_claimed > 0) {
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
        let id = due.confirmation;
        if self.fault == Fault::PostponeForgetsThatItEnded
            && let Some(item) = self.raw(id).await
            && let Some(verified) = item.verified()
            && !verified.delivery.is_pending()
        {
            let pointer = DeliveryPointer {
                subject: id.into(),
                attempts_claimed: verified.delivery.attempts_claimed,
                group: item.group(),
            };
            self.amend_verified(id, |verified| {
                verified.delivery.progress = Progress::Pending {
                    next_attempt_at: now,
                    due_at: now,
                    claimed_at: None,
                };
            })
            .await;
            return Ok(PostponeOutcome::Postponed(pointer));
        }
        let outcome = self.model.postpone(due, now).await;
        if self.fault == Fault::PostponeForever {
            self.amend_verified(id, |verified| {
                if let Progress::Pending { due_at, .. } = &mut verified.delivery.progress {
                    *due_at = now.plus(Duration::from_hours(24 * 365));
                }
            })
            .await;
        }
        outcome
    }
}
