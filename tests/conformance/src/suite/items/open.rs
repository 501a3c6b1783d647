//! Cases for documents of which the open ones are counted.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use countersign_domain::confirmation::{Confirmation, State};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::{CreateResult, Entity as _, Items, Key};

use super::{Case, Kept, key_of, made, read, replaced};
use crate::check::{Checked, equal, holds};
use crate::samples::logins::new_login;
use crate::samples::{MILLI, NOW, acquisition, app_id, before, text, verified};
use crate::suite::races::{MANY, at_once};

pub(in crate::suite) const CASES: &[Case<dyn Items>] = &[
    Case {
        name: "open: an app has as many open documents as it may, and each that ends makes room",
        run: |items| Box::pin(limit(items)),
    },
    Case {
        name: "open: apps and kinds are counted apart",
        run: |items| Box::pin(apart(items)),
    },
    Case {
        name: "open: what exists is found when the limit is reached",
        run: |items| Box::pin(present(items)),
    },
    Case {
        name: "race: open documents never exceed their limit",
        run: |items| Box::pin(race(items)),
    },
];

const MAX_OPEN: Option<NonZeroU32> = NonZeroU32::new(2);

async fn create(
    items: &Kept,
    item: Confirmation,
    now: Timestamp,
) -> Result<CreateResult, crate::check::Failure> {
    let key = Key::Confirmation(item.id);
    Ok(items
        .create(&key, item.into_document(), now, MAX_OPEN)
        .await?)
}

/// Returns the `n`th open confirmation, which ends `n` seconds later than the first.
fn open(n: u8) -> Confirmation {
    let mut item = acquisition(n);
    item.expires_at = item.expires_at.plus(Duration::from_secs(n.into()));
    item
}

async fn limit(items: Kept) -> Checked {
    for n in [2, 1] {
        equal(
            "within",
            create(&items, open(n), NOW).await?,
            CreateResult::Made,
        )?;
    }
    let end = open(1).expires_at;
    let full = CreateResult::Full { first_ends_at: end };
    for now in [NOW, before(end, MILLI)] {
        equal("full", create(&items, open(3), now).await?, full.clone())?;
    }
    equal("refused", items.get(&key_of(3)).await?, None)?;
    // An expiry makes room, and so does a text or a cancellation.
    equal(
        "at its end",
        create(&items, open(3), end).await?,
        CreateResult::Made,
    )?;
    let full = CreateResult::Full {
        first_ends_at: open(2).expires_at,
    };
    equal("full again", create(&items, open(4), end).await?, full)?;
    replaced(
        &*items,
        &key_of(2),
        &verified(&open(2), &text(1), NOW).into_document(),
    )
    .await?;
    equal(
        "after a text",
        create(&items, open(4), end).await?,
        CreateResult::Made,
    )?;
    let mut cancelled = open(3);
    cancelled.state = State::Cancelled { at: NOW };
    replaced(&*items, &key_of(3), &cancelled.into_document()).await?;
    equal(
        "after a cancellation",
        create(&items, open(5), end).await?,
        CreateResult::Made,
    )?;
    let full = create(&items, open(6), end).await?;
    holds("full at last", matches!(full, CreateResult::Full { .. }))
}

async fn apart(items: Kept) -> Checked {
    for n in 1..=2 {
        equal(
            "within",
            create(&items, open(n), NOW).await?,
            CreateResult::Made,
        )?;
        let login = new_login(n);
        let key = Key::Login(login.id);
        let created = items
            .create(&key, login.into_document(), NOW, MAX_OPEN)
            .await?;
        equal("a login", created, CreateResult::Made)?;
    }
    let mut other = open(3);
    other.app = app_id("other");
    equal(
        "another app",
        create(&items, other, NOW).await?,
        CreateResult::Made,
    )
}

async fn present(items: Kept) -> Checked {
    for n in 1..=2 {
        made(&*items, &key_of(n), &open(n).into_document()).await?;
    }
    let found = CreateResult::Present(read(&*items, &key_of(1)).await?);
    equal("again", create(&items, open(1), NOW).await?, found)
}

async fn race(items: Kept) -> Checked {
    let created = at_once(MANY, |n| {
        let items = Arc::clone(&items);
        async move {
            let (new, most) = (open(n).into_document(), NonZeroU32::new(5));
            Ok(items.create(&key_of(n), new, NOW, most).await? == CreateResult::Made)
        }
    });
    let made = created.await?.into_iter().filter(|made| *made).count();
    equal("created", made, 5)
}
