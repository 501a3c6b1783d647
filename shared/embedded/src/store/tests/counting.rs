//! Tests that open items are counted exactly while batches change them, and that nobody waits for the
//! count.

mod exact;

use std::io;
use std::num::NonZeroU32;

use countersign_conformance::samples::{NOW, acquisition};
use countersign_domain::app::quota::{Allowance, Quota, QuotaExceeded, QuotaLimit};
use countersign_domain::confirmation::Confirmation;
use countersign_domain::confirmation::store::ConfirmationStore;
use countersign_domain::confirmation::transitions::CreateOutcome;
use countersign_domain::primitives::ids::ConfirmationId;
use countersign_domain::primitives::time::Timestamp;
use futures_util::future::join_all;

use super::disk::Disk;
use super::recovery::until;
use super::{EmbeddedStore, database, open, spoil};
use crate::store::counting::{Count, Step};
use crate::store::fault::Fault;
use exact::{counted, expected};

fn within(max_open: u32) -> Allowance {
    let number = |n| NonZeroU32::new(n).unwrap();
    Allowance::Within(Quota {
        per_minute: number(60_000),
        burst: number(60_000),
        max_open: number(max_open),
    })
}

/// Returns one of 65,536 new confirmations.
fn new(n: u16) -> Confirmation {
    let mut id = [0; 16];
    // Neighbours are far apart in the table, as random ids are.
    id[..2].copy_from_slice(&n.wrapping_mul(40_503).to_be_bytes());
    Confirmation {
        id: ConfirmationId::from_bytes(id),
        ..acquisition(0)
    }
}

async fn begin(store: &EmbeddedStore, n: u16, allowance: Allowance) -> CreateOutcome {
    let created = store.create_within(new(n), allowance, NOW).await;
    created.unwrap()
}

fn is_full(outcome: &CreateOutcome) -> bool {
    let limit = QuotaLimit::Open;
    matches!(outcome, CreateOutcome::Exceeded(QuotaExceeded { limit: found, .. }) if *found == limit)
}

fn is_counted(store: &EmbeddedStore) -> bool {
    store.writer.counting().usage().locked().tally.is_complete()
}

/// Begins a count at a time, in pieces of this size, that the test makes step by step.
fn by_hand(store: &EmbeddedStore, now: Timestamp, piece: usize) -> Count {
    store.writer.counting().request_at(now, piece).unwrap()
}

fn finish(mut count: Count) {
    while count.step() == Step::More {}
}

#[tokio::test]
async fn writer_does_not_read_the_open_items() {
    let disk = Disk::default();
    let store = open(&disk);
    let many = (0..20_000).map(|n| begin(&store, n, Allowance::Unlimited));
    join_all(many).await;
    drop(store);

    let store = open(&disk);
    let before = disk.writer_reads();
    let outcome = begin(&store, 20_000, within(60_000)).await;
    assert_eq!(outcome, CreateOutcome::Created);
    let reads = disk.writer_reads() - before;
    assert!(reads < 100, "{reads} reads");
    until("they are counted", || is_counted(&store)).await;
    let outcome = begin(&store, 20_001, within(20_001)).await;
    assert!(is_full(&outcome));
    let outcome = begin(&store, 20_001, within(20_002)).await;
    assert_eq!(outcome, CreateOutcome::Created);
}

#[tokio::test]
async fn writes_do_not_wait_for_a_piece_that_is_being_read() {
    let store = open(&Disk::default());
    for n in 0..3 {
        begin(&store, n, Allowance::Unlimited).await;
    }
    let mut count = by_hand(&store, NOW, 2);
    assert_eq!(count.step(), Step::More);
    // The thread of the count does nothing while these are written.
    assert_eq!(begin(&store, 3, within(1)).await, CreateOutcome::Created);
    assert_eq!(begin(&store, 4, within(1)).await, CreateOutcome::Created);
    assert_eq!(count.step(), Step::More);
    // Two are counted so far, which is enough to refuse more.
    assert!(is_full(&begin(&store, 5, within(2)).await));
    assert_eq!(begin(&store, 5, within(3)).await, CreateOutcome::Created);
    finish(count);
    assert!(is_full(&begin(&store, 6, within(6)).await));
    assert_eq!(begin(&store, 6, within(7)).await, CreateOutcome::Created);
}

#[tokio::test]
async fn failed_batch_leaves_nothing_in_the_count() {
    for steps in 0..6 {
        let disk = Disk::default();
        let store = open(&disk);
        for n in 0..3 {
            begin(&store, n, Allowance::Unlimited).await;
        }
        let mut count = by_hand(&store, NOW, 1);
        for _ in 0..steps {
            count.step();
        }
        disk.break_down(io::ErrorKind::StorageFull);
        let refused = store.create_within(new(3), within(9), NOW).await;
        assert!(refused.is_err());
        // The count of before the failure ends without a trace, and does not keep the file open.
        assert_eq!(count.step(), Step::Ended);
        drop(count);
        disk.mend();
        until("writes work again", || store.is_writable()).await;
        until("the items are counted again", || is_counted(&store)).await;
        assert_eq!(counted(&store, NOW), expected(&store, NOW), "{steps}");
    }
}

#[tokio::test]
async fn store_closes_and_the_count_gives_up() {
    let disk = Disk::default();
    let store = open(&disk);
    for n in 0..100 {
        begin(&store, n, Allowance::Unlimited).await;
    }
    let mut count = by_hand(&store, NOW, 100);
    assert_eq!(count.step(), Step::More);
    store.close();
    // It reads none of the hundred.
    assert_eq!(count.step(), Step::Ended);
    drop(count);
    assert_eq!(
        open(&disk).find(new(7).id, NOW).await.unwrap(),
        Some(new(7))
    );
}

#[tokio::test]
async fn unreadable_item_is_not_counted() {
    let disk = Disk::default();
    let store = open(&disk);
    for n in 0..3 {
        begin(&store, n, Allowance::Unlimited).await;
    }
    spoil(&database(&store), new(1).id);
    store.count_open(NOW).unwrap();
    assert!(is_counted(&store));
    assert!(is_full(&begin(&store, 3, within(2)).await));
    assert_eq!(begin(&store, 3, within(3)).await, CreateOutcome::Created);
}

#[tokio::test]
async fn unreadable_file_fails_a_creation_and_is_opened_again() {
    let disk = Disk::default();
    let store = open(&disk);
    begin(&store, 0, Allowance::Unlimited).await;
    let usage = store.writer.counting().usage();
    usage.locked().tally.fail(Fault::Panicked);
    let opened = disk.opened();
    let refused = store.create_within(new(1), within(9), NOW).await;
    assert!(refused.is_err());
    until("the items are counted", || is_counted(&store)).await;
    assert_eq!(disk.opened(), opened + 1);
    assert!(is_full(&begin(&store, 1, within(1)).await));
}
