//! Tests that the count is exact wherever batches are committed between its steps.

use std::collections::BTreeMap;
use std::time::Duration;

use countersign_conformance::chance::Chance;
use countersign_conformance::samples::logins::{new_login, phone};
use countersign_conformance::samples::{NOW, RETENTION, app_id, text};
use countersign_domain::confirmation::store::ConfirmationStore;
use countersign_domain::confirmation::{Confirmation, State};
use countersign_domain::delivery::DeliveryKind;
use countersign_domain::login::Login;
use countersign_domain::login::store::LoginStore;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use futures_util::future::join_all;
use redb::{ReadableDatabase as _, ReadableTable as _};

use super::{Allowance, Disk, EmbeddedStore, begin, by_hand, finish, is_counted, new, within};
use crate::store::counting::Step;
use crate::store::kept::{Kept, TableNames, committed};
use crate::store::tests::{database, open};

/// Number of open items by kind and app.
type Open = BTreeMap<(DeliveryKind, AppId), u32>;

/// Returns a confirmation that is created `ms` after [`NOW`], for an app of three.
fn new_at(n: u16, ms: u64) -> Confirmation {
    let at = NOW.plus(Duration::from_millis(ms));
    let item = new(n);
    Confirmation {
        app: app_id(["demo", "shop", "bank"][usize::from(n % 3)]),
        created_at: at,
        expires_at: at.plus(Duration::from_millis(40 + u64::from(n % 7) * 20)),
        purge_at: at.plus(Duration::from_hours(24)),
        ..item
    }
}

async fn create_at(store: &EmbeddedStore, n: u16, ms: u64) {
    let now = NOW.plus(Duration::from_millis(ms));
    let new = new_at(n, ms);
    let created = ConfirmationStore::create_within(store, new, within(60_000), now);
    created.await.unwrap();
}

/// Returns the number of open items of each app by reading all records.
pub(super) fn expected(store: &EmbeddedStore, now: Timestamp) -> Open {
    let mut open = Open::new();
    add_records::<Confirmation>(store, now, &mut open);
    add_records::<Login>(store, now, &mut open);
    open
}

fn add_records<T: Kept>(store: &EmbeddedStore, now: Timestamp, open: &mut Open) {
    let transaction = database(store).begin_read().unwrap();
    let records = transaction.open_table(TableNames::of(T::KIND).records);
    for entry in records.unwrap().iter().unwrap() {
        let id = T::id(entry.unwrap().0.value());
        let item = committed::<T>(&transaction, id).unwrap().unwrap();
        if item.open_until().is_some_and(|end| end > now) {
            *open.entry((T::KIND, item.app().clone())).or_default() += 1;
        }
    }
}

/// Returns the count of the store in the same form.
pub(super) fn counted(store: &EmbeddedStore, now: Timestamp) -> Open {
    let mut open = Open::new();
    for kind in DeliveryKind::ALL {
        for app in ["demo", "shop", "bank"] {
            let app = app_id(app);
            let mut usage = store.writer.counting().usage().locked();
            match usage.tally.counted(kind).count(&app, now) {
                0 => {}
                count => assert_eq!(open.insert((kind, app), count), None),
            }
        }
    }
    open
}

/// Makes a random change at a time.
async fn change(store: &EmbeddedStore, luck: &mut Chance, next: &mut u16, ms: u64) {
    let now = NOW.plus(Duration::from_millis(ms));
    let demo = app_id("demo");
    let some = u16::try_from(luck.below(u64::from(*next) + 1)).unwrap();
    let login = u8::try_from(some % 250).unwrap();
    match luck.below(8) {
        0..3 => {
            *next += 1;
            let created = create_at(store, *next, ms);
            created.await;
        }
        3 => {
            let text = text(1);
            let verified = store.verify(new(some).id, &text, now, RETENTION);
            verified.await.unwrap();
        }
        4 => {
            let item = new_at(some, ms);
            let cancelled = ConfirmationStore::cancel(store, item.id, &item.app, now);
            cancelled.await.unwrap();
        }
        5 => {
            let created = LoginStore::create_within(store, new_login(login), within(60_000), NOW);
            created.await.unwrap();
        }
        6 => {
            let opened = store.initiate(new_login(login).id, &demo, phone(1, &[], NOW), NOW);
            opened.await.unwrap();
        }
        _ => {
            let browser = new_login(login).browser_token;
            let cancelled = LoginStore::cancel(store, new_login(login).id, &browser, NOW);
            cancelled.await.unwrap();
        }
    }
}

/// Batches of one and of many operations are committed between any two steps of a count, whatever the
/// size of its pieces.
#[tokio::test]
async fn count_is_exact_while_items_begin_end_and_expire() {
    for seed in 0..120 {
        let mut luck = Chance::of(seed);
        let disk = Disk::default();
        let store = open(&disk);
        let (mut next, mut ms) = (0, 0);
        for _ in 0..luck.below(40) {
            change(&store, &mut luck, &mut next, ms).await;
            ms += luck.below(8);
        }
        drop(store);
        let store = open(&disk);
        let now = NOW.plus(Duration::from_millis(ms));
        let piece = usize::try_from(1 + luck.below(6)).unwrap();
        let mut count = by_hand(&store, now, piece);
        // Only the first steps are disturbed: pieces of one entry would never catch up with new items.
        for step in 0.. {
            if step >= 24 {
                finish(count);
                break;
            }
            for _ in 0..luck.below(4) {
                change(&store, &mut luck, &mut next, ms).await;
                ms += luck.below(8);
            }
            if step % 3 == 0 {
                let before = next;
                next += 4;
                let created = (before + 1..=next).map(|n| create_at(&store, n, ms));
                join_all(created).await;
            }
            if count.step() == Step::Ended {
                break;
            }
        }
        for _ in 0..luck.below(10) {
            change(&store, &mut luck, &mut next, ms).await;
            ms += luck.below(8);
        }
        assert!(is_counted(&store));
        let now = NOW.plus(Duration::from_millis(ms));
        assert_eq!(counted(&store, now), expected(&store, now), "seed {seed}");
    }
}

/// The count takes a snapshot after an operation of a batch, but before its commit.
#[tokio::test]
async fn change_counts_once_if_a_snapshot_or_a_piece_comes_before_its_commit() {
    for steps in [0, 1, 2, 3] {
        for late in [1, 2, 3, 4] {
            let store = open(&Disk::default());
            for n in 0..2 {
                begin(&store, n, Allowance::Unlimited).await;
            }
            let mut count = by_hand(&store, NOW, 1);
            for _ in 0..steps {
                count.step();
            }
            let (mut within_batch, item) = (Some(count), new(2));
            let count = store.write("test", move |batch| {
                let keys = new(0).keys();
                let mut ended = new(0);
                ended.state = State::Cancelled { at: NOW };
                batch.put(Some(keys), &ended)?;
                batch.put(None, &item)?;
                let mut count = within_batch.take().unwrap();
                for _ in 0..late {
                    count.step();
                }
                Ok(count)
            });
            finish(count.await.unwrap());
            assert!(is_counted(&store));
            assert_eq!(
                counted(&store, NOW),
                expected(&store, NOW),
                "{steps}, {late}"
            );
        }
    }
}
