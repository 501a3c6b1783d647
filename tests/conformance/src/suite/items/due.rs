//! Cases of the index of a sweep.

use std::sync::Arc;
use std::time::Duration;

use countersign_domain::delivery::due::Due;
use countersign_domain::delivery::transitions::Owes as _;
use countersign_domain::delivery::{DeliveryLane, Progress};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::{Document, Entity as _, Key};

use super::{Case, made, of, replaced};
use crate::check::{Checked, Failure, equal};
use crate::indexed::SweptItems;
use crate::samples::confirmations::in_every_state;
use crate::samples::documents::logins;
use crate::samples::{MILLI, NOW, acquisition, app_id, before, text, verified, with_delivery};

pub(in crate::suite) const CASES: &[Case<dyn SweptItems>] = &[
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
        name: "due: lanes are separate, however much is due in another",
        run: |items| Box::pin(lanes_apart(items)),
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
async fn owe(items: &dyn SweptItems, n: u8, app: &str, at: Timestamp) -> Result<Due, Failure> {
    let document = owing(n, app, at);
    made(items, &of(n), &document).await?;
    document.due().ok_or_else(|| Failure::new("nothing is due"))
}

/// Checks what is due, in all lanes.
async fn is_due(items: &dyn SweptItems, now: Timestamp, expected: &[Due]) -> Checked {
    let mut found = Vec::new();
    let mut lanes = items.due_lanes(now).await?;
    for lane in &lanes {
        found.extend(items.due(*lane, now, None, 1000).await?);
    }
    found.sort();
    let mut expected = expected.to_vec();
    expected.sort();
    equal("due", &found, &expected)?;
    lanes.sort();
    let mut known: Vec<DeliveryLane> = expected.iter().map(|due| due.lane).collect();
    known.sort();
    known.dedup();
    equal("lanes", lanes, known)
}

async fn from_its_time(items: Arc<dyn SweptItems>) -> Checked {
    let at = NOW.plus(Duration::from_mins(1));
    let due = owe(&*items, 1, "demo", at).await?;
    is_due(&*items, before(at, MILLI), &[]).await?;
    is_due(&*items, at, &[due]).await?;
    is_due(&*items, at.plus(Duration::from_hours(23)), &[due]).await?;
    let early = items.due(due.lane, before(at, MILLI), None, 9).await?;
    equal("before", early, vec![])
}

async fn what_is_owed(items: Arc<dyn SweptItems>) -> Checked {
    let mut expected = Vec::new();
    for (n, (_, mut item)) in (0..).zip(in_every_state()) {
        item.id = acquisition(n).id;
        expected.extend(item.due());
        made(&*items, &of(n), &item.into_document()).await?;
    }
    for (n, (_, mut login)) in (0..).zip(logins()) {
        login.id = crate::samples::logins::login_id(n);
        expected.extend(login.due());
        made(&*items, &Key::Login(login.id), &login.into_document()).await?;
    }
    is_due(&*items, NOW.plus(Duration::from_hours(1000)), &expected).await
}

async fn pages(items: Arc<dyn SweptItems>) -> Checked {
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
    ] {
        let at = NOW.plus(Duration::from_secs(secs));
        expected.push(owe(&*items, n, "demo", at).await?);
    }
    expected.sort();
    let late = NOW.plus(Duration::from_hours(1));
    is_due(&*items, late, &expected).await?;
    let demo = expected[0].lane;
    for limit in 0..=expected.len() + 1 {
        let found = items.due(demo, late, None, limit).await?;
        let wanted = &expected[..limit.min(expected.len())];
        equal("up to the limit", found.as_slice(), wanted)?;
        for (place, seen) in expected.iter().enumerate() {
            let found = items.due(demo, late, Some(*seen), limit).await?;
            let rest = &expected[place + 1..];
            equal("after", found.as_slice(), &rest[..rest.len().min(limit)])?;
        }
    }
    is_due(&*items, NOW.plus(Duration::from_secs(80)), &expected[..6]).await
}

/// One app has a hundred deliveries long due; two others have one each, due last.
async fn lanes_apart(items: Arc<dyn SweptItems>) -> Checked {
    let late = NOW.plus(Duration::from_hours(1));
    let mut expected = Vec::new();
    for n in 0..102 {
        let (app, secs) = match n {
            100 => ("second", 100),
            101 => ("third", 101),
            _ => ("demo", 0),
        };
        let at = NOW.plus(Duration::from_secs(secs));
        expected.push(owe(&*items, n, app, at).await?);
    }
    is_due(&*items, late, &expected).await?;
    for quiet in [100, 101] {
        let found = items.due(expected[quiet].lane, late, None, 10).await?;
        equal("of a quiet app", found.as_slice(), &expected[quiet..=quiet])?;
    }
    is_due(&*items, NOW, &expected[..100]).await
}

async fn moved_and_removed(items: Arc<dyn SweptItems>) -> Checked {
    let hours = |n| NOW.plus(Duration::from_hours(n));
    let other = owe(&*items, 9, "demo", hours(1)).await?;
    owe(&*items, 1, "demo", hours(1)).await?;
    for at in [hours(3), hours(2)] {
        let moved = owing(1, "demo", at);
        replaced(&*items, &of(1), &moved).await?;
        is_due(&*items, before(at, MILLI), &[other]).await?;
        let due = moved.due().into_iter().chain([other]);
        is_due(&*items, at, &due.collect::<Vec<_>>()).await?;
    }
    let ended = with_delivery(&verified(&acquisition(1), &text(1), NOW), |delivery| {
        delivery.progress = Progress::Delivered { at: NOW };
    });
    replaced(&*items, &of(1), &ended.into_document()).await?;
    is_due(&*items, hours(9), &[other]).await
}
