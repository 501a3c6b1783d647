//! `POST /confirmations/{id}/redeliver`.

use std::sync::Arc;
use std::time::Duration;

use super::{cancel, post, show};
use crate::host::{Host, id_of};
use countersign_conformance::ports::KeptQueue;

#[tokio::test]
async fn redelivery_makes_the_webhook_pending_again() {
    let host = Host::new().await;
    let id = host.verified().await;
    host.deliver(id).await;
    host.queue.take();
    host.clock.advance(Duration::from_mins(1));
    let answer = post(&host, id, "redeliver").await;
    assert_eq!(answer.status, 202);
    let delivery = &answer.json()["delivery"];
    assert_eq!(delivery["status"], "pending");
    assert_eq!(delivery["nextAttemptAt"], "2026-01-02T03:05:05.678Z");
    assert_eq!(delivery["attempts"].as_array().unwrap().len(), 1);
    let queued = host.queue.take();
    assert_eq!(queued.len(), 1);
    let (pointer, delay) = queued[0];
    assert_eq!((pointer.subject, pointer.attempts_claimed), (id.into(), 1));
    assert_eq!(delay, Duration::ZERO);

    host.claim(id).await;
    assert_eq!(
        post(&host, id, "redeliver").await.code(),
        "delivery_in_flight"
    );
    assert_eq!(host.queue.take(), []);
}

/// The webhook is pending once it is stored, and the sweep finds it.
#[tokio::test]
async fn failed_queue_does_not_fail_a_redelivery() {
    let host = Host::with(|parts| parts.queue = Arc::new(KeptQueue::broken())).await;
    let id = host.verified().await;
    host.deliver(id).await;
    host.metrics.take();
    assert_eq!(post(&host, id, "redeliver").await.status, 202);
    assert_eq!(host.metrics.take(), ["enqueue_failed"]);
    assert_eq!(show(&host, id).await["delivery"]["status"], "pending");
}

#[tokio::test]
async fn unverified_confirmation_has_no_webhook_to_redeliver() {
    let host = Host::new().await;
    let id = id_of(&host.acquire().await);
    assert_eq!(
        post(&host, id, "redeliver").await.code(),
        "confirmation_open"
    );
    host.clock.advance(Duration::from_mins(5));
    assert_eq!(
        post(&host, id, "redeliver").await.code(),
        "confirmation_expired"
    );
    let id = id_of(&host.acquire().await);
    cancel(&host, id).await;
    assert_eq!(
        post(&host, id, "redeliver").await.code(),
        "confirmation_cancelled"
    );
}
