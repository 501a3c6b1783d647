use countersign_domain::confirmation::transitions::CancelOutcome;
use countersign_domain::confirmation::{Confirmation, State, Status};
use countersign_domain::delivery::Settlement;

use super::Case;
use super::steps::{Store, create, ended, pending, stored};
use crate::check::{Checked, equal};
use crate::samples::{MILLI, NOW, acquisition, app_id, before, confirmation, id};
use crate::stores::Stores;

pub(super) const CASES: &[Case<Stores>] = &[
    Case {
        name: "cancel: open confirmation can be cancelled until expires_at, to the millisecond",
        run: |store| Box::pin(until_expiry(store)),
    },
    Case {
        name: "cancel: second cancellation is refused",
        run: |store| Box::pin(second_is_refused(store)),
    },
    Case {
        name: "cancel: verified confirmation stays verified",
        run: |store| Box::pin(verified_stays_verified(store)),
    },
    Case {
        name: "cancel: apps can cancel only their own confirmations",
        run: |store| Box::pin(own_only(store)),
    },
];

async fn until_expiry(store: Store) -> Checked {
    let demo = app_id("demo");
    for open in [acquisition(1), confirmation(2)] {
        create(&store, &open).await?;
        let last = before(open.expires_at, MILLI);
        let item = Confirmation {
            state: State::Cancelled { at: last },
            ..open
        };
        let outcome = store.confirmations.cancel(item.id, &demo, last).await?;
        let answered = CancelOutcome::Cancelled(Box::new(item.clone()));
        equal("cancel", outcome, answered)?;
        stored(&store, &item, last).await?;
    }
    let open = acquisition(3);
    create(&store, &open).await?;
    let outcome = store
        .confirmations
        .cancel(open.id, &demo, open.expires_at)
        .await?;
    equal("cancel", outcome, CancelOutcome::Ended(Status::Expired))?;
    stored(&store, &open, open.expires_at).await
}

async fn second_is_refused(store: Store) -> Checked {
    let open = acquisition(1);
    create(&store, &open).await?;
    let demo = app_id("demo");
    store.confirmations.cancel(open.id, &demo, NOW).await?;
    let item = Confirmation {
        state: State::Cancelled { at: NOW },
        ..open
    };
    for at in [NOW.plus(MILLI), item.expires_at] {
        let outcome = store.confirmations.cancel(item.id, &demo, at).await?;
        equal("cancel", outcome, CancelOutcome::Ended(Status::Cancelled))?;
        stored(&store, &item, at).await?;
    }
    Ok(())
}

async fn verified_stays_verified(store: Store) -> Checked {
    let owed = pending(&store, 1).await?;
    let delivered = ended(&store, 2, Settlement::Delivered).await?;
    for item in [owed, delivered] {
        for at in [NOW, item.expires_at] {
            let outcome = store
                .confirmations
                .cancel(item.id, &app_id("demo"), at)
                .await?;
            equal("cancel", outcome, CancelOutcome::Ended(Status::Verified))?;
            stored(&store, &item, at).await?;
        }
    }
    Ok(())
}

async fn own_only(store: Store) -> Checked {
    let open = acquisition(1);
    create(&store, &open).await?;
    for (id, app) in [(open.id, "other"), (id(2), "demo")] {
        let outcome = store.confirmations.cancel(id, &app_id(app), NOW).await?;
        equal("cancel", outcome, CancelOutcome::Unknown)?;
    }
    stored(&store, &open, NOW).await
}
