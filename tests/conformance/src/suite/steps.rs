//! Steps that cases share. Each must succeed; a failure is located in the step.

use std::sync::Arc;
use std::time::Duration;

use countersign_domain::confirmation::Confirmation;
use countersign_domain::confirmation::transitions::{CreateOutcome, TextEvidence, VerifyOutcome};
use countersign_domain::delivery::store::Due;
use countersign_domain::delivery::{
    ClaimOutcome, DeliveryPointer, Progress, SettleOutcome, SettledAttempt, Settlement,
};
use countersign_domain::primitives::ids::ConfirmationId;
use countersign_domain::primitives::time::Timestamp;

use crate::all_due;
use crate::check::{Checked, Failure, equal, holds};
use crate::samples::{
    NOW, RETENTION, acquisition, attempt, settled, signature, text, verified, with_delivery,
};
use crate::stores::Stores;

pub(super) type Store = Arc<Stores>;
pub(super) type Got = Result<Confirmation, Failure>;

/// The number of times that a lagging index is read again.
const RETRIES: usize = 50;

/// The pause before a lagging index is read again.
const RETRY_PAUSE: Duration = Duration::from_millis(100);

/// Stores a new confirmation.
pub(super) async fn create(store: &Store, item: &Confirmation) -> Checked {
    let outcome = store
        .confirmations
        .create(item.clone(), item.created_at)
        .await?;
    equal("create", outcome, CreateOutcome::Created)
}

/// Verifies a confirmation with a text, and returns the expected item.
pub(super) async fn verify(
    store: &Store,
    open: &Confirmation,
    text: &TextEvidence,
    at: Timestamp,
) -> Got {
    let expected = verified(open, text, at);
    let outcome = store
        .confirmations
        .verify(open.id, text, at, RETENTION)
        .await?;
    let pointer = pointer_to(&expected, 0);
    let app = open.app.clone();
    equal("verify", outcome, VerifyOutcome::Verified { pointer, app })?;
    Ok(expected)
}

/// Stores a confirmation that a text verified at [`NOW`].
pub(super) async fn pending(store: &Store, n: u8) -> Got {
    let open = acquisition(n);
    create(store, &open).await?;
    verify(store, &open, &text(n.into()), NOW).await
}

/// Claims the next attempt, checks the stored item, and returns it.
pub(super) async fn claim(store: &Store, item: &Confirmation, at: Timestamp) -> Got {
    let expected = with_delivery(item, |delivery| {
        delivery.attempts_claimed += 1;
        if let Progress::Pending { claimed_at, .. } = &mut delivery.progress {
            *claimed_at = Some(at);
        }
    });
    let outcome = store.deliveries.claim(item.id.into(), claims(item), at);
    holds(
        "the attempt was claimed",
        outcome.await? != ClaimOutcome::Stale,
    )?;
    stored(store, &expected, at).await?;
    Ok(expected)
}

/// Settles the attempt under way, and returns the expected item.
pub(super) async fn settle(
    store: &Store,
    item: &Confirmation,
    status: u16,
    settlement: Settlement,
    at: Timestamp,
) -> Got {
    let number = claims(item);
    let expected = with_delivery(item, |delivery| {
        delivery.attempts.push(attempt(number, status));
        delivery.signature = Some(signature(1));
        delivery.progress = match settlement {
            Settlement::Delivered => Progress::Delivered { at },
            Settlement::Failed => Progress::Failed { at },
            Settlement::Retry { at, due_at } => Progress::Pending {
                next_attempt_at: at,
                due_at,
                claimed_at: None,
            },
        };
    });
    let pointer = match settlement {
        Settlement::Retry { .. } => Some(pointer_to(item, number)),
        Settlement::Delivered | Settlement::Failed => None,
    };
    let attempt = settled(number, status, settlement);
    settle_as(
        store,
        item.id,
        attempt,
        at,
        SettleOutcome::Settled { pointer },
    )
    .await?;
    Ok(expected)
}

/// Settles an attempt, and checks the outcome.
pub(super) async fn settle_as(
    store: &Store,
    id: ConfirmationId,
    attempt: SettledAttempt,
    at: Timestamp,
    expected: SettleOutcome,
) -> Checked {
    let outcome = store
        .deliveries
        .settle(id.into(), attempt, at, RETENTION)
        .await?;
    equal("settle", outcome, expected)
}

/// Stores a confirmation whose webhook was delivered or given up at [`NOW`].
pub(super) async fn ended(store: &Store, n: u8, settlement: Settlement) -> Got {
    let item = pending(store, n).await?;
    let item = claim(store, &item, NOW).await?;
    let status = if settlement == Settlement::Failed {
        410
    } else {
        200
    };
    settle(store, &item, status, settlement, NOW).await
}

/// Checks that exactly this item is stored.
pub(super) async fn stored(store: &Store, expected: &Confirmation, at: Timestamp) -> Checked {
    let found = store.confirmations.find(expected.id, at).await?;
    equal("find", found.as_ref(), Some(expected))
}

/// Returns the number of claimed attempts.
pub(super) fn claims(item: &Confirmation) -> u32 {
    item.verified()
        .map_or(0, |verified| verified.delivery.attempts_claimed)
}

/// Returns the pointer to the attempt after `attempts_claimed` others.
pub(super) fn pointer_to(item: &Confirmation, attempts_claimed: u32) -> DeliveryPointer {
    DeliveryPointer {
        subject: item.id.into(),
        attempts_claimed,
        group: item.group(),
    }
}

/// Checks that the due index holds exactly these entries. It may lag, so it is read repeatedly.
pub(super) async fn due(store: &Store, at: Timestamp, expected: &[Due]) -> Checked {
    let mut found = all_due::deliveries(&*store.deliveries, at).await?;
    for _ in 0..RETRIES {
        if found == expected {
            break;
        }
        // sleep: the contract lets an index lag. An index that does not lag costs no time.
        tokio::time::sleep(RETRY_PAUSE).await;
        found = all_due::deliveries(&*store.deliveries, at).await?;
    }
    equal("due", found.as_slice(), expected)
}
