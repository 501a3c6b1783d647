#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use countersign_conformance::model::ModelItems;
use countersign_conformance::samples::{self, NOW};
use countersign_domain::delivery::{DeliveryPointer, Progress, SWEEP_LEASE};
use countersign_system::entropy::OsEntropy;
use serde_json::json;

use super::*;
use crate::test_endpoint::{FakeAnswer, FakeEndpoint};
use crate::test_ports::{OpenQueue, StoppedClock};

const EMPTY: &str = r#"{"Attributes":{"ApproximateNumberOfMessages":"0"}}"#;
const HALF_FULL: &str = r#"{"Attributes":{"ApproximateNumberOfMessages":"500"}}"#;

/// Sweeps twenty webhooks that are overdue by a minute, and returns what was enqueued, whether that
/// succeeded, and the line with the metrics.
async fn swept(queues: &'static str) -> (Vec<DeliveryPointer>, bool, String) {
    let items = Arc::new(ModelItems::default());
    for n in 1..=20 {
        let item = samples::verified(&samples::acquisition(n), &samples::text(n.into()), NOW);
        let overdue = samples::with_delivery(&item, |delivery| {
            if let Progress::Pending { due_at, .. } = &mut delivery.progress {
                *due_at = samples::before(NOW, SWEEP_LEASE);
            }
        });
        items.put(overdue.id, overdue);
    }
    let queue = Arc::new(OpenQueue::default());
    let sqs = FakeEndpoint::with(FakeAnswer::Body(queues)).await;
    let sweeper = Sweeper {
        store: Arc::new(Store::new(items.clone(), Arc::new(StoppedClock))),
        due: items.clone(),
        queue: queue.clone(),
        queues: sqs.queues.clone(),
        clock: Arc::new(StoppedClock),
        entropy: Arc::new(OsEntropy),
        metrics: Arc::new(EmbeddedMetrics::new("test".to_owned(), "test".to_owned())),
    };
    let tick = serde_json::from_value(json!({ "sweep": true })).unwrap();
    let succeeded = sweeper.handle(tick, "invocation").await.is_ok();
    let enqueued = queue.0.lock().unwrap().clone();
    assert!(enqueued.iter().all(|(_, delay)| delay.is_zero()));
    let line = sweeper.metrics.take(NOW).unwrap_or_default();
    let enqueued = enqueued.into_iter().map(|(pointer, _)| pointer);
    (
        enqueued.collect(),
        succeeded,
        String::from_utf8(line).unwrap(),
    )
}

#[tokio::test]
async fn overdue_webhooks_are_enqueued() {
    let (enqueued, succeeded, line) = swept(EMPTY).await;
    assert_eq!((enqueued.len(), succeeded), (20, true));
    assert!(line.contains("\"oldest_due\":60"), "{line}");
}

/// Some of them may be what waits.
#[tokio::test]
async fn nothing_is_enqueued_while_much_waits() {
    let (enqueued, succeeded, line) = swept(HALF_FULL).await;
    assert_eq!((enqueued.len(), succeeded), (0, true));
    assert!(line.contains("\"oldest_due\":60"), "{line}");
}

#[tokio::test]
async fn sweep_fails_if_the_queues_cannot_be_looked_into() {
    let (enqueued, succeeded, _) = swept("{}").await;
    assert_eq!((enqueued.len(), succeeded), (0, false));
}

#[test]
fn other_events_are_refused() {
    for event in [
        json!({}),
        json!({ "Records": [] }),
        json!({ "source": "aws.events" }),
    ] {
        let read = serde_json::from_value::<Tick>(event.clone());
        assert!(read.is_err(), "{event}");
    }
}
