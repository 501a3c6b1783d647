//! The random operations reach every answer, so they compare successes as well as refusals.

use std::collections::BTreeSet;

use countersign_domain::confirmation::Status;
use countersign_domain::confirmation::transitions::VerifyRefusal;

use super::*;

/// Returns the name of the answer, without its data.
fn kind(answer: &Answer) -> String {
    let owed = |pointer: bool| if pointer { "owed" } else { "not owed" };
    match answer {
        Answer::Create(CreateOutcome::Created) => "created".to_owned(),
        Answer::Create(CreateOutcome::Exists(_)) => "exists".to_owned(),
        Answer::Create(CreateOutcome::Exceeded(_)) => "exceeded".to_owned(),
        Answer::Find(found) => format!("found {}", found.is_some()),
        Answer::Verify(VerifyOutcome::Verified { .. }) => "verified".to_owned(),
        Answer::Verify(VerifyOutcome::Repeated { pointer }) => {
            format!("repeated, {}", owed(pointer.is_some()))
        }
        Answer::Verify(VerifyOutcome::Refused(refusal)) => format!("refused {refusal:?}"),
        Answer::RecordMiss(outcome) => format!("miss {outcome:?}"),
        Answer::DecideCarrier(CarrierOutcome::Decided(_)) => "carrier decided".to_owned(),
        Answer::DecideCarrier(CarrierOutcome::Kept(_)) => "carrier kept".to_owned(),
        Answer::DecideCarrier(CarrierOutcome::Unchanged) => "no carrier".to_owned(),
        Answer::Cancel(CancelOutcome::Cancelled(_)) => "cancelled".to_owned(),
        Answer::Cancel(CancelOutcome::Ended(status)) => format!("not cancelled {status:?}"),
        Answer::Cancel(CancelOutcome::Unknown) => "cancel unknown".to_owned(),
        Answer::Redact(RedactOutcome::Redacted(_)) => "redacted".to_owned(),
        Answer::Redact(other) => format!("not redacted {other:?}"),
        Answer::Redeliver(RedeliverOutcome::Owed { .. }) => "redelivered".to_owned(),
        Answer::Redeliver(other) => format!("not redelivered {other:?}"),
        Answer::Claim(ClaimOutcome::Claimed(claimed)) => {
            format!("claimed again {}", claimed.delivery.attempts_claimed > 1)
        }
        Answer::Claim(ClaimOutcome::Stale) => "stale".to_owned(),
        Answer::Settle(SettleOutcome::Settled { pointer }) => {
            format!("settled, {}", owed(pointer.is_some()))
        }
        Answer::Settle(SettleOutcome::Superseded) => "superseded".to_owned(),
        Answer::Postpone(PostponeOutcome::Postponed(_)) => "postponed".to_owned(),
        Answer::Postpone(PostponeOutcome::Superseded) => "not postponed".to_owned(),
    }
}

#[tokio::test]
async fn every_answer_is_reached() -> Checked {
    let mut seen = BTreeSet::new();
    for seed in 1..=3 {
        let model = Arc::new(ModelStore::default());
        let mut chance = Chance::of(seed);
        let mut now = NOW;
        for _ in 0..STEPS {
            now = next_time(&mut chance, &model, now);
            let operation = draw(&mut chance, &model, now);
            seen.insert(kind(&run(&model.stores(), &operation, now).await?));
        }
    }
    let mut expected: BTreeSet<String> = [
        "created",
        "exists",
        "found false",
        "found true",
        "verified",
        "repeated, owed",
        "repeated, not owed",
        "miss Recorded",
        "miss Unchanged",
        "carrier decided",
        "carrier kept",
        "no carrier",
        "cancelled",
        "cancel unknown",
        "redacted",
        "not redacted Open",
        "not redacted WebhookOwed",
        "not redacted Unknown",
        "redelivered",
        "not redelivered InFlight",
        "not redelivered Redacted",
        "not redelivered Unknown",
        "claimed again false",
        "claimed again true",
        "stale",
        "settled, owed",
        "settled, not owed",
        "superseded",
        "postponed",
        "not postponed",
    ]
    .map(str::to_owned)
    .into();
    for refusal in [
        VerifyRefusal::Unknown,
        VerifyRefusal::Expired,
        VerifyRefusal::Cancelled,
        VerifyRefusal::AlreadyUsed,
        VerifyRefusal::WrongSender,
        VerifyRefusal::WrongRecipient,
    ] {
        expected.insert(format!("refused {refusal:?}"));
    }
    for status in [Status::Expired, Status::Cancelled, Status::Verified] {
        expected.insert(format!("not cancelled {status:?}"));
    }
    for status in [Status::Open, Status::Expired, Status::Cancelled] {
        let refused = RedeliverOutcome::NotVerified(status);
        expected.insert(format!("not redelivered {refused:?}"));
    }
    equal("answers", seen, expected)
}

#[tokio::test]
async fn same_seed_draws_the_same_operations() -> Checked {
    let draws = async || {
        let model = Arc::new(ModelStore::default());
        let (mut chance, mut now, mut drawn) = (Chance::of(5), NOW, Vec::new());
        for _ in 0..STEPS {
            now = next_time(&mut chance, &model, now);
            let operation = draw(&mut chance, &model, now);
            run(&model.stores(), &operation, now).await?;
            drawn.push(format!("{now} {operation:?}"));
        }
        Ok::<_, Failure>(drawn)
    };
    equal("draws", draws().await?, draws().await?)
}
