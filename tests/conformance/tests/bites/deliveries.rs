mod broken;
mod faults;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use countersign_conformance::model::ModelStore;
use countersign_conformance::samples::{MILLI, before};
use countersign_conformance::suite;
use countersign_domain::delivery::store::{DeliveryStore, Due};
use countersign_domain::delivery::transitions::{Claim, Postpone, Settle};
use countersign_domain::delivery::{
    AttemptResult, CLAIM_LEASE, ClaimOutcome, DeliveryLane, DeliverySubject, PostponeOutcome,
    Progress, SettleOutcome, SettledAttempt, Settlement,
};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

use broken::Broken;
use faults::{FAULTS, FAULTS_OF_ONE_KIND, Fault};

// Time is paused, so cases that wait for a lagging index take no time.
#[tokio::test(start_paused = true)]
async fn every_fault_is_caught() {
    let make = async |fault| Broken::stores(Arc::new(ModelStore::default()), fault);
    let sound = suite::deliveries(async || make(Fault::Nothing).await);
    sound.await.assert_passed();
    let of_both = FAULTS.iter().flat_map(|(fault, case)| {
        ["confirmation", "login"].map(|kind| (*fault, format!("{kind} {case}")))
    });
    let of_one = FAULTS_OF_ONE_KIND.iter();
    let of_one = of_one.map(|(fault, case)| (*fault, (*case).to_owned()));
    let mut missed = Vec::new();
    for (fault, case) in of_both.chain(of_one) {
        let cases = suite::delivery_cases().into_iter();
        let case = super::named(cases.chain(suite::confirmation_cases()), &case);
        let make = async || Arc::new(make(fault).await);
        missed.extend(super::caught(&fault, &suite::run(vec![case], make).await).err());
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[async_trait]
impl DeliveryStore for Broken {
    async fn claim(
        &self,
        subject: DeliverySubject,
        attempts_claimed: u32,
        now: Timestamp,
    ) -> Result<ClaimOutcome, Unavailable> {
        let (mut number, mut at) = (attempts_claimed, now);
        let kept = self.raw(subject);
        match self.fault {
            Fault::ClaimOfAnyNumber => {
                let delivery = self.model.delivery(subject);
                number = delivery.map_or(number, |delivery| delivery.attempts_claimed);
            }
            Fault::ClaimIgnoresLease => self.set_claimed(subject, None),
            Fault::ClaimIgnoresDueTime => self.model.amend_delivery(subject, |delivery| {
                if let Progress::Pending {
                    next_attempt_at, ..
                } = &mut delivery.progress
                {
                    *next_attempt_at = (*next_attempt_at).min(now);
                }
            }),
            Fault::ClaimOneMilliEarly => at = now.plus(MILLI),
            Fault::ClaimNeverExpires => at = self.claimed_at(subject).unwrap_or(now),
            Fault::ClaimIsNotAtomic => {
                let claim = Claim {
                    attempts_claimed,
                    now,
                };
                return Ok(self.non_atomically(subject, claim).await);
            }
            Fault::ClaimSeesPurgedItem => {
                let end = kept.as_ref().map(broken::Stored::purge_at);
                if let Some(end) = end.filter(|end| now >= *end) {
                    at = before(end, MILLI);
                }
            }
            _ => {}
        }
        let outcome = self.model.claim(subject, number, at).await?;
        match (self.fault, kept) {
            (Fault::ClaimIsForgotten, Some(kept)) => self.put(kept),
            (Fault::ClaimMovesDueEntry, _) if outcome != ClaimOutcome::Stale => {
                self.model.amend_delivery(subject, |delivery| {
                    if let Progress::Pending { due_at, .. } = &mut delivery.progress {
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
        subject: DeliverySubject,
        mut settled: SettledAttempt,
        now: Timestamp,
        retention: Duration,
    ) -> Result<SettleOutcome, Unavailable> {
        let (kept, earlier) = (self.raw(subject), self.model.delivery(subject));
        let settlement = settled.settlement;
        match self.fault {
            Fault::SettlesAnyNumber => {
                let claimed = earlier.as_ref().map(|delivery| delivery.attempts_claimed);
                settled.attempt.number = claimed.unwrap_or(settled.attempt.number);
            }
            Fault::SettlesTwice => {
                if earlier.is_none() {
                    // A settled login has no delivery any more, so only the answer can be wrong.
                    return Ok(SettleOutcome::Settled { pointer: None });
                }
                self.model.amend_delivery(subject, |delivery| {
                    delivery.progress = Progress::Pending {
                        next_attempt_at: now,
                        due_at: now,
                        claimed_at: Some(now),
                    };
                });
            }
            Fault::SettleIsNotAtomic => {
                let settle = Settle {
                    settled,
                    now,
                    retention,
                };
                return Ok(self.non_atomically(subject, settle).await);
            }
            Fault::FailureReasonsLost => {
                if let AttemptResult::NoAnswer(_) = settled.attempt.result {
                    settled.attempt.result = AttemptResult::Answered(0);
                }
            }
            Fault::SignatureTruncated => {
                if let Some(kept) = &mut settled.signature {
                    kept.der.truncate(70);
                }
            }
            _ => {}
        }
        let drops = settled.signature.is_none();
        let outcome = self.model.settle(subject, settled, now, retention).await?;
        if outcome == SettleOutcome::Superseded {
            return Ok(outcome);
        }
        match (self.fault, kept) {
            (Fault::SettleIsForgotten, Some(kept)) => self.put(kept),
            (Fault::SettleForgetsPurge, Some(kept)) => {
                if let Some(item) = self.raw(subject) {
                    self.put(item.with_purge_at(kept.purge_at()));
                }
            }
            _ => {}
        }
        self.model
            .amend_delivery(subject, |delivery| match self.fault {
                Fault::KeepsAllAttempts => {
                    let last = delivery.attempts.pop();
                    let all = earlier.map(|delivery| delivery.attempts);
                    let all = all.into_iter().flatten().chain(last);
                    delivery.attempts = all.collect();
                }
                Fault::DropsSignature if drops => delivery.signature = None,
                Fault::FailureDropsSignature if settlement == Settlement::Failed => {
                    delivery.signature = None;
                }
                Fault::RetryBecomesFailure => delivery.progress = Progress::Failed { at: now },
                _ => {}
            });
        Ok(outcome)
    }

    async fn due_lanes(&self, now: Timestamp) -> Result<Vec<DeliveryLane>, Unavailable> {
        let now = match self.fault {
            Fault::DueOneMilliEarly => now.plus(MILLI),
            Fault::DueOneMilliLate => before(now, MILLI),
            _ => now,
        };
        let mut lanes = self.model.due_lanes(now).await?;
        if self.has(Fault::DueLanesStopsAfterOne) {
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
            Fault::DueIsEmpty => Vec::new(),
            Fault::DueUnlimited => model.due(lane, now, after, usize::MAX).await?,
            Fault::DueOneMilliEarly => model.due(lane, now.plus(MILLI), after, limit).await?,
            Fault::DueOneMilliLate => model.due(lane, before(now, MILLI), after, limit).await?,
            Fault::DueIgnoresStart => {
                let limit = if after.is_some() { limit.min(1) } else { limit };
                model.due(lane, now, None, limit).await?
            }
            // Answers like an index that is ordered by time alone: the oldest of any lane.
            Fault::DueOfAnyLane | Fault::DueOfAnyKind => {
                let mut all = Vec::new();
                for lane in model.due_lanes(now).await? {
                    all.extend(model.due(lane, now, after, usize::MAX).await?);
                }
                all.sort();
                all.truncate(limit);
                all.retain(|entry| entry.lane == lane || self.has(Fault::DueOfAnyKind));
                all
            }
            _ => model.due(lane, now, after, limit).await?,
        };
        if self.has(Fault::DueUnsorted) {
            due.sort_by_key(|due| due.subject);
        }
        for (entry, ended) in self.items().filter_map(|item| item.first_due()) {
            let missing = entry.lane == lane && entry.due_at <= now && !due.contains(&entry);
            match self.fault {
                Fault::DueKeepsEnded if missing && ended => due.push(entry),
                Fault::DueIsNotMoved if missing && !ended => due.push(entry),
                _ => {}
            }
        }
        Ok(due)
    }

    async fn postpone(&self, due: Due, now: Timestamp) -> Result<PostponeOutcome, Unavailable> {
        let subject = due.subject;
        let mut seen = due;
        match self.fault {
            Fault::PostponeIgnoresSeenTime => {
                let delivery = self.model.delivery(subject);
                let actual = delivery.and_then(|delivery| delivery.due_at());
                seen.due_at = actual.unwrap_or(due.due_at);
            }
            Fault::PostponeIsNotAtomic => {
                let seen_due_at = due.due_at;
                let postpone = Postpone { seen_due_at, now };
                return Ok(self.non_atomically(subject, postpone).await);
            }
            Fault::PostponeDropsClaim => self.set_claimed(subject, None),
            _ => {}
        }
        self.model.postpone(seen, now).await
    }
}
