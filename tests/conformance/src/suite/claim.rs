use countersign_domain::confirmation::store::ConfirmationStore;
use countersign_domain::confirmation::transitions::ClaimOutcome;
use countersign_domain::delivery::{CLAIM_LEASE, CLAIM_TOLERANCE, SettleOutcome, Settlement};

use super::Case;
use super::steps::{Store, claim, create, due, ended, pending, settle, settle_as, stored};
use crate::check::{Checked, equal};
use crate::samples::{MILLI, NOW, acquisition, app_id, before, id, settled};
use countersign_domain::confirmation::store::Due;
use std::time::Duration;

pub(super) const CASES: &[Case<dyn ConfirmationStore>] = &[
    Case {
        name: "claim: the attempt that the pointer names",
        run: |store| Box::pin(next(store)),
    },
    Case {
        name: "claim: no other number",
        run: |store| Box::pin(stale(store)),
    },
    Case {
        name: "claim: only what is owed",
        run: |store| Box::pin(owed_only(store)),
    },
    Case {
        name: "claim: another may take over when the lease is over, to the millisecond",
        run: |store| Box::pin(lease(store)),
    },
    Case {
        name: "claim: not before its time, but for what clocks may differ, to the millisecond",
        run: |store| Box::pin(in_time(store)),
    },
    Case {
        name: "claim: the due index stays as it is",
        run: |store| Box::pin(index_untouched(store)),
    },
];

async fn next(store: Store) -> Checked {
    let item = pending(&store, 1).await?;
    let first = claim(&store, &item, NOW).await?;
    stored(&store, &first, NOW).await?;
    let retry = Settlement::Retry {
        at: NOW,
        due_at: NOW,
    };
    let item = settle(&store, &first, 500, retry, NOW).await?;
    let second = claim(&store, &item, NOW.plus(MILLI)).await?;
    stored(&store, &second, NOW.plus(MILLI)).await
}

async fn stale(store: Store) -> Checked {
    let item = pending(&store, 1).await?;
    for wrong in [1, 2, u32::MAX] {
        let outcome = store.claim(item.id, wrong, NOW).await?;
        equal("claim", outcome, ClaimOutcome::Stale)?;
    }
    let item = claim(&store, &item, NOW).await?;
    // Neither the one that was made nor, while it is under way, the next.
    for wrong in [0, 1, 2] {
        let outcome = store.claim(item.id, wrong, NOW).await?;
        equal("claim", outcome, ClaimOutcome::Stale)?;
    }
    stored(&store, &item, NOW).await
}

async fn owed_only(store: Store) -> Checked {
    let (open, cancelled) = (acquisition(1), acquisition(2));
    create(&store, &open).await?;
    create(&store, &cancelled).await?;
    store.cancel(cancelled.id, &app_id("demo"), NOW).await?;
    let delivered = ended(&store, 3, Settlement::Delivered).await?;
    let failed = ended(&store, 4, Settlement::Failed).await?;
    for id in [open.id, cancelled.id, delivered.id, failed.id, id(9)] {
        for attempts in 0..3 {
            let outcome = store.claim(id, attempts, NOW.plus(CLAIM_LEASE)).await?;
            equal("claim", outcome, ClaimOutcome::Stale)?;
        }
    }
    stored(&store, &delivered, NOW).await?;
    stored(&store, &open, NOW).await
}

async fn lease(store: Store) -> Checked {
    let item = pending(&store, 1).await?;
    let first = claim(&store, &item, NOW).await?;
    let over = NOW.plus(CLAIM_LEASE);
    let outcome = store.claim(item.id, 1, before(over, MILLI)).await?;
    equal("claim", outcome, ClaimOutcome::Stale)?;
    stored(&store, &first, over).await?;
    let second = claim(&store, &first, over).await?;
    stored(&store, &second, over).await?;
    // The first comes back too late; the second is not disturbed.
    let late = settled(1, 200, Settlement::Delivered);
    settle_as(&store, item.id, late, over, SettleOutcome::Superseded).await?;
    stored(&store, &second, over).await?;
    let item = settle(&store, &second, 200, Settlement::Delivered, over).await?;
    stored(&store, &item, over).await
}

async fn in_time(store: Store) -> Checked {
    let item = pending(&store, 1).await?;
    let first = claim(&store, &item, NOW).await?;
    let at = NOW.plus(Duration::from_hours(3));
    let retry = Settlement::Retry { at, due_at: at };
    let item = settle(&store, &first, 500, retry, NOW).await?;
    let earliest = before(at, CLAIM_TOLERANCE);
    let outcome = store.claim(item.id, 1, before(earliest, MILLI)).await?;
    equal("claim", outcome, ClaimOutcome::Stale)?;
    stored(&store, &item, NOW).await?;
    let second = claim(&store, &item, earliest).await?;
    stored(&store, &second, earliest).await
}

async fn index_untouched(store: Store) -> Checked {
    let item = pending(&store, 1).await?;
    let due_at = NOW.plus(Duration::from_mins(1));
    let entry = Due {
        due_at,
        confirmation: item.id,
        lane: item.lane(),
    };
    due(&store, due_at, &[entry]).await?;
    claim(&store, &item, NOW.plus(MILLI)).await?;
    due(&store, before(due_at, MILLI), &[]).await?;
    due(&store, due_at, &[entry]).await
}
