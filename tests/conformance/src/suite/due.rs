use std::time::Duration;

use countersign_domain::confirmation::Confirmation;
use countersign_domain::confirmation::store::{ConfirmationStore, Due};
use countersign_domain::confirmation::transitions::RedeliverOutcome;
use countersign_domain::delivery::Settlement;
use countersign_domain::primitives::time::Timestamp;

use super::Case;
use super::steps::{Store, claim, create, due, ended, pending, settle, verify};
use crate::check::{Checked, equal, holds};
use crate::samples::{MILLI, NOW, RETENTION, acquisition, app_id, before, text};

pub(super) const CASES: &[Case<dyn ConfirmationStore>] = &[
    Case {
        name: "due: what is owed, from its instant on, to the millisecond",
        run: |store| Box::pin(from_its_instant(store)),
    },
    Case {
        name: "due: nothing but what is owed",
        run: |store| Box::pin(owed_only(store)),
    },
    Case {
        name: "due: the longest due first, at most so many",
        run: |store| Box::pin(ordered(store)),
    },
    Case {
        name: "due: each lane by itself, however much is due of another",
        run: |store| Box::pin(by_lane(store)),
    },
    Case {
        name: "due: a retry moves it",
        run: |store| Box::pin(retry_moves(store)),
    },
    Case {
        name: "due: what has ended leaves it",
        run: |store| Box::pin(leaves(store)),
    },
    Case {
        name: "due: a redelivery puts it back",
        run: |store| Box::pin(put_back(store)),
    },
];

/// When the sweep first looks after what became owed at [`NOW`].
fn first() -> Timestamp {
    NOW.plus(Duration::from_mins(1))
}

fn entry(item: &Confirmation, due_at: Timestamp) -> Due {
    Due {
        due_at,
        confirmation: item.id,
        lane: item.lane(),
    }
}

async fn from_its_instant(store: Store) -> Checked {
    due(&store, first(), &[]).await?;
    let item = pending(&store, 1).await?;
    due(&store, before(first(), MILLI), &[]).await?;
    due(&store, first(), &[entry(&item, first())]).await?;
    let later = NOW.plus(Duration::from_hours(24));
    due(&store, later, &[entry(&item, first())]).await
}

async fn owed_only(store: Store) -> Checked {
    let (open, cancelled) = (acquisition(1), acquisition(2));
    create(&store, &open).await?;
    create(&store, &cancelled).await?;
    store.cancel(cancelled.id, &app_id("demo"), NOW).await?;
    ended(&store, 3, Settlement::Delivered).await?;
    ended(&store, 4, Settlement::Failed).await?;
    due(&store, NOW.plus(Duration::from_hours(23)), &[]).await
}

async fn ordered(store: Store) -> Checked {
    // In another order than that of their ids, and of the digits of their instants.
    let mut expected = Vec::new();
    for (n, secs) in [(9, 4), (2, 100), (7, 20), (4, 3), (200, 90), (5, 0)] {
        let open = acquisition(n);
        create(&store, &open).await?;
        let at = NOW.plus(Duration::from_secs(secs));
        let item = verify(&store, &open, &text(1), at).await?;
        expected.push(entry(&item, at.plus(Duration::from_mins(1))));
    }
    expected.sort();
    let late = NOW.plus(Duration::from_hours(1));
    due(&store, late, &expected).await?;
    let demo = expected[0].lane;
    for limit in 0..=6 {
        let found = store.due(demo, late, None, limit).await?;
        equal("so many", found.as_slice(), &expected[..limit])?;
    }
    for (place, seen) in expected.iter().enumerate() {
        let found = store.due(demo, late, Some(*seen), 3).await?;
        let rest = &expected[place + 1..];
        equal("after", found.as_slice(), &rest[..rest.len().min(3)])?;
    }
    let some = NOW.plus(Duration::from_secs(80));
    due(&store, some, &expected[..4]).await
}

/// Of one app a hundred are long due; of two others one each, due last.
async fn by_lane(store: Store) -> Checked {
    let late = NOW.plus(Duration::from_hours(1));
    let mut expected = Vec::new();
    for n in 0..102 {
        let mut open = acquisition(n);
        let (app, secs) = match n {
            100 => ("second", 100),
            101 => ("third", 101),
            _ => ("demo", 0),
        };
        open.app = app_id(app);
        create(&store, &open).await?;
        let at = NOW.plus(Duration::from_secs(secs));
        let item = verify(&store, &open, &text(1), at).await?;
        expected.push(entry(&item, at.plus(Duration::from_mins(1))));
    }
    due(&store, late, &expected).await?;
    let mut lanes = store.due_lanes(late).await?;
    lanes.sort();
    let mut all = vec![expected[0].lane, expected[100].lane, expected[101].lane];
    all.sort();
    equal("lanes", lanes, all)?;
    for quiet in [100, 101] {
        let found = store.due(expected[quiet].lane, late, None, 10).await?;
        equal("of a quiet app", found.as_slice(), &expected[quiet..=quiet])?;
    }
    let only_first = store.due_lanes(first()).await?;
    equal("lanes of what is due", only_first, vec![expected[0].lane])?;
    equal(
        "lanes before",
        store.due_lanes(before(first(), MILLI)).await?,
        vec![],
    )
}

async fn retry_moves(store: Store) -> Checked {
    let item = claim(&store, &pending(&store, 1).await?, NOW).await?;
    let (at, due_at) = (
        NOW.plus(Duration::from_hours(3)),
        NOW.plus(Duration::from_hours(4)),
    );
    let item = settle(&store, &item, 500, Settlement::Retry { at, due_at }, NOW).await?;
    due(&store, before(due_at, MILLI), &[]).await?;
    due(&store, due_at, &[entry(&item, due_at)]).await?;
    // Backwards too.
    let item = claim(&store, &item, at).await?;
    let sooner = at.plus(Duration::from_secs(1));
    let settlement = Settlement::Retry {
        at: sooner,
        due_at: sooner,
    };
    let item = settle(&store, &item, 500, settlement, at).await?;
    due(&store, sooner, &[entry(&item, sooner)]).await?;
    due(&store, due_at, &[entry(&item, sooner)]).await
}

async fn leaves(store: Store) -> Checked {
    let other = pending(&store, 9).await?;
    for (n, settlement) in [(1, Settlement::Delivered), (2, Settlement::Failed)] {
        let item = pending(&store, n).await?;
        let both = [entry(&item, first()), entry(&other, first())];
        due(&store, first(), &both).await?;
        let item = claim(&store, &item, NOW).await?;
        settle(&store, &item, 200, settlement, NOW).await?;
        due(&store, first(), &[entry(&other, first())]).await?;
    }
    Ok(())
}

async fn put_back(store: Store) -> Checked {
    let item = ended(&store, 1, Settlement::Delivered).await?;
    due(&store, first(), &[]).await?;
    let at = NOW.plus(Duration::from_secs(7));
    let demo = app_id("demo");
    let outcome = store.redeliver(item.id, &demo, at, RETENTION).await?;
    let owed = matches!(outcome, RedeliverOutcome::Owed { .. });
    holds("it is owed", owed)?;
    let due_at = at.plus(Duration::from_mins(1));
    due(&store, before(due_at, MILLI), &[]).await?;
    due(&store, due_at, &[entry(&item, due_at)]).await
}
