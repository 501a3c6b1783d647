//! Tests of batches: callers share a flush, and a failure reaches exactly the callers that it concerns.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use countersign_conformance::all_due;
use countersign_conformance::samples::{NOW, RETENTION, acquisition, app_id, id, settled, text};
use countersign_domain::confirmation::store::ConfirmationStore;
use countersign_domain::confirmation::transitions::{
    CancelOutcome, CreateOutcome, RedeliverOutcome, VerifyOutcome,
};
use countersign_domain::delivery::store::DeliveryStore as _;
use countersign_domain::delivery::transitions::Owes as _;
use countersign_domain::delivery::{CLAIM_LEASE, ClaimOutcome, Settlement};
use tokio::task::JoinHandle;

use super::disk::Disk;
use super::{assert_indexes_fit, claimed, created, database, found, open, spoil, verified};
use crate::store::EmbeddedStore;

/// Time after which a waiting test fails.
const HANGS: Duration = Duration::from_mins(1);

/// Starts to create an item, and waits until its flush is blocked by the disk.
async fn hold_by_creating(store: &Arc<EmbeddedStore>, disk: &Disk, n: u8) -> JoinHandle<()> {
    disk.hold();
    let task = tokio::spawn({
        let store = Arc::clone(store);
        async move {
            created(&store, n).await;
        }
    });
    tokio::task::spawn_blocking({
        let disk = disk.clone();
        move || disk.until_held()
    })
    .await
    .unwrap();
    task
}

/// Waits until this many operations are queued for the writer.
async fn until_waiting(store: &EmbeddedStore, count: usize) {
    let waiting = async {
        while store.writer.waiting() < count {
            tokio::task::yield_now().await;
        }
    };
    let waited = tokio::time::timeout(HANGS, waiting).await;
    waited.expect("too few operations were queued");
}

#[tokio::test]
async fn waiting_callers_share_a_flush() {
    let disk = Disk::default();
    let store = Arc::new(open(&disk));
    let first = hold_by_creating(&store, &disk, 0).await;
    let mut callers = Vec::new();
    for n in 1..64 {
        let store = Arc::clone(&store);
        callers.push(tokio::spawn(async move { created(&store, n).await }));
    }
    until_waiting(&store, 63).await;
    let (before, syncs) = (store.write_counts(), disk.syncs());
    disk.release();
    first.await.unwrap();
    for caller in callers {
        caller.await.unwrap();
    }
    let after = store.write_counts();
    assert_eq!(after.operations - before.operations, 63);
    assert_eq!(after.batches - before.batches, 1);
    assert_eq!(after.flushes, before.flushes + 2);
    assert_eq!(disk.syncs() - syncs, 2);
}

#[tokio::test]
async fn write_is_answered_and_visible_only_once_flushed() {
    let disk = Disk::default();
    let store = Arc::new(open(&disk));
    let task = hold_by_creating(&store, &disk, 1).await;
    assert!(!task.is_finished());
    // Readers do not see it either, since it could still be lost.
    assert_eq!(store.find(id(1), NOW).await.unwrap(), None);
    disk.release();
    task.await.unwrap();
    found(&store, id(1)).await;
}

#[tokio::test]
async fn refusals_need_no_flush() {
    let disk = Disk::default();
    let store = open(&disk);
    let item = created(&store, 1).await;
    let syncs = disk.syncs();
    for _ in 0..3 {
        let outcome = store.create(item.clone(), NOW).await.unwrap();
        assert!(matches!(outcome, CreateOutcome::Exists(_)));
        let outcome = store.cancel(item.id, &app_id("other"), NOW).await;
        assert_eq!(outcome.unwrap(), CancelOutcome::Unknown);
        assert_eq!(
            store.claim(item.id.into(), 0, NOW).await.unwrap(),
            ClaimOutcome::Stale
        );
    }
    assert_eq!(disk.syncs(), syncs);
}

#[tokio::test]
async fn claims_and_reads_need_no_flush() {
    let disk = Disk::default();
    let store = Arc::new(open(&disk));
    let item = verified(&store, 1).await;
    let syncs = disk.syncs();
    let task = hold_by_creating(&store, &disk, 2).await;
    // These would hang if they waited for the disk.
    let outcome = store.claim(item.id.into(), 0, NOW).await.unwrap();
    assert!(matches!(outcome, ClaimOutcome::Claimed(_)));
    assert_eq!(
        found(&store, item.id)
            .await
            .verified()
            .unwrap()
            .delivery
            .attempts_claimed,
        1
    );
    assert_eq!(
        store.claim(item.id.into(), 0, NOW).await.unwrap(),
        ClaimOutcome::Stale
    );
    assert_eq!(
        all_due::deliveries(&*store, NOW.plus(RETENTION))
            .await
            .unwrap()
            .len(),
        1
    );
    assert_eq!(disk.syncs(), syncs);
    disk.release();
    task.await.unwrap();
    assert_eq!(disk.syncs(), syncs + 1);
}

#[tokio::test]
async fn claim_waits_for_a_write_of_the_same_item() {
    let disk = Disk::default();
    let store = Arc::new(open(&disk));
    let item = claimed(&store, 1).await;
    let over = NOW.plus(CLAIM_LEASE);
    // A redelivery is being flushed when a dispatcher claims the attempt that it replaces.
    disk.hold();
    let redelivery = tokio::spawn({
        let store = Arc::clone(&store);
        async move {
            store
                .redeliver(item.id, &app_id("demo"), over, RETENTION)
                .await
        }
    });
    let held = disk.clone();
    tokio::task::spawn_blocking(move || held.until_held())
        .await
        .unwrap();
    let claim = tokio::spawn({
        let store = Arc::clone(&store);
        async move { store.claim(item.id.into(), 1, over).await }
    });
    until_waiting(&store, 1).await;
    assert!(!claim.is_finished());
    disk.release();
    let redelivered = redelivery.await.unwrap().unwrap();
    assert!(matches!(redelivered, RedeliverOutcome::Owed { .. }));
    let ClaimOutcome::Claimed(claimed) = claim.await.unwrap().unwrap() else {
        panic!("the redelivered attempt cannot be claimed");
    };
    let delivery = &claimed.delivery;
    assert_eq!((delivery.attempts_claimed, delivery.round_began_at), (2, 1));
    let stored = found(&store, item.id).await;
    assert_eq!(stored.claimed(), Some(*claimed));
    // The attempt can be settled, because the claim came after the write.
    let attempt = settled(2, 200, Settlement::Delivered);
    store
        .settle(item.id.into(), attempt, over, RETENTION)
        .await
        .unwrap();
    assert!(
        !found(&store, item.id)
            .await
            .verified()
            .unwrap()
            .delivery
            .is_pending()
    );
}

#[tokio::test]
async fn damaged_record_fails_only_its_own_operation() {
    let disk = Disk::default();
    let store = Arc::new(open(&disk));
    let (bad, good) = (created(&store, 1).await, created(&store, 2).await);
    spoil(&database(&store), bad.id);
    let task = hold_by_creating(&store, &disk, 3).await;
    let verify = |id| {
        let store = Arc::clone(&store);
        tokio::spawn(async move { store.verify(id, &text(1), NOW, RETENTION).await })
    };
    let callers = [verify(bad.id), verify(good.id)];
    until_waiting(&store, 2).await;
    disk.release();
    task.await.unwrap();
    let [bad_outcome, good_outcome] = callers;
    let error = bad_outcome.await.unwrap().unwrap_err();
    assert_eq!(error.what(), "confirmation store: verify");
    let good_outcome = good_outcome.await.unwrap().unwrap();
    assert!(matches!(good_outcome, VerifyOutcome::Verified { .. }));
    assert!(store.find(bad.id, NOW).await.is_err());
    assert!(store.claim(bad.id.into(), 0, NOW).await.is_err());
    found(&store, good.id).await;
}

#[tokio::test]
async fn failed_flush_fails_every_caller_of_the_batch() {
    let disk = Disk::default();
    let store = Arc::new(open(&disk));
    let owed = verified(&store, 1).await;
    let task = hold_by_creating(&store, &disk, 2).await;
    let mut callers = Vec::new();
    for n in 3..8 {
        let store = Arc::clone(&store);
        callers.push(tokio::spawn(async move {
            store.create(acquisition(n), NOW).await.is_err()
        }));
    }
    until_waiting(&store, 5).await;
    disk.break_down(io::ErrorKind::StorageFull);
    disk.release();
    assert!(task.await.is_err(), "the create was answered");
    for caller in callers {
        assert!(caller.await.unwrap());
    }
    // Later writes fail as well. Claims fail too, since their attempts could not be settled.
    assert!(store.create(acquisition(9), NOW).await.is_err());
    assert!(store.claim(owed.id.into(), 0, NOW).await.is_err());
    store.close();
    // A restart finds everything that was acknowledged before.
    let again = open(&disk.after_kill());
    assert_eq!(found(&again, owed.id).await, owed);
    assert_indexes_fit(&database(&again));
}

#[tokio::test]
async fn cancelled_caller_does_not_disturb_the_batch() {
    let disk = Disk::default();
    let store = Arc::new(open(&disk));
    let task = hold_by_creating(&store, &disk, 1).await;
    let gone = tokio::spawn({
        let store = Arc::clone(&store);
        async move { store.create(acquisition(2), NOW).await }
    });
    until_waiting(&store, 1).await;
    gone.abort();
    assert!(gone.await.unwrap_err().is_cancelled());
    disk.release();
    task.await.unwrap();
    created(&store, 3).await;
    found(&store, id(2)).await;
}
