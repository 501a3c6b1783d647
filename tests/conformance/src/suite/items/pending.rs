//! Cases for the index of a queue.

use std::sync::Arc;
use std::time::Duration;

use countersign_domain::delivery::due::NextAttempt;
use countersign_domain::delivery::{Progress, ReceiverShard};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::{Document, Entity as _, Key};
use countersign_domain::web::callback_url::CallbackUrl;

use super::{Case, key_of, made, replaced};
use crate::check::{Checked, Failure, equal};
use crate::indexed::PendingIndexedItems;
use crate::samples::confirmations::in_every_state;
use crate::samples::documents::logins;
use crate::samples::{NOW, acquisition, app_id, text, verified, with_delivery};

pub(in crate::suite) const CASES: &[Case<dyn PendingIndexedItems>] = &[
    Case {
        name: "owed: every webhook that is owed is listed, of both kinds and in every state",
        run: |items| Box::pin(what_is_owed(items)),
    },
    Case {
        name: "owed: apps, receivers, first attempts and retries are shards apart, in order, page by page",
        run: |items| Box::pin(lines_apart(items)),
    },
    Case {
        name: "owed: attempts of a shard are listed earliest first, up to the limit",
        run: |items| Box::pin(earliest_first(items)),
    },
    Case {
        name: "owed: a change moves the entry, and an end removes it",
        run: |items| Box::pin(moved_and_removed(items)),
    },
];

/// Returns the `n`th confirmation of an app, with an attempt due to an origin at this time.
fn owing(n: u8, (app, origin): (&str, &str), claimed: u32, at: Timestamp) -> Document {
    let mut open = acquisition(n);
    open.app = app_id(app);
    let callback = format!("https://{origin}.example.com/hook");
    open.callback = CallbackUrl::from_stored(&callback).ok();
    let item = with_delivery(&verified(&open, &text(1), NOW), |delivery| {
        delivery.attempts_claimed = claimed;
        if let Progress::Pending {
            next_attempt_at, ..
        } = &mut delivery.progress
        {
            *next_attempt_at = at;
        }
    });
    item.into_document()
}

fn seconds(n: u64) -> Timestamp {
    NOW.plus(Duration::from_secs(n))
}

fn next_of(document: &Document) -> Result<NextAttempt, Failure> {
    let next = document.next_attempt();
    next.ok_or_else(|| Failure::new("nothing is owed"))
}

/// Checks the whole content of the index, page by page.
fn is_owed(items: &dyn PendingIndexedItems, expected: &[NextAttempt]) -> Checked {
    let line_of = |next: &NextAttempt| ReceiverShard::from(&next.pointer);
    let mut expected = expected.to_vec();
    let in_order = |next: &NextAttempt| (line_of(next), next.at, next.pointer.subject);
    expected.sort_by_key(in_order);
    let mut first = expected.clone();
    first.dedup_by_key(|next| line_of(next));
    let shards: Vec<_> = first.iter().map(|next| (line_of(next), next.at)).collect();
    for page in [1, 2, shards.len() + 1] {
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let some = items.shards(after, page)?;
            found.extend_from_slice(&some);
            if some.len() < page {
                break;
            }
            after = some.last().map(|(shard, _)| *shard);
        }
        equal("shards", &found, &shards)?;
    }
    let mut found = Vec::new();
    for (shard, _) in shards {
        found.extend(items.attempts(shard, 1000)?);
    }
    found.sort_by_key(in_order);
    equal("attempts", found, expected)
}

async fn what_is_owed(items: Arc<dyn PendingIndexedItems>) -> Checked {
    let mut expected = Vec::new();
    for (n, (_, mut item)) in (0..).zip(in_every_state()) {
        item.id = acquisition(n).id;
        let document = item.into_document();
        made(&*items, &key_of(n), &document).await?;
        expected.extend(document.next_attempt());
    }
    for (n, (_, mut login)) in (0..).zip(logins()) {
        login.id = crate::samples::logins::login_id(n);
        let key = Key::Login(login.id);
        let document = login.into_document();
        made(&*items, &key, &document).await?;
        expected.extend(document.next_attempt());
    }
    is_owed(&*items, &expected)
}

async fn lines_apart(items: Arc<dyn PendingIndexedItems>) -> Checked {
    let mut expected = Vec::new();
    let mut n = 0;
    for app in ["demo", "second"] {
        for origin in ["one", "two"] {
            for claimed in [0, 1, 7] {
                let at = seconds(100 - u64::from(n));
                let document = owing(n, (app, origin), claimed, at);
                made(&*items, &key_of(n), &document).await?;
                expected.push(next_of(&document)?);
                n += 1;
            }
        }
    }
    is_owed(&*items, &expected)
}

async fn earliest_first(items: Arc<dyn PendingIndexedItems>) -> Checked {
    let mut expected = Vec::new();
    // Ordered neither by id nor by the decimal digits of the time.
    for (n, at) in [(9, 4), (2, 100), (7, 20), (4, 3), (200, 90), (5, 0)] {
        let document = owing(n, ("demo", "one"), 0, seconds(at));
        made(&*items, &key_of(n), &document).await?;
        expected.push(next_of(&document)?);
    }
    expected.sort_by_key(|next| next.at);
    let shard = ReceiverShard::from(&expected[0].pointer);
    for limit in 0..=expected.len() + 1 {
        let found = items.attempts(shard, limit)?;
        let wanted = &expected[..limit.min(expected.len())];
        equal("up to the limit", found.as_slice(), wanted)?;
    }
    Ok(())
}

async fn moved_and_removed(items: Arc<dyn PendingIndexedItems>) -> Checked {
    let other = owing(9, ("demo", "one"), 0, seconds(1));
    made(&*items, &key_of(9), &other).await?;
    let other = next_of(&other)?;
    let first = owing(1, ("demo", "one"), 0, seconds(1));
    made(&*items, &key_of(1), &first).await?;
    for (claimed, at) in [(0, 3), (1, 2), (2, 9)] {
        let moved = owing(1, ("demo", "one"), claimed, seconds(at));
        replaced(&*items, &key_of(1), &moved).await?;
        is_owed(&*items, &[other, next_of(&moved)?])?;
    }
    let ended = with_delivery(&verified(&acquisition(1), &text(1), NOW), |delivery| {
        delivery.progress = Progress::Delivered { at: NOW };
    });
    replaced(&*items, &key_of(1), &ended.into_document()).await?;
    is_owed(&*items, &[other])
}
