//! Cases for the due index of a sweep.

use std::sync::Arc;
use std::time::Duration;

use countersign_domain::delivery::Progress;
use countersign_domain::delivery::due::{DueEntry, DueStart};
use countersign_domain::delivery::transitions::HasDelivery as _;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::{Document, Entity as _, Key};

use super::{Case, key_of, made, replaced};
use crate::all_due::deliveries;
use crate::check::{Checked, Failure, equal};
use crate::indexed::DueIndexedItems;
use crate::samples::confirmations::in_every_state;
use crate::samples::documents::logins;
use crate::samples::{MILLI, NOW, acquisition, app_id, before, text, verified, with_delivery};

pub(in crate::suite) const CASES: &[Case<dyn DueIndexedItems>] = &[
    Case {
        name: "due: a delivery is listed from its time on, to the millisecond",
        run: |items| Box::pin(from_its_time(items)),
    },
    Case {
        name: "due: what is owed is listed, in every state of both kinds",
        run: |items| Box::pin(what_is_owed(items)),
    },
    Case {
        name: "due: deliveries are listed longest due first, page by page",
        run: |items| Box::pin(pages(items)),
    },
    Case {
        name: "due: a read goes on after an entry that is gone",
        run: |items| Box::pin(place_that_is_gone(items)),
    },
    Case {
        name: "due: a change moves the entry, and an end removes it",
        run: |items| Box::pin(moved_and_removed(items)),
    },
];

/// Returns the `n`th confirmation of an app, with a webhook that is due at this time.
fn owing(n: u8, app: &str, at: Timestamp) -> Document {
    let mut item = with_delivery(&verified(&acquisition(n), &text(1), NOW), |delivery| {
        if let Progress::Pending { due_at, .. } = &mut delivery.progress {
            *due_at = at;
        }
    });
    item.app = app_id(app);
    item.into_document()
}

/// Creates the `n`th confirmation of an app, with a webhook that is due at this time.
async fn owe(
    items: &dyn DueIndexedItems,
    n: u8,
    app: &str,
    at: Timestamp,
) -> Result<DueEntry, Failure> {
    let document = owing(n, app, at);
    made(items, &key_of(n), &document).await?;
    document.due().ok_or_else(|| Failure::new("nothing is due"))
}

/// Checks the due entries in all parts of the index.
async fn is_due(items: &dyn DueIndexedItems, now: Timestamp, expected: &[DueEntry]) -> Checked {
    let found = deliveries(items, now).await?;
    let mut expected = expected.to_vec();
    expected.sort();
    equal("due", &found, &expected)
}

async fn from_its_time(items: Arc<dyn DueIndexedItems>) -> Checked {
    let at = NOW.plus(Duration::from_mins(1));
    let due = owe(&*items, 1, "demo", at).await?;
    is_due(&*items, before(at, MILLI), &[]).await?;
    is_due(&*items, at, &[due]).await?;
    is_due(&*items, at.plus(Duration::from_hours(23)), &[due]).await
}

async fn what_is_owed(items: Arc<dyn DueIndexedItems>) -> Checked {
    let mut expected = Vec::new();
    for (n, (_, mut item)) in (0..).zip(in_every_state()) {
        item.id = acquisition(n).id;
        expected.extend(item.due());
        made(&*items, &key_of(n), &item.into_document()).await?;
    }
    for (n, (_, mut login)) in (0..).zip(logins()) {
        login.id = crate::samples::logins::login_id(n);
        expected.extend(login.due());
        made(&*items, &Key::Login(login.id), &login.into_document()).await?;
    }
    is_due(&*items, NOW.plus(Duration::from_hours(1000)), &expected).await
}

async fn pages(items: Arc<dyn DueIndexedItems>) -> Checked {
    // Ordered neither by id nor by the decimal digits of the time; some times are equal.
    let mut expected = Vec::new();
    for (n, secs) in [
        (9, 4),
        (2, 100),
        (7, 20),
        (3, 20),
        (1, 20),
        (4, 3),
        (200, 90),
        (5, 0),
        (8, 20),
        (16, 20),
        (24, 60),
        (32, 10),
    ] {
        let at = NOW.plus(Duration::from_secs(secs));
        expected.push(owe(&*items, n, "demo", at).await?);
    }
    expected.sort();
    let late = NOW.plus(Duration::from_hours(1));
    is_due(&*items, late, &expected).await?;
    for part in items.parts() {
        let all = items.due(part, late, DueStart::BEGINNING, 1000).await?;
        let times: Vec<Timestamp> = all.iter().map(|due| due.due_at).collect();
        equal("in the order of time", times.is_sorted(), true)?;
        for limit in 0..=all.len() + 1 {
            let cut = |rest: &[DueEntry]| rest[..limit.min(rest.len())].to_vec();
            let found = items.due(part, late, DueStart::BEGINNING, limit).await?;
            equal("up to the limit", found, cut(&all))?;
            for (place, seen) in all.iter().enumerate() {
                let after = items.due(part, late, DueStart::After(*seen), limit);
                equal("after", after.await?, cut(&all[place + 1..]))?;
                let from = items.due(part, late, DueStart::Time(seen.due_at), limit);
                let first = times.partition_point(|time| *time < seen.due_at);
                equal("from a time", from.await?, cut(&all[first..]))?;
                let early = before(seen.due_at, MILLI);
                let over = items.due(part, early, DueStart::After(*seen), limit);
                equal("after what is not due", over.await?, vec![])?;
            }
        }
    }
    is_due(&*items, NOW.plus(Duration::from_secs(80)), &expected[..10]).await
}

/// A sweep continues where it stopped, even if the item there has been handled in the meantime.
async fn place_that_is_gone(items: Arc<dyn DueIndexedItems>) -> Checked {
    let at = |secs| NOW.plus(Duration::from_secs(secs));
    let late = at(100);
    let mut expected = Vec::new();
    for n in 0..32 {
        expected.push(owe(&*items, n, "demo", at(u64::from(n))).await?);
    }
    for part in items.parts() {
        let all = items.due(part, late, DueStart::BEGINNING, 1000).await?;
        let Some((first, rest)) = all.split_first() else {
            continue;
        };
        let place = expected.iter().position(|due| due == first);
        let n = place.and_then(|place| u8::try_from(place).ok());
        let n = n.ok_or_else(|| Failure::new("an unknown delivery"))?;
        replaced(&*items, &key_of(n), &owing(n, "demo", at(1000))).await?;
        let after = items.due(part, late, DueStart::After(*first), 1000).await?;
        equal("after a place that is gone", after.as_slice(), rest)?;
    }
    Ok(())
}

async fn moved_and_removed(items: Arc<dyn DueIndexedItems>) -> Checked {
    let hours = |n| NOW.plus(Duration::from_hours(n));
    let other = owe(&*items, 9, "demo", hours(1)).await?;
    owe(&*items, 1, "demo", hours(1)).await?;
    for at in [hours(3), hours(2)] {
        let moved = owing(1, "demo", at);
        replaced(&*items, &key_of(1), &moved).await?;
        is_due(&*items, before(at, MILLI), &[other]).await?;
        let due = moved.due().into_iter().chain([other]);
        is_due(&*items, at, &due.collect::<Vec<_>>()).await?;
    }
    let ended = with_delivery(&verified(&acquisition(1), &text(1), NOW), |delivery| {
        delivery.progress = Progress::Delivered { at: NOW };
    });
    replaced(&*items, &key_of(1), &ended.into_document()).await?;
    is_due(&*items, hours(9), &[other]).await
}
