use std::time::Duration;

use countersign_domain::confirmation::Status;
use countersign_domain::confirmation::transitions::{
    CancelOutcome, CreateOutcome, RedactOutcome, RedeliverOutcome, VerifyOutcome, VerifyRefusal,
};
use countersign_domain::delivery::Settlement;

use super::Case;
use super::steps::{Store, claim, create, due, ended, pending, stored, verify};
use crate::check::{Checked, equal};
use crate::samples::{
    MILLI, NOW, RETENTION, acquisition, app_id, before, confirmation, id, metadata, text,
};
use crate::stores::Stores;
use countersign_domain::confirmation::Redactable;

pub(super) const CASES: &[Case<Stores>] = &[
    Case {
        name: "create: new confirmation can be read back",
        run: |store| Box::pin(found_after_create(store)),
    },
    Case {
        name: "create: second confirmation with the same id is refused",
        run: |store| Box::pin(second_is_refused(store)),
    },
    Case {
        name: "create: id stays taken after the confirmation has ended",
        run: |store| Box::pin(ended_keeps_its_id(store)),
    },
    Case {
        name: "create: id is free again from purge_at on, to the millisecond",
        run: |store| Box::pin(id_is_free_after_purge(store)),
    },
    Case {
        name: "find: confirmation is found until purge_at, to the millisecond",
        run: |store| Box::pin(found_until_purge(store)),
    },
    Case {
        name: "purge: every method sees the item until purge_at",
        run: |store| Box::pin(seen_until_purge(store)),
    },
    Case {
        name: "purge: no method sees the item from purge_at on",
        run: |store| Box::pin(gone_from_purge(store)),
    },
];

async fn found_after_create(store: Store) -> Checked {
    let (one, other) = (acquisition(1), confirmation(2));
    equal("find", store.confirmations.find(one.id, NOW).await?, None)?;
    create(&store, &one).await?;
    stored(&store, &one, NOW).await?;
    equal("find", store.confirmations.find(other.id, NOW).await?, None)?;
    create(&store, &other).await?;
    stored(&store, &other, NOW).await?;
    stored(&store, &one, NOW).await
}

async fn second_is_refused(store: Store) -> Checked {
    let first = acquisition(1);
    create(&store, &first).await?;
    let mut second = confirmation(1);
    second.app = app_id("other");
    second.metadata = Redactable::Present(metadata("{}"));
    let outcome = store.confirmations.create(second, NOW.plus(MILLI)).await?;
    let answered = CreateOutcome::Exists(Box::new(first.clone()));
    equal("create", outcome, answered)?;
    stored(&store, &first, NOW).await
}

async fn ended_keeps_its_id(store: Store) -> Checked {
    let expired = acquisition(1);
    create(&store, &expired).await?;
    let verified = ended(&store, 2, Settlement::Delivered).await?;
    for item in [expired, verified] {
        let late = before(item.purge_at, MILLI);
        let mut again = acquisition(item.id.as_bytes()[0]);
        again.created_at = late;
        let outcome = store.confirmations.create(again, late).await?;
        let answered = CreateOutcome::Exists(Box::new(item.clone()));
        equal("create", outcome, answered)?;
        stored(&store, &item, late).await?;
    }
    Ok(())
}

async fn id_is_free_after_purge(store: Store) -> Checked {
    let old = pending(&store, 1).await?;
    let _claimed = claim(&store, &old, NOW).await?;
    let mut new = confirmation(1);
    new.created_at = old.purge_at;
    new.expires_at = old.purge_at.plus(Duration::from_mins(5));
    new.purge_at = old.purge_at.plus(Duration::from_hours(24));
    create(&store, &new).await?;
    stored(&store, &new, old.purge_at).await?;
    due(&store, new.purge_at, &[]).await?;
    // Nothing is left of the delivery that the old item owed.
    let item = verify(&store, &new, &text(7), old.purge_at).await?;
    stored(&store, &item, old.purge_at).await?;
    claim(&store, &item, old.purge_at).await?;
    Ok(())
}

async fn found_until_purge(store: Store) -> Checked {
    let item = acquisition(1);
    create(&store, &item).await?;
    stored(&store, &item, NOW).await?;
    stored(&store, &item, item.expires_at).await?;
    stored(&store, &item, before(item.purge_at, MILLI)).await?;
    equal(
        "at purge_at",
        store.confirmations.find(item.id, item.purge_at).await?,
        None,
    )?;
    let later = item.purge_at.plus(Duration::from_hours(1));
    equal(
        "after purge_at",
        store.confirmations.find(item.id, later).await?,
        None,
    )
}

async fn seen_until_purge(store: Store) -> Checked {
    let open = acquisition(1);
    create(&store, &open).await?;
    let demo = app_id("demo");
    let late = before(open.purge_at, MILLI);
    let outcome = store.confirmations.cancel(open.id, &demo, late).await?;
    equal("cancel", outcome, CancelOutcome::Ended(Status::Expired))?;
    let outcome = store
        .confirmations
        .verify(open.id, &text(1), late, RETENTION)
        .await?;
    let refused = VerifyOutcome::Refused(VerifyRefusal::Expired);
    equal("verify", outcome, refused)?;

    let item = pending(&store, 2).await?;
    let late = before(item.purge_at, MILLI);
    let outcome = store.confirmations.redact(item.id, &demo, late).await?;
    equal("redact", outcome, RedactOutcome::WebhookOwed)?;
    let item = claim(&store, &item, late).await?;
    let outcome = store
        .confirmations
        .redeliver(item.id, &demo, late, RETENTION)
        .await?;
    equal("redeliver", outcome, RedeliverOutcome::InFlight)?;
    let outcome = store
        .confirmations
        .verify(item.id, &text(9), late, RETENTION)
        .await?;
    let refused = VerifyOutcome::Refused(VerifyRefusal::AlreadyUsed);
    equal("verify", outcome, refused)
}

async fn gone_from_purge(store: Store) -> Checked {
    let open = acquisition(1);
    create(&store, &open).await?;
    let owed = pending(&store, 2).await?;
    let claimed = claim(&store, &pending(&store, 3).await?, NOW).await?;
    let delivered = ended(&store, 4, Settlement::Delivered).await?;
    let demo = app_id("demo");
    for item in [open, owed, claimed, delivered] {
        let (id, end) = (item.id, item.purge_at);
        equal("find", store.confirmations.find(id, end).await?, None)?;
        let outcome = store
            .confirmations
            .verify(id, &text(2), end, RETENTION)
            .await?;
        let refused = VerifyOutcome::Refused(VerifyRefusal::Unknown);
        equal("verify", outcome, refused)?;
        let outcome = store.confirmations.cancel(id, &demo, end).await?;
        equal("cancel", outcome, CancelOutcome::Unknown)?;
        let outcome = store.confirmations.redact(id, &demo, end).await?;
        equal("redact", outcome, RedactOutcome::Unknown)?;
        let outcome = store
            .confirmations
            .redeliver(id, &demo, end, RETENTION)
            .await?;
        equal("redeliver", outcome, RedeliverOutcome::Unknown)?;
    }
    equal(
        "unknown id",
        store.confirmations.find(id(9), NOW).await?,
        None,
    )
}
