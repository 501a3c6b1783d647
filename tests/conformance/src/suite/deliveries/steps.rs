//! Steps that cases share. Each must succeed; a failure is located in the step.

use countersign_domain::delivery::{
    ClaimOutcome, DeliveryKind, DeliverySubject, SettleOutcome, SettledAttempt, Settlement,
};
use countersign_domain::login::transitions::ConfirmOutcome;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::callback_url::CallbackUrl;

use super::item::Item;
use crate::check::{Checked, Failure, equal};
use crate::samples::logins::{answer, login_id, new_login};
use crate::samples::{NOW, RETENTION, acquisition, app_id, id, settled, text};
use crate::suite::logins::steps as login_steps;
use crate::suite::steps as confirmation_steps;

pub(super) use crate::suite::steps::{Store, due};

pub(super) type Got = Result<Item, Failure>;

/// Stores an item that began at [`NOW`] and waits for the person's text or decision.
pub(super) async fn begun(store: &Store, kind: DeliveryKind, n: u8, app: &str) -> Got {
    match kind {
        DeliveryKind::Confirmations => {
            let mut open = acquisition(n);
            open.app = app_id(app);
            confirmation_steps::create(store, &open).await?;
            Ok(Item::Confirmation(Box::new(open)))
        }
        DeliveryKind::Logins => {
            let mut new = new_login(n);
            new.app = app_id(app);
            new.callback = CallbackUrl::from_stored("https://shop.example/logins").ok();
            login_steps::create(store, &new).await?;
            let scanned = login_steps::initiate(store, &new, &[], NOW).await?;
            Ok(Item::Login(Box::new(scanned)))
        }
    }
}

/// Verifies the confirmation or confirms the login. The returned item owes a webhook.
pub(super) async fn complete(store: &Store, item: &Item, at: Timestamp) -> Got {
    match item {
        Item::Confirmation(open) => {
            let message = open.id.as_bytes()[0].into();
            let item = confirmation_steps::verify(store, open, &text(message), at).await?;
            Ok(Item::Confirmation(Box::new(item)))
        }
        Item::Login(scanned) => {
            let outcome = store.logins.confirm(scanned.id, answer(1, "yes"), at);
            match outcome.await? {
                ConfirmOutcome::Confirmed(item) => Ok(Item::Login(item)),
                other => Err(Failure::new(format_args!("confirm answered {other:?}"))),
            }
        }
    }
}

/// Stores an item that has owed a webhook since [`NOW`].
pub(super) async fn pending(store: &Store, kind: DeliveryKind, n: u8) -> Got {
    let item = begun(store, kind, n, "demo").await?;
    complete(store, &item, NOW).await
}

/// Stores an item in each state without an owed webhook, with ids from 100 on.
pub(super) async fn owing_nothing(store: &Store, kind: DeliveryKind) -> Result<Vec<Item>, Failure> {
    let mut items = vec![
        begun(store, kind, 100, "demo").await?,
        ended(store, kind, 101, Settlement::Delivered).await?,
        ended(store, kind, 102, Settlement::Failed).await?,
    ];
    match kind {
        DeliveryKind::Confirmations => {
            let mut cancelled = acquisition(103);
            confirmation_steps::create(store, &cancelled).await?;
            let demo = app_id("demo");
            let cancelling = store.confirmations.cancel(cancelled.id, &demo, NOW);
            cancelling.await?;
            cancelled.state = countersign_domain::confirmation::State::Cancelled { at: NOW };
            items.push(Item::Confirmation(Box::new(cancelled)));
        }
        DeliveryKind::Logins => {
            items.push(Item::Login(Box::new(
                login_steps::created(store, 103).await?,
            )));
            items.push(Item::Login(Box::new(
                login_steps::scanned(store, 104).await?,
            )));
            items.push(Item::Login(Box::new(
                login_steps::confirmed(store, 105).await?,
            )));
        }
    }
    Ok(items)
}

/// Returns the id of an item that does not exist.
pub(super) const fn unknown(kind: DeliveryKind) -> DeliverySubject {
    match kind {
        DeliveryKind::Confirmations => DeliverySubject::Confirmation(id(200)),
        DeliveryKind::Logins => DeliverySubject::Login(login_id(200)),
    }
}

/// Claims the next attempt, and returns the expected item.
pub(super) async fn claim(store: &Store, item: &Item, at: Timestamp) -> Got {
    let expected = item.after_claim(at);
    let outcome = store.deliveries.claim(item.subject(), item.claims(), at);
    let claimed = ClaimOutcome::Claimed(Box::new(expected.claimed()?));
    equal("claim", outcome.await?, claimed)?;
    Ok(expected)
}

/// Checks that a claim is stale.
pub(super) async fn stale(
    store: &Store,
    subject: DeliverySubject,
    attempts_claimed: u32,
    at: Timestamp,
) -> Checked {
    let outcome = store.deliveries.claim(subject, attempts_claimed, at);
    equal("claim", outcome.await?, ClaimOutcome::Stale)
}

/// Settles the attempt under way, and returns the expected item.
pub(super) async fn settle(
    store: &Store,
    item: &Item,
    status: u16,
    settlement: Settlement,
    at: Timestamp,
) -> Got {
    settle_as(store, item, settled(item.claims(), status, settlement), at).await
}

/// Settles the attempt under way with the given result, and returns the expected item.
pub(super) async fn settle_as(
    store: &Store,
    item: &Item,
    settled: SettledAttempt,
    at: Timestamp,
) -> Got {
    let expected = item.after_settling(&settled, at);
    let pointer = match settled.settlement {
        Settlement::Retry { .. } => Some(expected.pointer_to(item.claims())?),
        Settlement::Delivered | Settlement::Failed => None,
    };
    let outcome = store
        .deliveries
        .settle(item.subject(), settled, at, RETENTION);
    equal("settle", outcome.await?, SettleOutcome::Settled { pointer })?;
    Ok(expected)
}

/// Checks that a settlement is superseded.
pub(super) async fn superseded(
    store: &Store,
    subject: DeliverySubject,
    attempt: SettledAttempt,
    at: Timestamp,
) -> Checked {
    let outcome = store.deliveries.settle(subject, attempt, at, RETENTION);
    equal("settle", outcome.await?, SettleOutcome::Superseded)
}

/// Stores an item whose webhook was delivered or given up at [`NOW`].
pub(super) async fn ended(store: &Store, kind: DeliveryKind, n: u8, settlement: Settlement) -> Got {
    let item = claim(store, &pending(store, kind, n).await?, NOW).await?;
    let status = if settlement == Settlement::Failed {
        410
    } else {
        200
    };
    settle(store, &item, status, settlement, NOW).await
}

/// Reads an item.
pub(super) async fn found(
    store: &Store,
    subject: DeliverySubject,
    at: Timestamp,
) -> Result<Option<Item>, Failure> {
    Ok(match subject {
        DeliverySubject::Confirmation(id) => {
            let found = store.confirmations.find(id, at).await?;
            found.map(|item| Item::Confirmation(Box::new(item)))
        }
        DeliverySubject::Login(id) => store
            .logins
            .find(id, at)
            .await?
            .map(|login| Item::Login(Box::new(login))),
    })
}

/// Checks that exactly this item is stored.
pub(super) async fn stored(store: &Store, expected: &Item, at: Timestamp) -> Checked {
    let found = found(store, expected.subject(), at).await?;
    equal("find", found.as_ref(), Some(expected))
}
