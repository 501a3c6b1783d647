//! Tests that acknowledged writes survive a power loss or a kill at any moment.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use countersign_conformance::chance::Chance;
use countersign_conformance::samples::{
    NOW, RETENTION, acquisition, app, app_id, id, key, settled, text,
};
use countersign_domain::app::store::{AppStore, KeyLookup};
use countersign_domain::confirmation::State;
use countersign_domain::confirmation::store::ConfirmationStore;
use countersign_domain::delivery::store::DeliveryStore as _;
use countersign_domain::delivery::transitions::Owes as _;
use countersign_domain::delivery::{Progress, Settlement};

use super::disk::Disk;
use super::{assert_indexes_fit, claimed, database, found, open};
use crate::store::EmbeddedStore;

/// Number of crashes with fixed seeds.
const CRASHES: u64 = 40;
/// Number of confirmations that are changed at once.
const TASKS: u8 = 8;
/// Number of confirmations that each task handles, one after the other.
const PER_TASK: u8 = 20;

/// Last acknowledged stage of each confirmation: 1 created, 2 verified, 3 settled.
type Acknowledged = Arc<Vec<AtomicU8>>;

/// Takes confirmations through all stages until `stop` is set.
async fn live(store: Arc<EmbeddedStore>, task: u8, known: Acknowledged, stop: Arc<AtomicBool>) {
    for n in (0..PER_TASK).map(|round| round * TASKS + task) {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let reached = |stage| known[usize::from(n)].store(stage, Ordering::SeqCst);
        store.create(acquisition(n), NOW).await.unwrap();
        reached(1);
        store.verify(id(n), &text(1), NOW, RETENTION).await.unwrap();
        reached(2);
        store.claim(id(n).into(), 0, NOW).await.unwrap();
        let attempt = settled(1, 200, Settlement::Delivered);
        store
            .settle(id(n).into(), attempt, NOW, RETENTION)
            .await
            .unwrap();
        reached(3);
    }
}

/// Returns the stage of a stored confirmation.
fn stage(state: &State) -> u8 {
    match state {
        State::Open { .. } | State::Cancelled { .. } => 1,
        State::Verified(verified) if verified.delivery.is_pending() => 2,
        State::Verified(_) => 3,
    }
}

/// Crashes a busy store and asserts that the next start finds all acknowledged writes.
async fn survives(seed: u64) {
    let mut chance = Chance::of(seed);
    let disk = Disk::default();
    let store = Arc::new(open(&disk));
    let count = usize::from(TASKS) * usize::from(PER_TASK);
    let known: Acknowledged = Arc::new((0..count).map(|_| AtomicU8::new(0)).collect());
    let stop = Arc::new(AtomicBool::new(false));
    let lives: Vec<_> = (0..TASKS)
        .map(|task| {
            let (store, known, stop) = (store.clone(), known.clone(), stop.clone());
            tokio::spawn(live(store, task, known, stop))
        })
        .collect();
    // Crash after some operations, whatever the writer does at that moment.
    let enough = chance.below(300);
    let is_busy = || lives.iter().any(|life| !life.is_finished());
    while store.write_counts().operations < enough && is_busy() {
        tokio::task::yield_now().await;
    }
    // The order matters: the image must contain everything acknowledged before it was taken.
    let acknowledged: Vec<u8> = known.iter().map(|n| n.load(Ordering::SeqCst)).collect();
    let image = if chance.once_in(4) {
        disk.after_kill()
    } else {
        disk.after_power_loss(&mut chance)
    };
    stop.store(true, Ordering::Relaxed);
    let again = open(&image);
    assert_indexes_fit(&database(&again));
    for (n, acknowledged) in (0_u8..).zip(acknowledged) {
        let item = again.find(id(n), NOW).await.unwrap();
        let reached = item.as_ref().map_or(0, |item| stage(&item.state));
        assert!(
            reached >= acknowledged,
            "seed {seed}: confirmation {n}: stage {acknowledged} was acknowledged, {reached} is stored"
        );
        // The next start recovers confirmations that were verified and not settled.
        if reached == 2 {
            let due = again
                .recover(acquisition(0).lane(), NOW, None, 1000, |_| false)
                .await
                .unwrap();
            assert!(due.iter().any(|owed| owed.pointer.subject == id(n).into()));
        }
    }
    for life in lives {
        life.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn acknowledged_writes_survive_crashes() {
    for seed in 1..=CRASHES {
        survives(seed).await;
    }
    let fresh = Chance::fresh_seed();
    survives(fresh).await;
}

#[tokio::test]
async fn crash_loses_a_claim_but_not_its_delivery() {
    let disk = Disk::default();
    let store = open(&disk);
    let item = claimed(&store, 1).await;
    let again = open(&disk.after_kill());
    let kept = found(&again, item.id).await;
    let delivery = &kept.verified().unwrap().delivery;
    assert_eq!(delivery.attempts_claimed, 0);
    assert!(matches!(
        delivery.progress,
        Progress::Pending {
            claimed_at: None,
            ..
        }
    ));
    // The same attempt is made again, with the same webhook id.
    assert!(again.claim(item.id.into(), 0, NOW).await.is_ok());
    assert_eq!(kept.webhook_id(), item.webhook_id());
}

#[tokio::test]
async fn apps_and_keys_survive_a_power_loss() {
    let disk = Disk::default();
    let store = open(&disk);
    store.create_app(app("demo")).await.unwrap();
    store.issue_key(&app_id("demo"), key(1)).await.unwrap();
    store.issue_key(&app_id("demo"), key(2)).await.unwrap();
    let revoked = key(1).hash.id();
    store
        .revoke_key(&app_id("demo"), &revoked, NOW)
        .await
        .unwrap();
    let profile = store.inbound_profile().await.unwrap();
    let again = open(&disk.after_power_loss(&mut Chance::of(1)));
    let lookup = again.lookup_key(&key(1).hash).await.unwrap();
    assert_eq!(lookup, KeyLookup::Revoked);
    let lookup = again.lookup_key(&key(2).hash).await.unwrap();
    assert_eq!(lookup, KeyLookup::Active(Arc::new(app("demo"))));
    assert_eq!(again.inbound_profile().await.unwrap(), profile);
    assert_eq!(again.list_keys(&app_id("demo")).await.unwrap().len(), 2);
}
