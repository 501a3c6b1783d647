//! In-memory documents pass the suite, and so does the domain's store on top of them.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use countersign_conformance::model::ModelItems;
use countersign_conformance::samples::{NOW, RETENTION, acquisition, settled, text, verified};
use countersign_conformance::suite;
use countersign_domain::app::scope::Scope;
use countersign_domain::confirmation::Confirmation;
use countersign_domain::confirmation::transitions::{RedeliverOutcome, redeliver};
use countersign_domain::delivery::{CLAIM_LEASE, ClaimOutcome, DeliverySubject, Settlement};
use countersign_domain::primitives::time::{Clock, Timestamp};
use countersign_domain::store::Store;

struct Stopped;

impl Clock for Stopped {
    fn now(&self) -> Timestamp {
        NOW
    }
}

fn with_claims_in_documents(items: &Arc<ModelItems>) -> Arc<Store> {
    Arc::new(Store::new(items.clone(), Arc::new(Stopped)))
}

fn with_claims_in_memory(items: &Arc<ModelItems>) -> Arc<Store> {
    Arc::new(Store::alone(items.clone(), Arc::new(Stopped)))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn documents_in_memory_pass() {
    let make = async || Arc::new(ModelItems::default());
    suite::items(make).await.assert_passed();
    suite::open_items(make).await.assert_passed();
    suite::due_index(make).await.assert_passed();
    suite::owed_index(make).await.assert_passed();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn store_passes() {
    let make = async || with_claims_in_documents(&Arc::default());
    suite::store(make).await.assert_passed();
}

/// Returns documents with one pending webhook.
fn owing() -> (Arc<ModelItems>, Confirmation, DeliverySubject) {
    let items = Arc::new(ModelItems::default());
    let item = verified(&acquisition(1), &text(1), NOW);
    items.put(item.id, item.clone());
    (items, item.clone(), DeliverySubject::Confirmation(item.id))
}

async fn claims(store: &Store, subject: DeliverySubject, claimed: u32, now: Timestamp) -> bool {
    let outcome = store.claim(subject, claimed, now).await.unwrap();
    matches!(outcome, ClaimOutcome::Claimed(_))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn webhook_is_claimed_once_wherever_claims_are_kept() {
    for make in [with_claims_in_documents, with_claims_in_memory] {
        let (items, _, subject) = owing();
        let store = make(&items);
        let mut running = tokio::task::JoinSet::new();
        for _ in 0..64 {
            let store = store.clone();
            running.spawn(async move { claims(&store, subject, 0, NOW).await });
        }
        let won = running.join_all().await;
        assert_eq!(won.into_iter().filter(|won| *won).count(), 1);
        // The claim expires with its lease.
        let end = NOW.plus(CLAIM_LEASE);
        assert!(!claims(&store, subject, 1, NOW).await);
        assert!(claims(&store, subject, 1, end).await);
        let delivered = settled(2, 200, Settlement::Delivered);
        let outcome = store.settle(subject, delivered, end, RETENTION).await;
        outcome.unwrap();
        assert!(!claims(&store, subject, 2, end.plus(CLAIM_LEASE)).await);
        assert!(
            items
                .all()
                .iter()
                .all(|(_, document)| document.next_attempt().is_none())
        );
    }
}

#[tokio::test]
async fn webhook_under_way_is_not_sent_again_wherever_claims_are_kept() {
    for make in [with_claims_in_documents, with_claims_in_memory] {
        let (items, item, subject) = owing();
        let store = make(&items);
        assert!(claims(&store, subject, 0, NOW).await);
        let redeliver = async |now: Timestamp| {
            let decide = |current| redeliver(current, Scope::live(&item.app), now, RETENTION);
            store.change_delivery(item.id, decide).await.unwrap()
        };
        assert!(matches!(redeliver(NOW).await, RedeliverOutcome::InFlight));
        let end = NOW.plus(CLAIM_LEASE);
        let RedeliverOutcome::Pending { pointer, .. } = redeliver(end).await else {
            panic!("the claim has ended");
        };
        assert_eq!(pointer.attempts_claimed, 1);
    }
}

#[tokio::test]
async fn claim_in_memory_writes_nothing_and_ends_with_the_process() {
    let (items, item, subject) = owing();
    let store = with_claims_in_memory(&items);
    let before = items.all();
    assert!(claims(&store, subject, 0, NOW).await);
    assert_eq!(items.all(), before);
    let next = with_claims_in_memory(&items);
    assert!(claims(&next, subject, 0, NOW).await);
    // An item that is created again under the same id has no claim.
    let later = NOW.plus(RETENTION);
    let again = verified(&acquisition(1), &text(2), later);
    items.put(item.id, again);
    assert!(claims(&store, subject, 0, later).await);
}
