//! Tests that quotas hold for concurrent requests and across restarts.

use std::num::NonZeroU32;
use std::time::Duration;

use countersign_conformance::samples::logins::{new_login, phone};
use countersign_conformance::samples::{NOW, RETENTION, acquisition, app_id, text};
use countersign_domain::app::quota::{Allowance, Quota, QuotaExceeded, QuotaLimit};
use countersign_domain::confirmation::Confirmation;
use countersign_domain::confirmation::store::ConfirmationStore;
use countersign_domain::confirmation::transitions::CreateOutcome;
use countersign_domain::login::store::LoginStore;
use countersign_domain::login::transitions::CreateOutcome as LoginOutcome;
use countersign_domain::primitives::time::Timestamp;
use futures_util::future::join_all;

use super::{Disk, EmbeddedStore, damage_number};
use crate::store::tables::MAX_OPEN;

/// Opens a store and counts its open items.
fn open_at(disk: &Disk, now: Timestamp) -> EmbeddedStore {
    let store = super::open(disk);
    store.count_open(now).unwrap();
    store
}

fn open(disk: &Disk) -> EmbeddedStore {
    open_at(disk, NOW)
}

fn within(burst: u32, max_open: u32) -> Allowance {
    let number = |n| NonZeroU32::new(n).unwrap();
    Allowance::Within(Quota {
        per_minute: number(60),
        burst: number(burst),
        max_open: number(max_open),
    })
}

async fn begin_at(
    store: &EmbeddedStore,
    new: Confirmation,
    allowance: Allowance,
    now: Timestamp,
) -> CreateOutcome {
    let created = ConfirmationStore::create_within(store, new, allowance, now).await;
    created.unwrap()
}

async fn begin(store: &EmbeddedStore, n: u8, allowance: Allowance) -> CreateOutcome {
    begin_at(store, acquisition(n), allowance, NOW).await
}

async fn log_in(store: &EmbeddedStore, n: u8, allowance: Allowance) -> LoginOutcome {
    let created = LoginStore::create_within(store, new_login(n), allowance, NOW).await;
    created.unwrap()
}

fn exceeded(outcome: &CreateOutcome) -> Option<QuotaLimit> {
    match outcome {
        CreateOutcome::Exceeded(QuotaExceeded { limit, .. }) => Some(*limit),
        CreateOutcome::Created | CreateOutcome::Exists(_) => None,
    }
}

async fn is_full(store: &EmbeddedStore, allowance: Allowance) -> bool {
    exceeded(&begin(store, 250, allowance).await) == Some(QuotaLimit::Open)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_starts_stop_at_the_open_limit() {
    let store = open(&Disk::default());
    let allowance = within(1_000, 10);
    let begun = join_all((0..64).map(|n| begin(&store, n, allowance))).await;
    let count = |is: fn(&CreateOutcome) -> bool| begun.iter().filter(|o| is(o)).count();
    assert_eq!(count(|o| *o == CreateOutcome::Created), 10);
    assert_eq!(count(|o| exceeded(o) == Some(QuotaLimit::Open)), 54);

    let begun = join_all((0..64).map(|n| log_in(&store, n, allowance))).await;
    let created = begun.iter().filter(|o| **o == LoginOutcome::Created);
    assert_eq!(created.count(), 10);

    let other = Confirmation {
        app: app_id("other"),
        ..acquisition(200)
    };
    let outcome = begin_at(&store, other, allowance, NOW).await;
    assert_eq!(outcome, CreateOutcome::Created, "another app");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_starts_stop_at_the_burst() {
    let store = open(&Disk::default());
    let allowance = within(10, 1_000);
    let begun = join_all((0..64).map(|n| begin(&store, n, allowance))).await;
    let refused = begun.iter().filter_map(exceeded);
    assert_eq!(refused.filter(|l| *l == QuotaLimit::Rate).count(), 54);
    let later = NOW.plus(Duration::from_secs(1));
    let one = begin_at(&store, acquisition(100), allowance, later).await;
    assert_eq!(one, CreateOutcome::Created);
    let another = begin_at(&store, acquisition(101), allowance, later).await;
    let wait = QuotaExceeded {
        limit: QuotaLimit::Rate,
        retry_after: Duration::from_secs(1),
    };
    assert_eq!(another, CreateOutcome::Exceeded(wait));
}

#[tokio::test]
async fn replay_is_neither_counted_nor_refused() {
    let store = open(&Disk::default());
    let allowance = within(2, 2);
    for n in 0..2 {
        assert_eq!(begin(&store, n, allowance).await, CreateOutcome::Created);
        for _ in 0..5 {
            let again = begin(&store, n, allowance).await;
            assert!(matches!(again, CreateOutcome::Exists(_)));
        }
    }
    assert_eq!(
        exceeded(&begin(&store, 2, allowance).await),
        Some(QuotaLimit::Rate)
    );
}

#[tokio::test]
async fn ended_confirmations_make_room() {
    let store = open(&Disk::default());
    let allowance = within(1_000, 3);
    for n in 0..3 {
        assert_eq!(begin(&store, n, allowance).await, CreateOutcome::Created);
    }
    assert!(is_full(&store, allowance).await);
    let text = text(1);
    let verified = store.verify(acquisition(0).id, &text, NOW, RETENTION);
    verified.await.unwrap();
    assert_eq!(begin(&store, 3, allowance).await, CreateOutcome::Created);
    assert!(is_full(&store, allowance).await);
    let demo = app_id("demo");
    let cancelled = ConfirmationStore::cancel(&store, acquisition(1).id, &demo, NOW);
    cancelled.await.unwrap();
    assert_eq!(begin(&store, 4, allowance).await, CreateOutcome::Created);
    assert!(is_full(&store, allowance).await);

    let end = acquisition(0).expires_at;
    let just_before = Timestamp::from_millis(end.as_millis() - 1);
    let early = begin_at(&store, acquisition(5), allowance, just_before).await;
    assert_eq!(exceeded(&early), Some(QuotaLimit::Open));
    for n in 5..8 {
        let mut new = acquisition(n);
        new.expires_at = end.plus(Duration::from_mins(5));
        let outcome = begin_at(&store, new, allowance, end).await;
        assert_eq!(outcome, CreateOutcome::Created, "the others have expired");
    }
}

#[tokio::test]
async fn login_counts_until_it_ends() {
    let store = open(&Disk::default());
    let allowance = within(1_000, 1);
    let begin = |n| log_in(&store, n, allowance);
    assert_eq!(begin(1).await, LoginOutcome::Created);
    let demo = app_id("demo");
    let opened = store.initiate(new_login(1).id, &demo, phone(1, &[], NOW), NOW);
    opened.await.unwrap();
    assert!(matches!(begin(2).await, LoginOutcome::Exceeded(_)));
    let browser = new_login(1).browser_token;
    let cancelled = LoginStore::cancel(&store, new_login(1).id, &browser, NOW);
    cancelled.await.unwrap();
    assert_eq!(begin(2).await, LoginOutcome::Created);
}

/// Open items are counted from the file, whether or not the previous process enforced quotas.
#[tokio::test]
async fn open_items_are_counted_after_a_restart() {
    for before in [Allowance::Unlimited, within(1_000, 100)] {
        let disk = Disk::default();
        let store = open(&disk);
        for n in 0..4 {
            assert_eq!(begin(&store, n, before).await, CreateOutcome::Created);
            assert_eq!(log_in(&store, n, before).await, LoginOutcome::Created);
        }
        let demo = app_id("demo");
        let cancelled = ConfirmationStore::cancel(&store, acquisition(0).id, &demo, NOW);
        cancelled.await.unwrap();
        let opened = store.initiate(new_login(1).id, &demo, phone(1, &[], NOW), NOW);
        opened.await.unwrap();
        drop(store);

        let store = open(&disk);
        assert!(is_full(&store, within(1_000, 3)).await);
        let four = within(1_000, 4);
        let login = log_in(&store, 9, four).await;
        assert!(matches!(login, LoginOutcome::Exceeded(_)));
        assert_eq!(begin(&store, 9, four).await, CreateOutcome::Created);
        assert!(is_full(&store, four).await);
        drop(store);

        let store = open(&disk);
        assert!(is_full(&store, four).await);
        let end = acquisition(0).expires_at;
        let mut new = acquisition(10);
        new.expires_at = end.plus(Duration::from_mins(5));
        let later = begin_at(&store, new, within(1_000, 1), end).await;
        assert_eq!(later, CreateOutcome::Created, "all have expired");
    }
}

/// A confirmation with a validity of a day is found although most have one of minutes.
#[tokio::test]
async fn long_validity_is_counted_after_a_restart() {
    let disk = Disk::default();
    let store = open(&disk);
    let mut long = acquisition(1);
    long.expires_at = NOW.plus(Duration::from_hours(24));
    let outcome = begin_at(&store, long, within(9, 9), NOW).await;
    assert_eq!(outcome, CreateOutcome::Created);
    for start in 0..4 {
        let later = NOW.plus(Duration::from_hours(23));
        drop(open_at(&disk, later));
        if start == 3 {
            damage_number(&super::open(&disk), MAX_OPEN, 1);
        }
        let store = open_at(&disk, later);
        let mut new = acquisition(100 + start);
        new.created_at = later;
        new.expires_at = later.plus(Duration::from_mins(5));
        new.purge_at = later.plus(Duration::from_hours(24));
        let outcome = begin_at(&store, new, within(9, 1), later).await;
        assert_eq!(exceeded(&outcome), Some(QuotaLimit::Open), "{start}");
    }
}
