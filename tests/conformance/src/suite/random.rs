//! Runs random operations on the store and on the model, which must answer alike.

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use countersign_domain::confirmation::carrier::CarrierName;
use countersign_domain::confirmation::miss::Unfit;
use countersign_domain::confirmation::transitions::{
    CancelOutcome, CarrierOutcome, CreateOutcome, MissOutcome, RedactOutcome, RedeliverOutcome,
    TextEvidence, VerifyOutcome,
};
use countersign_domain::confirmation::{Confirmation, Redactable, State};
use countersign_domain::delivery::store::Due;
use countersign_domain::delivery::transitions::Owes;
use countersign_domain::delivery::{
    CLAIM_LEASE, CLAIM_TOLERANCE, ClaimOutcome, DeliveryKind, DeliveryLane, PostponeOutcome,
    Progress, SettleOutcome, SettledAttempt, Settlement,
};
use countersign_domain::primitives::ids::{AppId, ConfirmationId};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

use super::Case;
use super::steps::{Store, claims, due};
use crate::all_due;
use crate::chance::Chance;
use crate::check::{Checked, Failure, equal};
use crate::model::ModelStore;
use crate::samples::{
    MILLI, NOW, OTHER_PHONE, PHONE, RETENTION, WHATSAPP, acquisition, app_id, attempt, before,
    confirmation, id, metadata, on_whatsapp, signature, text_from, text_on_whatsapp,
};
use crate::stores::Stores;

pub(super) const CASES: &[Case<Stores>] = &[
    Case {
        name: "random: store answers like the model, seed 1",
        run: |store| Box::pin(against_model(store, 1)),
    },
    Case {
        name: "random: store answers like the model, seed 2",
        run: |store| Box::pin(against_model(store, 2)),
    },
    Case {
        name: "random: store answers like the model, seed 3",
        run: |store| Box::pin(against_model(store, 3)),
    },
    Case {
        name: "random: store answers like the model, fresh seed",
        run: |store| Box::pin(against_model(store, Chance::fresh_seed())),
    },
];

/// The number of operations in a run.
const STEPS: u32 = 400;

/// The number of ids that a run uses.
const IDS: u8 = 5;

/// An operation on the stores.
#[derive(Clone, Debug)]
enum Operation {
    Create(Box<Confirmation>),
    Find(ConfirmationId),
    Verify(ConfirmationId, TextEvidence),
    RecordMiss(ConfirmationId, Unfit),
    DecideCarrier(ConfirmationId, CarrierName),
    Cancel(ConfirmationId, AppId),
    Redact(ConfirmationId, AppId),
    Redeliver(ConfirmationId, AppId),
    Claim(ConfirmationId, u32),
    Settle(ConfirmationId, SettledAttempt),
    Postpone(Due),
}

/// The answer to an operation.
#[derive(Debug, PartialEq)]
enum Answer {
    Create(CreateOutcome),
    Find(Option<Box<Confirmation>>),
    Verify(VerifyOutcome),
    RecordMiss(MissOutcome),
    DecideCarrier(CarrierOutcome),
    Cancel(CancelOutcome),
    Redact(RedactOutcome),
    Redeliver(RedeliverOutcome),
    Claim(ClaimOutcome),
    Settle(SettleOutcome),
    Postpone(PostponeOutcome),
}

/// Runs the same random operations on an empty store and on a model. A failure names the seed that
/// reproduces the run.
///
/// # Errors
/// Fails if the store and the model answer differently.
pub async fn against_model(store: Store, seed: u64) -> Checked {
    let model = Arc::new(ModelStore::default());
    let mut chance = Chance::of(seed);
    let mut now = NOW;
    for step in 0..STEPS {
        now = next_time(&mut chance, &model, now);
        let operation = draw(&mut chance, &model, now);
        let within = |failure: Failure| {
            failure.within(format_args!(
                "seed {seed}, step {step}, at {now}, {operation:?}"
            ))
        };
        let expected = run(&model.stores(), &operation, now).await?;
        let actual = run(&store, &operation, now).await;
        let actual = actual.map_err(|error| within(error.into()))?;
        equal("answer differs from the model's", actual, expected).map_err(within)?;
        if step % 10 == 0 || step + 1 == STEPS {
            same_items(&store, &model.stores(), now)
                .await
                .map_err(within)?;
        }
    }
    Ok(())
}

async fn same_items(store: &Store, model: &Stores, now: Timestamp) -> Checked {
    for n in 0..IDS {
        let expected = model.confirmations.find(id(n), now).await?;
        equal(
            "items",
            store.confirmations.find(id(n), now).await?,
            expected,
        )?;
    }
    let expected = all_due::deliveries(&*model.deliveries, now).await?;
    due(store, now, &expected).await
}

/// Draws the time of the next step: mostly a little later, sometimes within a millisecond of a time
/// that matters, such as a due time or an expiry, and rarely of a `purge_at`.
fn next_time(chance: &mut Chance, model: &ModelStore, now: Timestamp) -> Timestamp {
    let a_little = now.plus(Duration::from_millis(chance.below(1500)));
    let items = model.items();
    if items.is_empty() || !chance.once_in(6) {
        return a_little;
    }
    let item = chance.one_of(&items);
    let instant = match item.verified().map(|v| &v.delivery.progress) {
        _ if chance.once_in(10) => item.purge_at,
        Some(Progress::Pending {
            claimed_at: Some(at),
            ..
        }) => at.plus(CLAIM_LEASE),
        Some(Progress::Pending {
            next_attempt_at,
            due_at,
            ..
        }) => chance.one_of(&[*due_at, before(*next_attempt_at, CLAIM_TOLERANCE)]),
        _ if chance.once_in(4) => item.expires_at,
        _ => now,
    };
    let chosen = chance.one_of(&[before(instant, MILLI), instant, instant.plus(MILLI)]);
    chosen.max(now)
}

/// Draws an operation: mostly one that suits the state of a confirmation, sometimes any.
fn draw(chance: &mut Chance, model: &ModelStore, now: Timestamp) -> Operation {
    let n = u8::try_from(chance.below(IDS.into())).unwrap_or(0);
    let items = model.items();
    let item = items
        .iter()
        .find(|item| item.id == id(n) && now < item.purge_at);
    let all = 0..10;
    let fitting = match item.map(|item| &item.state) {
        None => 0..1,
        Some(State::Open { .. }) => 1..3,
        Some(State::Cancelled { .. }) => 2..4,
        Some(State::Verified(verified)) => match verified.delivery.progress {
            Progress::Pending {
                claimed_at: None, ..
            } => 4..6,
            Progress::Pending { .. } => 6..8,
            Progress::Delivered { .. } | Progress::Failed { .. } => 8..10,
        },
    };
    let choices = if chance.once_in(3) { all } else { fitting };
    let claimed = item.map_or(0, claims);
    let number = match chance.below(8) {
        0 => claimed + 1,
        1 => claimed.saturating_sub(1),
        _ => claimed,
    };
    let app = app_id(chance.one_of(&["demo", "demo", "demo", "demo", "other"]));
    match choices.start + chance.below(choices.end - choices.start) {
        0 => Operation::Create(Box::new(new_confirmation(chance, n, now))),
        1 if chance.once_in(8) => {
            let unfit = chance.one_of(&[Unfit::Sender, Unfit::Recipient]);
            Operation::RecordMiss(id(n), unfit)
        }
        1 => {
            let message = u32::from(chance.once_in(2));
            let from = chance.one_of(&[PHONE, PHONE, OTHER_PHONE]);
            let mut text = match chance.below(12) {
                0 => text_on_whatsapp(message, from, WHATSAPP),
                1 => text_on_whatsapp(message, from, "+12025550178"),
                _ => text_from(message, from),
            };
            if chance.once_in(2) {
                text.carrier = CarrierName::default();
            }
            Operation::Verify(id(n), text)
        }
        2 if !chance.once_in(4) => Operation::Find(id(n)),
        2 => Operation::Cancel(id(n), app),
        3 | 9 => Operation::Redact(id(n), app),
        4 => Operation::Claim(id(n), number),
        5 => {
            let due_at = item.and_then(Owes::due_at).unwrap_or(now);
            Operation::Postpone(Due {
                due_at: due_at.plus(MILLI * u32::from(chance.once_in(4))),
                subject: id(n).into(),
                lane: item.map_or_else(
                    || DeliveryLane::of(DeliveryKind::Confirmations, &app_id("demo")),
                    Owes::lane,
                ),
            })
        }
        6 => Operation::Settle(id(n), settlement(chance, number, now)),
        7 => {
            let name = chance.one_of(&["", "Acme", "Other"]);
            Operation::DecideCarrier(id(n), CarrierName::of(name))
        }
        _ => Operation::Redeliver(id(n), app),
    }
}

fn new_confirmation(chance: &mut Chance, n: u8, now: Timestamp) -> Confirmation {
    let mut new = if chance.once_in(2) {
        acquisition(n)
    } else {
        confirmation(n)
    };
    let forms = ["{}", r#"{"a":[1,2.5,"x"]}"#, r#"{"ä":"\n\"","9":null}"#];
    new.metadata = Redactable::Present(metadata(chance.one_of(&forms)));
    if chance.once_in(2) {
        new = on_whatsapp(new);
    }
    new.app = app_id(chance.one_of(&["demo", "demo", "demo", "other"]));
    new.created_at = now;
    new.expires_at = now.plus(Duration::from_mins(5));
    new.purge_at = now.plus(Duration::from_hours(24));
    new
}

fn settlement(chance: &mut Chance, number: u32, now: Timestamp) -> SettledAttempt {
    let at = now.plus(Duration::from_millis(chance.below(90_000)));
    let due_at = at.plus(Duration::from_secs(chance.below(2) * 60));
    let settlements = [
        Settlement::Delivered,
        Settlement::Failed,
        Settlement::Retry { at, due_at },
        Settlement::Retry { at, due_at },
    ];
    SettledAttempt {
        attempt: attempt(number, 500),
        signature: (!chance.once_in(3)).then(|| signature(number.to_le_bytes()[0])),
        settlement: chance.one_of(&settlements),
    }
}

async fn run(store: &Stores, operation: &Operation, now: Timestamp) -> Result<Answer, Unavailable> {
    Ok(match operation.clone() {
        Operation::Create(new) => Answer::Create(store.confirmations.create(*new, now).await?),
        Operation::Find(id) => Answer::Find(store.confirmations.find(id, now).await?.map(Box::new)),
        Operation::Verify(id, text) => Answer::Verify(
            store
                .confirmations
                .verify(id, &text, now, RETENTION)
                .await?,
        ),
        Operation::RecordMiss(id, unfit) => {
            Answer::RecordMiss(store.confirmations.record_miss(id, unfit, now).await?)
        }
        Operation::DecideCarrier(id, name) => {
            Answer::DecideCarrier(store.confirmations.decide_carrier(id, &name, now).await?)
        }
        Operation::Cancel(id, app) => {
            Answer::Cancel(store.confirmations.cancel(id, &app, now).await?)
        }
        Operation::Redact(id, app) => {
            Answer::Redact(store.confirmations.redact(id, &app, now).await?)
        }
        Operation::Redeliver(id, app) => Answer::Redeliver(
            store
                .confirmations
                .redeliver(id, &app, now, RETENTION)
                .await?,
        ),
        Operation::Claim(id, attempts) => {
            Answer::Claim(store.deliveries.claim(id.into(), attempts, now).await?)
        }
        Operation::Settle(id, settled) => Answer::Settle(
            store
                .deliveries
                .settle(id.into(), settled, now, RETENTION)
                .await?,
        ),
        Operation::Postpone(due) => Answer::Postpone(store.deliveries.postpone(due, now).await?),
    })
}
