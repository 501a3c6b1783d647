use std::time::Duration;

use countersign_domain::confirmation::transitions::RedeliverOutcome;
use countersign_domain::confirmation::{Confirmation, Status};
use countersign_domain::delivery::store::Due;
use countersign_domain::delivery::transitions::Owes as _;
use countersign_domain::delivery::{
    CLAIM_LEASE, HORIZON, Progress, SettleOutcome, SettledAttempt, Settlement,
};
use countersign_domain::primitives::time::Timestamp;

use super::Case;
use super::steps::{
    Got, Store, claim, claims, create, due, ended, pending, pointer_to, settle, settle_as, stored,
};
use crate::check::{Checked, Failure, equal};
use crate::samples::{
    MILLI, NOW, RETENTION, acquisition, app_id, attempt, before, id, signature, with_delivery,
};
use crate::stores::Stores;

pub(super) const CASES: &[Case<Stores>] = &[
    Case {
        name: "redeliver: ended delivery starts a new round at once",
        run: |store| Box::pin(new_round(store)),
    },
    Case {
        name: "redeliver: pending delivery restarts at once",
        run: |store| Box::pin(pending_restarts(store)),
    },
    Case {
        name: "redeliver: refused while an attempt is under way, to the millisecond",
        run: |store| Box::pin(in_flight(store)),
    },
    Case {
        name: "redeliver: refused unless the confirmation is verified",
        run: |store| Box::pin(not_verified(store)),
    },
    Case {
        name: "redeliver: delivery is due again",
        run: |store| Box::pin(due_again(store)),
    },
    Case {
        name: "redeliver: signature is kept",
        run: |store| Box::pin(signature_kept(store)),
    },
    Case {
        name: "redeliver: apps can redeliver only their own webhooks",
        run: |store| Box::pin(own_only(store)),
    },
];

/// Redelivers a webhook, checks the stored item, and returns it.
async fn redeliver(store: &Store, item: &Confirmation, at: Timestamp) -> Got {
    let made = claims(item);
    let mut expected = with_delivery(item, |delivery| {
        delivery.round_began_at = made;
        delivery.progress = Progress::Pending {
            next_attempt_at: at,
            due_at: at.plus(Duration::from_mins(1)),
            claimed_at: None,
        };
    });
    expected.purge_at = item.purge_at.max(at.plus(HORIZON).plus(RETENTION));
    let demo = app_id("demo");
    let outcome = store
        .confirmations
        .redeliver(item.id, &demo, at, RETENTION)
        .await?;
    let answered = RedeliverOutcome::Owed {
        confirmation: Box::new(expected.clone()),
        pointer: pointer_to(item, made),
    };
    equal("redeliver", outcome, answered)?;
    stored(store, &expected, at).await?;
    Ok(expected)
}

async fn new_round(store: Store) -> Checked {
    for (n, settlement) in [(1, Settlement::Delivered), (2, Settlement::Failed)] {
        let item = ended(&store, n, settlement).await?;
        let at = NOW.plus(Duration::from_hours(50));
        let item = redeliver(&store, &item, at).await?;
        let item = claim(&store, &item, at).await?;
        let item = settle(&store, &item, 200, Settlement::Delivered, at).await?;
        stored(&store, &item, at).await?;
        equal("attempts", claims(&item), 2)?;
    }
    Ok(())
}

async fn pending_restarts(store: Store) -> Checked {
    let item = pending(&store, 1).await?;
    let item = claim(&store, &item, NOW).await?;
    let (at, due_at) = (
        NOW.plus(Duration::from_hours(1)),
        NOW.plus(Duration::from_hours(2)),
    );
    let item = settle(&store, &item, 500, Settlement::Retry { at, due_at }, NOW).await?;
    let item = redeliver(&store, &item, NOW.plus(MILLI)).await?;
    redeliver(&store, &item, NOW.plus(2 * MILLI)).await?;
    Ok(())
}

async fn in_flight(store: Store) -> Checked {
    let item = claim(&store, &pending(&store, 1).await?, NOW).await?;
    let over = NOW.plus(CLAIM_LEASE);
    for early in [NOW, before(over, MILLI)] {
        let demo = app_id("demo");
        let outcome = store
            .confirmations
            .redeliver(item.id, &demo, early, RETENTION)
            .await?;
        equal("redeliver", outcome, RedeliverOutcome::InFlight)?;
        stored(&store, &item, early).await?;
    }
    redeliver(&store, &item, over).await?;
    Ok(())
}

async fn not_verified(store: Store) -> Checked {
    let (open, cancelled) = (acquisition(1), acquisition(2));
    create(&store, &open).await?;
    create(&store, &cancelled).await?;
    let demo = app_id("demo");
    store.confirmations.cancel(cancelled.id, &demo, NOW).await?;
    for (id, at, status) in [
        (open.id, before(open.expires_at, MILLI), Status::Open),
        (open.id, open.expires_at, Status::Expired),
        (cancelled.id, NOW, Status::Cancelled),
    ] {
        let outcome = store
            .confirmations
            .redeliver(id, &demo, at, RETENTION)
            .await?;
        equal("redeliver", outcome, RedeliverOutcome::NotVerified(status))?;
    }
    stored(&store, &open, NOW).await
}

async fn due_again(store: Store) -> Checked {
    let item = ended(&store, 1, Settlement::Delivered).await?;
    due(&store, NOW.plus(Duration::from_mins(1)), &[]).await?;
    let at = NOW.plus(Duration::from_secs(7));
    redeliver(&store, &item, at).await?;
    let due_at = at.plus(Duration::from_mins(1));
    let entry = Due {
        due_at,
        subject: item.id.into(),
        lane: item.lane(),
    };
    due(&store, before(due_at, MILLI), &[]).await?;
    due(&store, due_at, &[entry]).await
}

/// Settles two attempts, the first with a signature, the second and successful one without.
async fn signature_kept(store: Store) -> Checked {
    let item = claim(&store, &pending(&store, 1).await?, NOW).await?;
    let again = Settlement::Retry {
        at: NOW,
        due_at: NOW,
    };
    let pointer = Some(pointer_to(&item, 1));
    for (number, sent, settlement, pointer) in [
        (1, Some(signature(2)), again, pointer),
        (2, None, Settlement::Delivered, None),
    ] {
        let settled = SettledAttempt {
            attempt: attempt(number, 200),
            signature: sent,
            settlement,
        };
        settle_as(
            &store,
            item.id,
            settled,
            NOW,
            SettleOutcome::Settled { pointer },
        )
        .await?;
        let outcome = store.deliveries.claim(item.id.into(), number, NOW).await?;
        let follows = matches!(
            outcome,
            countersign_domain::delivery::ClaimOutcome::Claimed(_)
        );
        equal("another attempt follows", follows, number == 1)?;
    }
    let demo = app_id("demo");
    let outcome = store
        .confirmations
        .redeliver(item.id, &demo, NOW, RETENTION);
    match outcome.await? {
        RedeliverOutcome::Owed { confirmation, .. } => {
            let verified = confirmation.verified();
            let found = verified.map(|verified| verified.delivery.signature.clone());
            equal("signature", found, Some(Some(signature(2))))
        }
        other => Err(Failure::new(format_args!("redeliver answered {other:?}"))),
    }
}

async fn own_only(store: Store) -> Checked {
    let item = ended(&store, 1, Settlement::Delivered).await?;
    for (id, app) in [(item.id, "other"), (id(2), "demo")] {
        let outcome = store
            .confirmations
            .redeliver(id, &app_id(app), NOW, RETENTION)
            .await?;
        equal("redeliver", outcome, RedeliverOutcome::Unknown)?;
    }
    stored(&store, &item, NOW).await
}
