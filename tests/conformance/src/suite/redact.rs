use countersign_domain::confirmation::carrier::Carrier;
use countersign_domain::confirmation::transitions::{RedactOutcome, RedeliverOutcome};
use countersign_domain::confirmation::{Confirmation, Flow, Redactable, State};
use countersign_domain::delivery::Settlement;
use countersign_domain::primitives::time::Timestamp;

use super::Case;
use super::steps::{Store, claim, create, ended, pending, settle, stored, verify};
use crate::check::{Checked, equal};
use crate::samples::{MILLI, NOW, RETENTION, acquisition, app_id, before, confirmation, id, text};
use crate::stores::Stores;

pub(super) const CASES: &[Case<Stores>] = &[
    Case {
        name: "redact: unused confirmation can be redacted from expires_at on, to the millisecond",
        run: |store| Box::pin(from_expiry(store)),
    },
    Case {
        name: "redact: cancelled confirmation can be redacted",
        run: |store| Box::pin(cancelled_can_be_redacted(store)),
    },
    Case {
        name: "redact: refused while the webhook is owed",
        run: |store| Box::pin(refused_while_owed(store)),
    },
    Case {
        name: "redact: number, carrier, metadata and signature are removed, the rest stays",
        run: |store| Box::pin(personal_data_is_removed(store)),
    },
    Case {
        name: "redact: second redaction changes nothing",
        run: |store| Box::pin(second_changes_nothing(store)),
    },
    Case {
        name: "redact: apps can redact only their own confirmations",
        run: |store| Box::pin(own_only(store)),
    },
];

/// Returns the item as a redaction must leave it.
fn redacted(item: &Confirmation, at: Timestamp) -> Confirmation {
    let mut item = item.clone();
    item.metadata = Redactable::Redacted;
    item.redacted_at = Some(at);
    if let Flow::Confirmation { expected } = &mut item.flow {
        *expected = Redactable::Redacted;
    }
    if let State::Verified(verified) = &mut item.state {
        verified.phone_number = Redactable::Redacted;
        verified.carrier = Carrier::Undecided;
        verified.delivery.signature = None;
    }
    item
}

async fn redact(store: &Store, item: &Confirmation, at: Timestamp) -> Checked {
    let expected = redacted(item, at);
    let outcome = store
        .confirmations
        .redact(item.id, &app_id("demo"), at)
        .await?;
    let answered = RedactOutcome::Redacted(Box::new(expected.clone()));
    equal("redact", outcome, answered)?;
    stored(store, &expected, at).await
}

async fn from_expiry(store: Store) -> Checked {
    for open in [acquisition(1), confirmation(2)] {
        create(&store, &open).await?;
        for early in [NOW, before(open.expires_at, MILLI)] {
            let outcome = store
                .confirmations
                .redact(open.id, &app_id("demo"), early)
                .await?;
            equal("redact", outcome, RedactOutcome::Open)?;
            stored(&store, &open, early).await?;
        }
        redact(&store, &open, open.expires_at).await?;
    }
    Ok(())
}

async fn cancelled_can_be_redacted(store: Store) -> Checked {
    let open = confirmation(1);
    create(&store, &open).await?;
    store
        .confirmations
        .cancel(open.id, &app_id("demo"), NOW)
        .await?;
    let item = Confirmation {
        state: State::Cancelled { at: NOW },
        ..open
    };
    redact(&store, &item, NOW).await
}

async fn refused_while_owed(store: Store) -> Checked {
    let waiting = pending(&store, 1).await?;
    let under_way = claim(&store, &pending(&store, 2).await?, NOW).await?;
    for item in [waiting, under_way] {
        for at in [NOW, item.expires_at, before(item.purge_at, MILLI)] {
            let outcome = store
                .confirmations
                .redact(item.id, &app_id("demo"), at)
                .await?;
            equal("redact", outcome, RedactOutcome::WebhookOwed)?;
            stored(&store, &item, at).await?;
        }
    }
    Ok(())
}

async fn personal_data_is_removed(store: Store) -> Checked {
    let open = confirmation(1);
    create(&store, &open).await?;
    let item = verify(&store, &open, &text(1), NOW).await?;
    let item = claim(&store, &item, NOW).await?;
    let delivered = settle(&store, &item, 200, Settlement::Delivered, NOW).await?;
    let failed = ended(&store, 2, Settlement::Failed).await?;
    for item in [delivered, failed] {
        redact(&store, &item, NOW.plus(MILLI)).await?;
        let demo = app_id("demo");
        let outcome = store
            .confirmations
            .redeliver(item.id, &demo, NOW, RETENTION)
            .await?;
        equal("redeliver", outcome, RedeliverOutcome::Redacted)?;
        let text = text(item.id.as_bytes()[0].into());
        store
            .confirmations
            .verify(item.id, &text, NOW, RETENTION)
            .await?;
        stored(&store, &redacted(&item, NOW.plus(MILLI)), NOW).await?;
    }
    Ok(())
}

async fn second_changes_nothing(store: Store) -> Checked {
    let item = ended(&store, 1, Settlement::Delivered).await?;
    redact(&store, &item, NOW).await?;
    let again = NOW.plus(MILLI);
    let outcome = store
        .confirmations
        .redact(item.id, &app_id("demo"), again)
        .await?;
    let answered = RedactOutcome::Redacted(Box::new(redacted(&item, NOW)));
    equal("redact", outcome, answered)
}

async fn own_only(store: Store) -> Checked {
    let item = ended(&store, 1, Settlement::Delivered).await?;
    for (id, app) in [(item.id, "other"), (id(2), "demo")] {
        let outcome = store.confirmations.redact(id, &app_id(app), NOW).await?;
        equal("redact", outcome, RedactOutcome::Unknown)?;
    }
    stored(&store, &item, NOW).await
}
