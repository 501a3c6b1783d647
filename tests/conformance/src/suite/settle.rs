use std::time::Duration;

use countersign_domain::confirmation::store::ConfirmationStore;
use countersign_domain::confirmation::transitions::RedeliverOutcome;
use countersign_domain::delivery::{
    KEPT_ATTEMPTS, LATENESS, SettleOutcome, SettledAttempt, Settlement,
};

use super::Case;
use super::steps::{Store, claim, create, ended, pending, pointer_to, settle, settle_as, stored};
use crate::check::{Checked, Failure, equal};
use crate::samples::{
    MILLI, NOW, RETENTION, acquisition, app_id, attempt, id, settled, signature, with_delivery,
};

pub(super) const CASES: &[Case<dyn ConfirmationStore>] = &[
    Case {
        name: "settle: delivered",
        run: |store| Box::pin(ends(store, Settlement::Delivered)),
    },
    Case {
        name: "settle: failed",
        run: |store| Box::pin(ends(store, Settlement::Failed)),
    },
    Case {
        name: "settle: another attempt follows",
        run: |store| Box::pin(retry(store)),
    },
    Case {
        name: "settle: the attempt that was claimed and no other",
        run: |store| Box::pin(superseded(store)),
    },
    Case {
        name: "settle: once",
        run: |store| Box::pin(once(store)),
    },
    Case {
        name: "settle: the latest attempts are kept, and no more than their number",
        run: |store| Box::pin(bounded(store)),
    },
    Case {
        name: "settle: the signature is kept until there is another",
        run: |store| Box::pin(signature_kept(store)),
    },
    Case {
        name: "settle: a retry that is far off keeps the item for longer",
        run: |store| Box::pin(kept_for_retry(store)),
    },
];

async fn ends(store: Store, settlement: Settlement) -> Checked {
    let item = claim(&store, &pending(&store, 1).await?, NOW).await?;
    let at = NOW.plus(MILLI);
    let item = settle(&store, &item, 200, settlement, at).await?;
    stored(&store, &item, at).await
}

async fn retry(store: Store) -> Checked {
    let mut item = pending(&store, 1).await?;
    for (status, wait) in [(500, 2), (429, 5), (302, 15)] {
        item = claim(&store, &item, NOW).await?;
        let at = NOW.plus(Duration::from_secs(wait));
        let due_at = at.plus(Duration::from_mins(1));
        let settlement = Settlement::Retry { at, due_at };
        item = settle(&store, &item, status, settlement, NOW).await?;
        stored(&store, &item, NOW).await?;
    }
    Ok(())
}

async fn superseded(store: Store) -> Checked {
    let open = acquisition(1);
    create(&store, &open).await?;
    let unclaimed = pending(&store, 2).await?;
    let claimed = claim(&store, &pending(&store, 3).await?, NOW).await?;
    for (id, number) in [
        (open.id, 0),
        (open.id, 1),
        (unclaimed.id, 0),
        (unclaimed.id, 1),
        (claimed.id, 0),
        (claimed.id, 2),
        (id(9), 1),
    ] {
        let attempt = settled(number, 200, Settlement::Delivered);
        settle_as(&store, id, attempt, NOW, SettleOutcome::Superseded).await?;
    }
    for item in [open, unclaimed, claimed] {
        stored(&store, &item, NOW).await?;
    }
    Ok(())
}

async fn once(store: Store) -> Checked {
    let delivered = ended(&store, 1, Settlement::Delivered).await?;
    let failed = ended(&store, 2, Settlement::Failed).await?;
    let item = claim(&store, &pending(&store, 3).await?, NOW).await?;
    let later = Settlement::Retry {
        at: NOW.plus(Duration::from_secs(2)),
        due_at: NOW.plus(Duration::from_secs(62)),
    };
    let waiting = settle(&store, &item, 500, later, NOW).await?;
    for item in [delivered, failed, waiting] {
        let attempt = settled(1, 200, Settlement::Delivered);
        settle_as(&store, item.id, attempt, NOW, SettleOutcome::Superseded).await?;
        stored(&store, &item, NOW).await?;
    }
    Ok(())
}

async fn bounded(store: Store) -> Checked {
    let mut item = pending(&store, 1).await?;
    let (kept, surplus) = (u32::try_from(KEPT_ATTEMPTS).unwrap_or(u32::MAX), 3);
    for number in 1..=kept + surplus {
        item = claim(&store, &item, NOW).await?;
        let again = Settlement::Retry {
            at: NOW,
            due_at: NOW,
        };
        item = settle(&store, &item, 500, again, NOW).await?;
        item = with_delivery(&item, |delivery| {
            if number > kept {
                delivery.attempts.remove(0);
            }
        });
        if number >= kept {
            stored(&store, &item, NOW).await?;
        }
    }
    let item = claim(&store, &item, NOW).await?;
    let last = settled(kept + surplus + 1, 410, Settlement::Failed);
    let done = SettleOutcome::Settled { pointer: None };
    settle_as(&store, item.id, last, NOW, done).await?;
    let found = store.find(item.id, NOW).await?;
    let found = found
        .as_ref()
        .and_then(|item| item.verified())
        .ok_or_else(|| Failure::new("it is gone"))?;
    let numbers: Vec<u32> = found.delivery.attempts.iter().map(|a| a.number).collect();
    let expected: Vec<u32> = (surplus + 2..=kept + surplus + 1).collect();
    equal("attempts", numbers, expected)?;
    equal(
        "the last",
        found.delivery.attempts.last(),
        Some(&attempt(kept + surplus + 1, 410)),
    )
}

async fn signature_kept(store: Store) -> Checked {
    let mut item = pending(&store, 1).await?;
    for (sent, kept) in [
        (None, None),
        (Some(signature(1)), Some(signature(1))),
        (None, Some(signature(1))),
        (Some(signature(2)), Some(signature(2))),
    ] {
        item = claim(&store, &item, NOW).await?;
        let number = super::steps::claims(&item);
        let again = Settlement::Retry {
            at: NOW,
            due_at: NOW,
        };
        let settled = SettledAttempt {
            attempt: attempt(number, 500),
            signature: sent,
            settlement: again,
        };
        let outcome = SettleOutcome::Settled {
            pointer: Some(pointer_to(&item, number)),
        };
        settle_as(&store, item.id, settled, NOW, outcome).await?;
        item = store
            .find(item.id, NOW)
            .await?
            .ok_or_else(|| Failure::new("it is gone"))?;
        let found = item.verified().and_then(|v| v.delivery.signature.clone());
        equal("signature", found, kept)?;
    }
    // It outlives the round, for redeliveries.
    let item = claim(&store, &item, NOW).await?;
    let attempt = SettledAttempt {
        attempt: attempt(5, 200),
        signature: None,
        settlement: Settlement::Delivered,
    };
    let done = SettleOutcome::Settled { pointer: None };
    settle_as(&store, item.id, attempt, NOW, done).await?;
    let demo = app_id("demo");
    match store.redeliver(item.id, &demo, NOW, RETENTION).await? {
        RedeliverOutcome::Owed { confirmation, .. } => {
            let found = confirmation
                .verified()
                .map(|v| v.delivery.signature.clone());
            equal("signature", found, Some(Some(signature(2))))
        }
        other => Err(Failure::new(format_args!("redeliver answered {other:?}"))),
    }
}

async fn kept_for_retry(store: Store) -> Checked {
    let item = claim(&store, &pending(&store, 1).await?, NOW).await?;
    let late = item.purge_at;
    let retry = Settlement::Retry {
        at: late,
        due_at: late,
    };
    let mut item = settle(&store, &item, 503, retry, NOW).await?;
    item.purge_at = late.plus(LATENESS).plus(RETENTION);
    stored(&store, &item, NOW).await?;
    stored(&store, &item, late).await?;
    // One that is near does not shorten its time.
    let kept_until = item.purge_at;
    let item = claim(&store, &item, late).await?;
    let near = Settlement::Retry {
        at: NOW,
        due_at: NOW,
    };
    let item = settle(&store, &item, 503, near, late).await?;
    equal("purge_at", item.purge_at, kept_until)?;
    stored(&store, &item, late).await
}
