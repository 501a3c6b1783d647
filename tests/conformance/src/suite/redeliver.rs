use std::time::Duration;

use countersign_domain::confirmation::store::ConfirmationStore;
use countersign_domain::confirmation::transitions::RedeliverOutcome;
use countersign_domain::confirmation::{Confirmation, Status};
use countersign_domain::delivery::{CLAIM_LEASE, HORIZON, Progress, Settlement};
use countersign_domain::primitives::time::Timestamp;

use super::Case;
use super::steps::{Got, Store, claim, claims, create, ended, pending, pointer_to, settle, stored};
use crate::check::{Checked, equal};
use crate::samples::{MILLI, NOW, RETENTION, acquisition, app_id, before, id, with_delivery};

pub(super) const CASES: &[Case<dyn ConfirmationStore>] = &[
    Case {
        name: "redeliver: a whole new round, at once",
        run: |store| Box::pin(new_round(store)),
    },
    Case {
        name: "redeliver: what is owed already begins anew",
        run: |store| Box::pin(owed_already(store)),
    },
    Case {
        name: "redeliver: not while an attempt is under way, to the millisecond",
        run: |store| Box::pin(in_flight(store)),
    },
    Case {
        name: "redeliver: only what was verified",
        run: |store| Box::pin(not_verified(store)),
    },
    Case {
        name: "redeliver: an app's own sessions alone",
        run: |store| Box::pin(own(store)),
    },
];

/// Makes the webhook owed again; the item as it must be then.
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
    let outcome = store.redeliver(item.id, &demo, at, RETENTION).await?;
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

async fn owed_already(store: Store) -> Checked {
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
        let outcome = store.redeliver(item.id, &demo, early, RETENTION).await?;
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
    store.cancel(cancelled.id, &demo, NOW).await?;
    for (id, at, status) in [
        (open.id, before(open.expires_at, MILLI), Status::Open),
        (open.id, open.expires_at, Status::Expired),
        (cancelled.id, NOW, Status::Cancelled),
    ] {
        let outcome = store.redeliver(id, &demo, at, RETENTION).await?;
        equal("redeliver", outcome, RedeliverOutcome::NotVerified(status))?;
    }
    stored(&store, &open, NOW).await
}

async fn own(store: Store) -> Checked {
    let item = ended(&store, 1, Settlement::Delivered).await?;
    for (id, app) in [(item.id, "other"), (id(2), "demo")] {
        let outcome = store.redeliver(id, &app_id(app), NOW, RETENTION).await?;
        equal("redeliver", outcome, RedeliverOutcome::Unknown)?;
    }
    stored(&store, &item, NOW).await
}
