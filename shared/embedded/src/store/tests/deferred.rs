//! Tests that deferred operations share the flush of others, and are never forgotten.

use std::sync::Arc;
use std::time::Duration;

use countersign_conformance::samples::{NOW, RETENTION, settled};
use countersign_domain::confirmation::Confirmation;
use countersign_domain::delivery::store::DeliveryStore as _;
use countersign_domain::delivery::transitions::{DeliveryTransition as _, Owes as _, Settle};
use countersign_domain::delivery::{Progress, SettleOutcome, Settlement};
use futures_util::FutureExt as _;
use tokio::time::Instant;

use super::disk::Disk;
use super::{claimed, created, found, open};
use crate::store::EmbeddedStore;
use crate::store::batch::Batch;
use crate::store::deferred::{ENOUGH, MAX_DEFERRAL};
use crate::store::fault::Fault;

type Answered = tokio::sync::oneshot::Receiver<Result<SettleOutcome, Fault>>;

/// Defers the settlement of an item's attempt, without the time limit.
fn defer(store: &EmbeddedStore, item: &Confirmation) -> Answered {
    let settle = Settle {
        settled: settled(1, 200, Settlement::Delivered),
        now: NOW,
        retention: RETENTION,
    };
    let id = item.id;
    let (_, answered) = store
        .writer
        .defer(move |batch| batch.decide::<Confirmation, _>(id, |current| settle.decide(current)));
    answered
}

fn is_delivered(item: &Confirmation) -> bool {
    let delivery = item.delivery().expect("a delivery");
    matches!(delivery.progress, Progress::Delivered { .. })
}

#[tokio::test]
async fn deferred_operations_share_the_flush_of_the_next_write() {
    let disk = Disk::default();
    let store = open(&disk);
    let items = [claimed(&store, 1).await, claimed(&store, 2).await];
    let syncs = disk.syncs();
    let answers = items.each_ref().map(|item| defer(&store, item));
    assert_eq!(disk.syncs(), syncs);
    assert!(!is_delivered(&found(&store, items[0].id).await));
    created(&store, 3).await;
    for (item, answered) in items.iter().zip(answers) {
        let outcome = answered.await.unwrap();
        assert!(matches!(outcome, Ok(SettleOutcome::Settled { .. })));
        assert!(is_delivered(&found(&store, item.id).await));
    }
    assert_eq!(disk.syncs(), syncs + 1);
}

/// The paused clock advances only for timers.
#[tokio::test(start_paused = true)]
async fn settlement_without_other_writes_is_written_after_the_longest_deferral() {
    let disk = Disk::default();
    let store = open(&disk);
    let item = claimed(&store, 1).await;
    let (syncs, began) = (disk.syncs(), Instant::now());
    let attempt = settled(1, 200, Settlement::Delivered);
    let outcome = store.settle(item.id.into(), attempt, NOW, RETENTION).await;
    assert!(matches!(outcome, Ok(SettleOutcome::Settled { .. })));
    assert!(began.elapsed() >= MAX_DEFERRAL);
    assert_eq!(disk.syncs(), syncs + 1);
}

#[tokio::test(start_paused = true)]
async fn enough_settlements_do_not_wait() {
    let disk = Disk::default();
    let store = open(&disk);
    let (mut deferred, mut items) = (Vec::new(), Vec::new());
    for n in 1..=u8::try_from(ENOUGH).unwrap() {
        items.push(claimed(&store, n).await);
    }
    let (syncs, began) = (disk.syncs(), Instant::now());
    let last = items.pop().unwrap();
    for item in &items {
        deferred.push(defer(&store, item));
    }
    let attempt = settled(1, 200, Settlement::Delivered);
    let outcome = store.settle(last.id.into(), attempt, NOW, RETENTION).await;
    assert!(matches!(outcome, Ok(SettleOutcome::Settled { .. })));
    for answered in deferred {
        assert!(answered.await.unwrap().is_ok());
    }
    assert_eq!(began.elapsed(), Duration::ZERO);
    assert_eq!(disk.syncs(), syncs + 1);
}

#[tokio::test]
async fn deferred_operation_is_written_before_the_store_closes() {
    let disk = Disk::default();
    let store = open(&disk);
    let item = claimed(&store, 1).await;
    let answered = defer(&store, &item);
    store.close();
    assert!(answered.await.unwrap().is_ok());
    drop(store);
    assert!(is_delivered(&found(&open(&disk), item.id).await));
}

#[tokio::test(start_paused = true)]
async fn operation_that_the_last_batch_has_joined_is_not_reported_as_refused() {
    let disk = Disk::default();
    let store = Arc::new(open(&disk));
    let (has_begun, began) = std::sync::mpsc::channel();
    let (end, may_end) = std::sync::mpsc::channel();
    let operation = move |_: &mut Batch<'_>| {
        has_begun.send(()).unwrap();
        may_end.recv().unwrap();
        Ok(())
    };
    let mut deferred = Box::pin(store.writer.write_deferred("settle", operation));
    assert!((&mut deferred).now_or_never().is_none());
    let mut first = Box::pin(store.writer.write("create", |_| Ok(())));
    assert!((&mut first).now_or_never().is_none());
    began.recv().unwrap();
    let closed = Arc::clone(&store);
    let closing = std::thread::spawn(move || closed.close());
    while store
        .writer
        .write("create", |_| Ok(()))
        .now_or_never()
        .is_none()
    {
        std::thread::yield_now();
    }
    tokio::time::advance(MAX_DEFERRAL).await;
    // The queue is closed, so there is no room in it: the batch alone knows the outcome.
    assert!((&mut deferred).now_or_never().is_none());
    end.send(()).unwrap();
    closing.join().unwrap();
    assert!(deferred.await.is_ok());
    assert!(first.await.is_ok());
}
