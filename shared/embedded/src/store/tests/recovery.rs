//! Tests that the store recovers from a failed write on its own once writes work again.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use countersign_conformance::chance::Chance;
use countersign_conformance::samples::{
    NOW, RETENTION, acquisition, app, app_id, id, key, settled, text,
};
use countersign_domain::app::store::{AppStore, KeyLookup};
use countersign_domain::confirmation::store::ConfirmationStore;
use countersign_domain::confirmation::transitions::{CreateOutcome, VerifyOutcome};
use countersign_domain::delivery::store::DeliveryStore as _;
use countersign_domain::delivery::{ClaimOutcome, SettleOutcome, Settlement};

use super::disk::Disk;
use super::{assert_indexes_fit, created, database, found, open, verified};
use crate::store::EmbeddedStore;

/// Time after which a waiting test fails.
const HANGS: Duration = Duration::from_mins(1);

/// Waits until a condition holds.
pub(super) async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let waiting = async {
        while !holds() {
            tokio::task::yield_now().await;
        }
    };
    let waited = tokio::time::timeout(HANGS, waiting).await;
    waited.unwrap_or_else(|_| panic!("timed out waiting until {what}"));
}

async fn until_written(store: &EmbeddedStore) {
    until("writes work again", || store.is_writable()).await;
}

#[tokio::test]
async fn writes_recover_without_a_restart() {
    for trouble in [io::ErrorKind::StorageFull, io::ErrorKind::Other] {
        let disk = Disk::default();
        let store = open(&disk);
        store.create_app(app("demo")).await.unwrap();
        store.issue_key(&app_id("demo"), key(1)).await.unwrap();
        let owed = verified(&store, 1).await;
        assert!(store.is_writable());

        disk.break_down(trouble);
        for n in 2..5 {
            assert!(store.create(acquisition(n), NOW).await.is_err());
            assert!(!store.is_writable());
        }
        disk.mend();
        until_written(&store).await;

        // No acknowledged write is lost, and all operations work.
        assert_eq!(found(&store, owed.id).await, owed);
        let lookup = store.lookup_key(&key(1).hash).await.unwrap();
        assert!(matches!(lookup, KeyLookup::Active(_)), "{lookup:?}");
        for n in 2..5 {
            // A failed write may have reached the disk nevertheless.
            let outcome = store.create(acquisition(n), NOW).await.unwrap();
            let known = matches!(outcome, CreateOutcome::Created | CreateOutcome::Exists(_));
            assert!(known, "{outcome:?}");
            let outcome = store.verify(id(n), &text(1), NOW, RETENTION).await;
            assert!(matches!(outcome.unwrap(), VerifyOutcome::Verified { .. }));
        }
        assert_indexes_fit(&database(&store));
        store.close();
        assert_eq!(found(&open(&disk), owed.id).await, owed);
    }
}

/// The system keeps what a failed flush did not write, and answers reads with it for a while.
#[tokio::test]
async fn what_a_failed_flush_lost_is_not_built_upon() {
    let mut luck = Chance::of(5);
    for round in 0..8 {
        let disk = Disk::default();
        let store = open(&disk);
        for n in 0..round {
            created(&store, n).await;
        }
        let before = created(&store, 100).await;
        disk.lose_next_sync();
        assert!(store.create(acquisition(101), NOW).await.is_err());
        until_written(&store).await;
        let after = created(&store, 102).await;
        assert_eq!(store.find(id(101), NOW).await.unwrap(), None);

        let restarted = open(&disk.after_power_loss(&mut luck));
        for item in [before, after] {
            assert_eq!(found(&restarted, item.id).await, item);
        }
        assert_indexes_fit(&database(&restarted));
    }
}

#[tokio::test]
async fn reads_continue_while_writes_fail() {
    let disk = Disk::default();
    let store = open(&disk);
    for n in 0..200 {
        created(&store, n).await;
    }
    disk.break_down(io::ErrorKind::StorageFull);
    assert!(store.create(acquisition(201), NOW).await.is_err());
    let read = async {
        // Reads fail while the file is being reopened.
        while store.find(id(7), NOW).await.is_err() {
            tokio::task::yield_now().await;
        }
    };
    let read = tokio::time::timeout(HANGS, read).await;
    assert!(read.is_ok(), "no read succeeded after the failure");
    assert!(!store.is_writable());
}

/// The probe file can be written, but the database cannot.
#[tokio::test]
async fn working_probe_alone_does_not_end_the_recovery() {
    let disk = Disk::default();
    let store = open(&disk);
    disk.lie();
    disk.break_down(io::ErrorKind::Other);
    assert!(store.create(acquisition(1), NOW).await.is_err());
    let opened = disk.opened();
    until("it is opened again", || disk.opened() > opened).await;
    assert!(!store.is_writable());
    disk.mend();
    until_written(&store).await;
    created(&store, 2).await;
}

/// Reopening may take long, because it reads the whole file.
#[tokio::test]
async fn callers_are_refused_while_the_file_is_reopened() {
    let disk = Disk::default();
    let store = open(&disk);
    let opened = disk.opened();
    disk.break_down(io::ErrorKind::StorageFull);
    disk.hold_opening();
    assert!(store.create(acquisition(1), NOW).await.is_err());
    until("it is opened again", || disk.opened() > opened).await;
    for n in 2..5 {
        let refused = tokio::time::timeout(HANGS / 2, store.create(acquisition(n), NOW)).await;
        assert!(refused.expect("the call hangs").is_err());
    }
    disk.mend();
    disk.release_opening();
    until_written(&store).await;
    created(&store, 6).await;
}

#[tokio::test]
async fn claim_survives_a_failed_write() {
    let disk = Disk::default();
    let store = open(&disk);
    let owed = verified(&store, 1).await;
    let claim = store.claim(owed.id.into(), 0, NOW).await.unwrap();
    assert!(matches!(claim, ClaimOutcome::Claimed(_)));
    disk.break_down(io::ErrorKind::StorageFull);
    let attempt = || settled(1, 200, Settlement::Delivered);
    let settle = store
        .settle(owed.id.into(), attempt(), NOW, RETENTION)
        .await;
    assert!(settle.is_err());
    assert!(store.claim(owed.id.into(), 1, NOW).await.is_err());
    disk.mend();
    until_written(&store).await;
    // The attempt is still claimed by this process, so it is not made a second time.
    let claim = store.claim(owed.id.into(), 0, NOW).await.unwrap();
    assert_eq!(claim, ClaimOutcome::Stale);
    let settle = store
        .settle(owed.id.into(), attempt(), NOW, RETENTION)
        .await;
    let settle = settle.unwrap();
    let settled = matches!(
        settle,
        SettleOutcome::Settled { .. } | SettleOutcome::Superseded
    );
    assert!(settled, "{settle:?}");
    let item = found(&store, owed.id).await;
    assert!(!item.verified().unwrap().delivery.is_pending());
}

#[tokio::test]
async fn store_closes_during_a_recovery() {
    let disk = Disk::default();
    let store = Arc::new(open(&disk));
    disk.break_down(io::ErrorKind::Other);
    assert!(store.create(acquisition(1), NOW).await.is_err());
    let closing = tokio::task::spawn_blocking({
        let store = Arc::clone(&store);
        move || store.close()
    });
    let closed = tokio::time::timeout(HANGS, closing).await;
    closed.expect("closing hangs").unwrap();
    assert!(store.find(id(1), NOW).await.is_err());
}
