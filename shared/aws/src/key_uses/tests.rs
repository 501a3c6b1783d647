#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::future::pending;

use countersign_conformance::failing::{Access, FailingItems};
use countersign_conformance::samples::{app, key};
use countersign_domain::store::{Key, KeyUse};
use countersign_system::clock::SystemClock;
use tokio::time::Instant;

use super::*;

fn is_use(access: Access<'_>) -> bool {
    matches!(access, Access::Read(Key::KeyUse(_)))
}

/// Returns a recorder of a store that has seen one use, and the store.
fn used(items: Arc<FailingItems>) -> (KeyUseRecorder, Arc<Store>) {
    let store = Arc::new(Store::new(items, Arc::new(SystemClock)));
    let recorder = KeyUseRecorder::default();
    recorder.watch(&store);
    store.note_key_use(&key(1).hash);
    (recorder, store)
}

#[tokio::test]
async fn use_is_recorded_and_a_failure_ends_well() {
    let (recorder, store) = used(Arc::default());
    recorder.record().await;
    let kept = store.get::<KeyUse>(Key::KeyUse(key(1).hash)).await;
    assert!(kept.unwrap().is_some());
    let items = Arc::new(FailingItems::default());
    items.fail(is_use);
    let (recorder, store) = used(Arc::clone(&items));
    recorder.record().await;
    store.create_app(app("shop")).await.unwrap();
    KeyUseRecorder::default().record().await;
}

#[tokio::test(start_paused = true)]
async fn hanging_store_delays_the_next_event_for_a_limited_time() {
    let items = Arc::new(FailingItems::default());
    items.interrupt(is_use, pending());
    let (recorder, _store) = used(items);
    let began = Instant::now();
    recorder.record().await;
    assert_eq!(began.elapsed(), TIMEOUT);
}
