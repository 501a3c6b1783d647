mod broken;
mod faults;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use countersign_conformance::model::ModelStore;
use countersign_conformance::samples::{MILLI, before};
use countersign_conformance::suite;
use countersign_domain::confirmation::store::{ConfirmationStore, Due};
use countersign_domain::confirmation::transitions::{
    CancelOutcome, ClaimOutcome, CreateOutcome, RedactOutcome, RedeliverOutcome, TextEvidence,
    VerifyOutcome, VerifyRefusal,
};
use countersign_domain::confirmation::{Confirmation, Flow, State, transitions};
use countersign_domain::delivery::{
    AttemptResult, CLAIM_LEASE, DeliveryLane, PostponeOutcome, Progress, SettleOutcome,
    SettledAttempt, Settlement,
};
use countersign_domain::primitives::ids::{AppId, ConfirmationId};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

use broken::{Broken, claimed_at, set_claimed};
use faults::{FAULTS, Fault};

// Paused, so that whoever waits for an index that lags waits for no time.
#[tokio::test(start_paused = true)]
async fn every_fault_is_caught() {
    let make = async |fault| {
        Arc::new(Broken {
            model: ModelStore::default(),
            fault,
        })
    };
    suite::confirmations(async || make(Fault::Nothing).await)
        .await
        .assert_passed();
    let mut missed = Vec::new();
    for (fault, case) in FAULTS {
        let case = super::named(suite::confirmation_cases(), case);
        let make = async || make(*fault).await as Arc<dyn ConfirmationStore>;
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
            Fault::Unavailable => return Err(Unavailable::new("store", "there is none")),
            Fault::CreateOverwrites => {
                self.model.put(new);
                return Ok(CreateOutcome::Created);
            }
            Fault::CreateIsNotAtomic => {
                let decide = |current| transitions::create(current, new, now);
                return Ok(self.loosely(id, decide).await);
            }
            Fault::CreateSeesThePurged => {
                if let Some(item) = self.raw(id) {
                    return Ok(CreateOutcome::Exists(Box::new(item)));
                }
            }
            Fault::SecondsOnly => {
                new.created_at = Timestamp::from_millis(new.created_at.as_secs() * 1000);
            }
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
            Fault::FindSeesThePurged => item,
            Fault::FindSeesThePurgedForAMilli => item.filter(|item| now <= item.purge_at),
            Fault::FindLosesItAMilliEarly => item.filter(|item| now.plus(MILLI) < item.purge_at),
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
            .is_some_and(|item| item.state == State::Open && now < item.purge_at);
        if let Some(item) = before_it.as_ref() {
            let last = before(item.expires_at, Duration::from_millis(u64::from(is_open)));
            match self.fault {
                Fault::Panics => panic!("as it should"),
                Fault::ExpiryIgnored if is_open => at = now.min(last),
                Fault::ExpiryAMilliLate if now == item.expires_at => at = last,
                Fault::ExpiryAMilliEarly if is_open => at = now.plus(MILLI),
                Fault::SenderIgnored => {
                    if let Flow::Confirmation { expected } = &item.flow {
                        evidence.from = expected.present().cloned().unwrap_or(evidence.from);
                    }
                }
                Fault::CancelledIsRevived => self.amend(id, |item| {
                    if matches!(item.state, State::Cancelled { .. }) {
                        item.state = State::Open;
                    }
                }),
                _ => {}
            }
        }
        match self.fault {
            Fault::VerifyIsNotAtomic => {
                let decide = |current| transitions::verify(current, &evidence, now, retention);
                return Ok(self.loosely(id, decide).await);
            }
            Fault::RetentionIgnored => retention = Duration::ZERO,
            Fault::CarrierInAscii => evidence.carrier.retain(|c| c.is_ascii()),
            _ => {}
        }
        let outcome = self.model.verify(id, &evidence, at, retention).await?;
        Ok(match outcome {
            VerifyOutcome::Repeated { .. } if self.has(Fault::RepeatIsRefused) => {
                VerifyOutcome::Refused(VerifyRefusal::AlreadyUsed)
            }
            VerifyOutcome::Repeated { .. } if self.has(Fault::RepeatAlwaysHasAPointer) => {
                let pointer = before_it.and_then(|item| item.pointer());
                VerifyOutcome::Repeated { pointer }
            }
            other => other,
        })
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
                Ok(self.loosely(id, decide).await)
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
            Fault::RedactsWhatIsOwed => self.amend_verified(id, |verified| {
                verified.delivery.progress = Progress::Failed { at: now };
            }),
            Fault::RedactionForgetsWhen => self.amend(id, |item| item.redacted_at = None),
            _ => {}
        }
        let outcome = self.model.redact(id, app, now).await?;
        if let (RedactOutcome::Redacted(_), Some(kept)) = (&outcome, kept) {
            match self.fault {
                Fault::RedactionLeavesTheCarrier => self.amend_verified(id, |verified| {
                    let carrier = kept.verified().map(|verified| verified.carrier.clone());
                    verified.carrier = carrier.unwrap_or_default();
                }),
                Fault::RedactionLeavesTheExpectedNumber => {
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
            Fault::RedeliversWhatIsInFlight => {
                self.amend_verified(id, |verified| set_claimed(verified, None));
            }
            Fault::RedeliveryIsNotAtomic => {
                let decide = |current| transitions::redeliver(current, app, now, retention);
                return Ok(self.loosely(id, decide).await);
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

    async fn claim(
        &self,
        id: ConfirmationId,
        attempts_claimed: u32,
        now: Timestamp,
    ) -> Result<ClaimOutcome, Unavailable> {
        let (mut number, mut at) = (attempts_claimed, now);
        let kept = self.raw(id);
        if let Some(verified) = self.verified(id) {
            match self.fault {
                Fault::ClaimOfAnyNumber => number = verified.delivery.attempts_claimed,
                Fault::ClaimIgnoresTheLease => {
                    self.amend_verified(id, |verified| set_claimed(verified, None));
                }
                Fault::ClaimAMilliEarly => at = now.plus(MILLI),
                Fault::ClaimNeverExpires => at = claimed_at(&verified).unwrap_or(now),
                _ => {}
            }
        }
        match (self.fault, &kept) {
            (Fault::ClaimIsNotAtomic, _) => {
                let decide = |current| transitions::claim(current, attempts_claimed, now);
                return Ok(self.loosely(id, decide).await);
            }
            (Fault::ClaimSeesThePurged, Some(item)) if now >= item.purge_at => {
                at = before(item.purge_at, MILLI);
            }
            _ => {}
        }
        let outcome = self.model.claim(id, number, at).await?;
        match (self.fault, kept) {
            (Fault::ClaimIsForgotten, Some(kept)) => self.model.put(kept),
            (Fault::ClaimMovesTheIndex, _) if outcome != ClaimOutcome::Stale => {
                self.amend_verified(id, |verified| {
                    if let Progress::Pending { due_at, .. } = &mut verified.delivery.progress {
                        *due_at = now.plus(CLAIM_LEASE);
                    }
                });
            }
            _ => {}
        }
        Ok(outcome)
    }

    async fn settle(
        &self,
        id: ConfirmationId,
        mut settled: SettledAttempt,
        now: Timestamp,
        mut retention: Duration,
    ) -> Result<SettleOutcome, Unavailable> {
        let earlier = self.verified(id);
        let failed = settled.settlement == Settlement::Failed;
        if let Some(verified) = &earlier {
            match self.fault {
                Fault::SettlesAnyNumber => {
                    settled.attempt.number = verified.delivery.attempts_claimed;
                }
                Fault::SettlesTwice => self.amend_verified(id, |verified| {
                    verified.delivery.progress = Progress::Pending {
                        next_attempt_at: now,
                        due_at: now,
                        claimed_at: Some(now),
                    };
                }),
                _ => {}
            }
        }
        match self.fault {
            Fault::SettleIsNotAtomic => {
                let decide = |current| transitions::settle(current, settled, now, retention);
                return Ok(self.loosely(id, decide).await);
            }
            Fault::SettleForgetsPurge => retention = Duration::ZERO,
            Fault::ReasonsLost => {
                if let AttemptResult::NoAnswer(_) = settled.attempt.result {
                    settled.attempt.result = AttemptResult::Answered(0);
                }
            }
            Fault::SignatureCut => {
                if let Some(kept) = &mut settled.signature {
                    kept.der.truncate(70);
                }
            }
            _ => {}
        }
        let drops = settled.signature.is_none();
        let outcome = self.model.settle(id, settled, now, retention).await?;
        if outcome != SettleOutcome::Superseded {
            self.amend_verified(id, |verified| match self.fault {
                Fault::KeepsAllAttempts => {
                    let last = verified.delivery.attempts.pop();
                    let all = earlier.map(|verified| verified.delivery.attempts);
                    let all = all.into_iter().flatten().chain(last);
                    verified.delivery.attempts = all.collect();
                }
                Fault::DropsTheSignature if drops => verified.delivery.signature = None,
                Fault::FailureDropsTheSignature if failed => verified.delivery.signature = None,
                _ => {}
            });
        }
        Ok(outcome)
    }

    async fn due_lanes(&self, now: Timestamp) -> Result<Vec<DeliveryLane>, Unavailable> {
        let now = match self.fault {
            Fault::DueAMilliEarly => now.plus(MILLI),
            Fault::DueAMilliLate => before(now, MILLI),
            _ => now,
        };
        let mut lanes = self.model.due_lanes(now).await?;
        if self.has(Fault::DueLanesForgets) {
            lanes.truncate(1);
        }
        Ok(lanes)
    }

    async fn due(
        &self,
        lane: DeliveryLane,
        now: Timestamp,
        after: Option<Due>,
        limit: usize,
    ) -> Result<Vec<Due>, Unavailable> {
        let model = &self.model;
        let mut due = match self.fault {
            Fault::DueForgets => Vec::new(),
            Fault::DueUnlimited => model.due(lane, now, after, usize::MAX).await?,
            Fault::DueAMilliEarly => model.due(lane, now.plus(MILLI), after, limit).await?,
            Fault::DueAMilliLate => model.due(lane, before(now, MILLI), after, limit).await?,
            Fault::DueBeginsAnew => {
                let limit = if after.is_some() { limit.min(1) } else { limit };
                model.due(lane, now, None, limit).await?
            }
            // As an index that is ordered by time alone answers: the oldest of anybody.
            Fault::DueOfAnyLane => {
                let mut all = Vec::new();
                for lane in model.due_lanes(now).await? {
                    all.extend(model.due(lane, now, after, usize::MAX).await?);
                }
                all.sort();
                all.truncate(limit);
                all.retain(|entry| entry.lane == lane);
                all
            }
            _ => model.due(lane, now, after, limit).await?,
        };
        if self.has(Fault::DueUnsorted) {
            due.sort_by_key(|due| due.confirmation);
        }
        for item in self.model.items() {
            let Some(verified) = item.verified() else {
                continue;
            };
            let first = verified.at.plus(Duration::from_mins(1));
            let entry = Due {
                due_at: first,
                confirmation: item.id,
                lane,
            };
            let ended = !verified.delivery.is_pending();
            match self.fault {
                Fault::DueKeepsWhatEnded if ended && first <= now => due.push(entry),
                Fault::DueIsNotMoved if !ended && first <= now && !due.contains(&entry) => {
                    due.push(entry);
                }
                _ => {}
            }
        }
        Ok(due)
    }

    async fn postpone(&self, due: Due, now: Timestamp) -> Result<PostponeOutcome, Unavailable> {
        let id = due.confirmation;
        let mut seen = due;
        match self.fault {
            Fault::PostponesUnseen => {
                let actual = self.raw(id).and_then(|item| item.due_at());
                seen.due_at = actual.unwrap_or(due.due_at);
            }
            Fault::PostponeIsNotAtomic => {
                let decide = |current| transitions::postpone(current, due.due_at, now);
                return Ok(self.loosely(id, decide).await);
            }
            Fault::PostponeDropsTheClaim => {
                self.amend_verified(id, |verified| set_claimed(verified, None));
            }
            _ => {}
        }
        self.model.postpone(seen, now).await
    }
}
