//! Concurrent callers: exactly one wins, whatever their order.

use std::collections::BTreeMap;
use std::sync::Arc;

use countersign_domain::confirmation::transitions::{
    CancelOutcome, CreateOutcome, RedactOutcome, RedeliverOutcome, VerifyOutcome, VerifyRefusal,
};
use countersign_domain::confirmation::{Confirmation, Redactable, State, Status};
use countersign_domain::delivery::{ClaimOutcome, Progress, Settlement};
use tokio::sync::Barrier;

use super::Case;
use super::steps::{Store, create, ended, pending, pointer_to, stored};
use crate::all_due;
use crate::check::{Checked, Failure, equal, holds};
use crate::samples::{
    MILLI, NOW, PHONE, RETENTION, WHATSAPP, acquisition, app_id, metadata, on_whatsapp, text,
    text_from, text_on_whatsapp, verified, with_delivery,
};
use crate::stores::Stores;

pub(super) const CASES: &[Case<Stores>] = &[
    Case {
        name: "race: one of 64 creations with the same id wins",
        run: |store| Box::pin(creates(store)),
    },
    Case {
        name: "race: 64 confirmations at once do not affect each other",
        run: |store| Box::pin(independent(store)),
    },
    Case {
        name: "race: one of 64 texts verifies",
        run: |store| Box::pin(texts(store)),
    },
    Case {
        name: "race: one text verifies, whether by SMS or on WhatsApp",
        run: |store| Box::pin(texts_of_both_channels(store)),
    },
    Case {
        name: "race: same text 64 times verifies once and repeats 63 times",
        run: |store| Box::pin(same_text(store)),
    },
    Case {
        name: "race: either a text or a cancellation wins",
        run: |store| Box::pin(text_or_cancel(store)),
    },
    Case {
        name: "race: redeliveries never undo a claim",
        run: |store| Box::pin(claim_or_redeliver(store)),
    },
    Case {
        name: "race: one of 64 redactions takes effect",
        run: |store| Box::pin(redactions(store)),
    },
];

/// The number of concurrent tasks in a race.
pub(super) const MANY: u8 = 64;

/// The number of times that a race is run, each time on a new item.
pub(super) const ROUNDS: u8 = 4;

/// Runs `count` tasks that start at the same moment, and returns their results in task order.
pub(super) async fn at_once<T, F>(count: u8, task: impl Fn(u8) -> F) -> Result<Vec<T>, Failure>
where
    T: Send + 'static,
    F: Future<Output = Result<T, countersign_domain::primitives::unavailable::Unavailable>>
        + Send
        + 'static,
{
    let barrier = Arc::new(Barrier::new(count.into()));
    let mut running = Vec::new();
    for n in 0..count {
        let (barrier, work) = (Arc::clone(&barrier), task(n));
        running.push(tokio::spawn(async move {
            barrier.wait().await;
            work.await
        }));
    }
    let mut got = Vec::new();
    for task in running {
        let outcome = task.await;
        got.push(outcome.map_err(|panic| Failure::new(format_args!("{panic}")))??);
    }
    Ok(got)
}

/// Returns the index of the only element for which the condition holds.
pub(super) fn only<T: std::fmt::Debug>(
    all: &[T],
    holds: impl Fn(&T) -> bool,
) -> Result<u8, Failure> {
    let mut found = (0_u8..).zip(all).filter(|(_, one)| holds(one));
    match (found.next(), found.next()) {
        (Some((index, _)), None) => Ok(index),
        (None, _) => Err(Failure::new(format_args!("no match in {all:?}"))),
        (Some(_), Some(_)) => Err(Failure::new(format_args!("several matches in {all:?}"))),
    }
}

/// Reads the stored item again.
async fn found(store: &Store, item: &Confirmation) -> super::steps::Got {
    let found = store.confirmations.find(item.id, NOW).await?;
    found.ok_or_else(|| Failure::new("the item is gone"))
}

async fn creates(store: Store) -> Checked {
    for round in 0..ROUNDS {
        let new = |n: u8| {
            let mut item = acquisition(round);
            item.metadata = Redactable::Present(metadata(&format!(r#"{{"n":{n}}}"#)));
            item
        };
        let outcomes = at_once(MANY, |n| {
            let (store, item) = (Arc::clone(&store), new(n));
            async move { store.confirmations.create(item, NOW).await }
        })
        .await?;
        let winner = new(only(&outcomes, |o| *o == CreateOutcome::Created)?);
        let exists = CreateOutcome::Exists(Box::new(winner.clone()));
        for outcome in outcomes {
            if outcome != CreateOutcome::Created {
                equal("outcome of the others", outcome, exists.clone())?;
            }
        }
        stored(&store, &winner, NOW).await?;
    }
    Ok(())
}

async fn independent(store: Store) -> Checked {
    let outcomes = at_once(MANY, |n| {
        let store = Arc::clone(&store);
        async move {
            store.confirmations.create(acquisition(n), NOW).await?;
            store
                .confirmations
                .verify(acquisition(n).id, &text(n.into()), NOW, RETENTION)
                .await?;
            store
                .deliveries
                .claim(acquisition(n).id.into(), 0, NOW)
                .await
        }
    })
    .await?;
    for (n, outcome) in (0_u8..).zip(outcomes) {
        let ClaimOutcome::Claimed(claimed) = outcome else {
            return Err(Failure::new(format_args!(
                "confirmation {n} was not claimed"
            )));
        };
        let item = verified(&acquisition(n), &text(n.into()), NOW);
        equal("webhook id", &claimed.webhook_id, &item.webhook_id())?;
        let item = with_delivery(&item, |delivery| *delivery = claimed.delivery);
        equal("attempts", super::steps::claims(&item), 1)?;
        stored(&store, &item, NOW).await?;
    }
    let due = all_due::deliveries(&*store.deliveries, NOW.plus(RETENTION)).await?;
    equal("due", due.len(), MANY.into())
}

async fn texts(store: Store) -> Checked {
    for round in 0..ROUNDS {
        let open = acquisition(round);
        create(&store, &open).await?;
        let sent = |n: u8| text_from(n.into(), &format!("+120255501{n:02}"));
        let outcomes = at_once(MANY, |n| {
            let (store, id) = (Arc::clone(&store), open.id);
            async move {
                store
                    .confirmations
                    .verify(id, &sent(n), NOW, RETENTION)
                    .await
            }
        })
        .await?;
        let winner = only(&outcomes, |o| matches!(o, VerifyOutcome::Verified { .. }))?;
        let used = VerifyOutcome::Refused(VerifyRefusal::AlreadyUsed);
        let refused = outcomes.iter().filter(|outcome| **outcome == used).count();
        equal("refused", refused, usize::from(MANY) - 1)?;
        stored(&store, &verified(&open, &sent(winner), NOW), NOW).await?;
    }
    Ok(())
}

async fn texts_of_both_channels(store: Store) -> Checked {
    for round in 0..ROUNDS {
        let open = on_whatsapp(acquisition(round));
        create(&store, &open).await?;
        // Each third text goes to a number that does not count.
        let sent = |n: u8| match n % 3 {
            0 => text(n.into()),
            1 => text_on_whatsapp(n.into(), PHONE, WHATSAPP),
            _ => text_on_whatsapp(n.into(), PHONE, "+12025550178"),
        };
        let outcomes = at_once(MANY, |n| {
            let (store, id) = (Arc::clone(&store), open.id);
            let text = sent(n);
            async move { store.confirmations.verify(id, &text, NOW, RETENTION).await }
        })
        .await?;
        let winner = only(&outcomes, |o| matches!(o, VerifyOutcome::Verified { .. }))?;
        holds("another number does not count", winner % 3 != 2)?;
        stored(&store, &verified(&open, &sent(winner), NOW), NOW).await?;
    }
    Ok(())
}

async fn same_text(store: Store) -> Checked {
    for round in 0..ROUNDS {
        let open = acquisition(round);
        create(&store, &open).await?;
        let outcomes = at_once(MANY, |_| {
            let (store, id) = (Arc::clone(&store), open.id);
            async move {
                store
                    .confirmations
                    .verify(id, &text(1), NOW, RETENTION)
                    .await
            }
        })
        .await?;
        only(&outcomes, |o| matches!(o, VerifyOutcome::Verified { .. }))?;
        let pointer = Some(pointer_to(&open, 0));
        let again = VerifyOutcome::Repeated { pointer };
        let repeated = outcomes.iter().filter(|outcome| **outcome == again).count();
        equal("repeated", repeated, usize::from(MANY) - 1)?;
        stored(&store, &verified(&open, &text(1), NOW), NOW).await?;
    }
    Ok(())
}

async fn text_or_cancel(store: Store) -> Checked {
    for round in 0..ROUNDS {
        let open = acquisition(round);
        create(&store, &open).await?;
        let outcomes = at_once(MANY, |n| {
            let (store, id) = (Arc::clone(&store), open.id);
            async move {
                if n % 2 == 0 {
                    let outcome = store
                        .confirmations
                        .verify(id, &text(n.into()), NOW, RETENTION)
                        .await?;
                    Ok((Some(outcome), None))
                } else {
                    let outcome = store.confirmations.cancel(id, &app_id("demo"), NOW).await?;
                    Ok((None, Some(outcome)))
                }
            }
        })
        .await?;
        let winner = only(&outcomes, |(verify, cancel)| {
            matches!(verify, Some(VerifyOutcome::Verified { .. }))
                || matches!(cancel, Some(CancelOutcome::Cancelled(_)))
        })?;
        let (item, refusal, status) = if winner % 2 == 0 {
            let item = verified(&open, &text(winner.into()), NOW);
            (item, VerifyRefusal::AlreadyUsed, Status::Verified)
        } else {
            let state = State::Cancelled { at: NOW };
            let item = Confirmation { state, ..open };
            (item, VerifyRefusal::Cancelled, Status::Cancelled)
        };
        for (n, (verify, cancel)) in (0_u8..).zip(outcomes).filter(|(n, _)| *n != winner) {
            if n % 2 == 0 {
                let refused = VerifyOutcome::Refused(refusal);
                equal("text", verify, Some(refused))?;
            } else {
                equal("cancel", cancel, Some(CancelOutcome::Ended(status)))?;
            }
        }
        stored(&store, &item, NOW).await?;
    }
    Ok(())
}

async fn claim_or_redeliver(store: Store) -> Checked {
    for round in 0..ROUNDS {
        let item = pending(&store, round).await?;
        let outcomes = at_once(MANY, |n| {
            let (store, id) = (Arc::clone(&store), item.id);
            async move {
                if n % 2 == 0 {
                    let claimed = store.deliveries.claim(id.into(), 0, NOW).await?;
                    Ok((claimed != ClaimOutcome::Stale, None))
                } else {
                    let demo = app_id("demo");
                    let outcome = store
                        .confirmations
                        .redeliver(id, &demo, NOW, RETENTION)
                        .await?;
                    Ok((false, Some(outcome)))
                }
            }
        })
        .await?;
        only(&outcomes, |(claimed, _)| *claimed)?;
        for (_, redelivered) in outcomes {
            let allowed = match &redelivered {
                None | Some(RedeliverOutcome::InFlight) => true,
                Some(RedeliverOutcome::Owed { pointer, .. }) => pointer.attempts_claimed == 0,
                Some(_) => false,
            };
            holds(
                "redelivery wins before the claim or finds it in flight",
                allowed,
            )?;
        }
        // No redelivery undid the claim.
        let item = found(&store, &item).await?;
        let progress = item.verified().map(|v| v.delivery.progress.clone());
        let under_way = matches!(
            progress,
            Some(Progress::Pending {
                claimed_at: Some(_),
                ..
            })
        );
        holds("the claim stands", under_way)?;
        equal("attempts", super::steps::claims(&item), 1)?;
    }
    Ok(())
}

async fn redactions(store: Store) -> Checked {
    for round in 0..ROUNDS {
        let item = ended(&store, round, Settlement::Delivered).await?;
        let outcomes = at_once(MANY, |n| {
            let (store, id) = (Arc::clone(&store), item.id);
            let at = NOW.plus(MILLI * u32::from(n));
            async move { store.confirmations.redact(id, &app_id("demo"), at).await }
        })
        .await?;
        let mut answers = BTreeMap::new();
        for outcome in outcomes {
            let RedactOutcome::Redacted(item) = outcome else {
                return Err(Failure::new(format_args!("redact answered {outcome:?}")));
            };
            *answers.entry(item.redacted_at).or_insert(0_usize) += 1;
        }
        let all = usize::from(MANY);
        equal(
            "answers by redaction time",
            answers.values().copied().collect(),
            vec![all],
        )?;
    }
    Ok(())
}
