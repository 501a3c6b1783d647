#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use async_trait::async_trait;
use countersign_conformance::model::ModelItems;
use countersign_conformance::ports::{KeptQueue, SetClock};
use countersign_conformance::samples::{self, NOW};
use countersign_domain::delivery::queue::Enqueued;
use countersign_domain::delivery::{DeliveryPointer, Progress, SWEEP_LEASE};
use countersign_domain::primitives::ids::ConfirmationId;
use countersign_system::entropy::OsEntropy;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::*;
use crate::test_endpoint::{FakeAnswer, FakeEndpoint};

const EMPTY: &str = r#"{"Attributes":{"ApproximateNumberOfMessages":"0"}}"#;
const HALF_FULL: &str = r#"{"Attributes":{"ApproximateNumberOfMessages":"500"}}"#;

/// A queue that never answers.
struct SilentQueue;

#[async_trait]
impl DeliveryQueue for SilentQueue {
    async fn enqueue(&self, _: DeliveryPointer, _: Duration) -> Result<Enqueued, Unavailable> {
        std::future::pending().await
    }
}

/// A sweeper over webhooks that are overdue by a minute.
struct World {
    sweeper: Sweeper,
    queue: Arc<KeptQueue>,
}

impl World {
    async fn new(pending: u32, queues: &'static str) -> Self {
        let items = Arc::new(ModelItems::default());
        for n in 1..=pending {
            let mut open = samples::acquisition(0);
            let mut id = [0; 16];
            id[..4].copy_from_slice(&n.to_be_bytes());
            open.id = ConfirmationId::from_bytes(id);
            let item = samples::verified(&open, &samples::text(n), NOW);
            let overdue = samples::with_delivery(&item, |delivery| {
                if let Progress::Pending { due_at, .. } = &mut delivery.progress {
                    *due_at = samples::before(NOW, SWEEP_LEASE);
                }
            });
            items.put(overdue.id, overdue);
        }
        let queue = Arc::new(KeptQueue::default());
        let sqs = FakeEndpoint::with(FakeAnswer::Body(queues)).await;
        let sweeper = Sweeper {
            store: Arc::new(Store::new(items.clone(), Arc::new(SetClock::default()))),
            due: items.clone(),
            queue: queue.clone(),
            queues: sqs.queues.clone(),
            clock: Arc::new(SetClock::default()),
            entropy: Arc::new(OsEntropy),
            places: Mutex::default(),
            metrics: Arc::new(EmbeddedMetrics::new("test".to_owned(), "test".to_owned())),
        };
        Self { sweeper, queue }
    }

    /// Sweeps, and returns whether the sweep succeeded.
    async fn sweep(&self) -> bool {
        let tick = serde_json::from_value(json!({ "sweep": true })).unwrap();
        self.sweeper.handle(tick, "invocation").await.is_ok()
    }

    /// Returns the number of pointers that were enqueued.
    fn enqueued(&self) -> usize {
        let enqueued = self.queue.waiting.lock().unwrap();
        assert!(enqueued.iter().all(|(_, delay)| delay.is_zero()));
        enqueued.len()
    }

    /// Returns the metrics line.
    fn line(&self) -> Value {
        let line = self.sweeper.metrics.take(NOW);
        line.map_or(Value::Null, |line| serde_json::from_slice(&line).unwrap())
    }
}

#[tokio::test]
async fn overdue_webhooks_are_enqueued() {
    let world = World::new(20, EMPTY).await;
    assert!(world.sweep().await);
    assert_eq!(world.enqueued(), 20);
    let line = world.line();
    assert_eq!(
        (&line["oldest_due"], &line[SWEEP_SUCCEEDED]),
        (&json!(60), &json!(1))
    );
}

/// The waiting messages may point to the due webhooks.
#[tokio::test]
async fn nothing_is_enqueued_while_much_waits() {
    let world = World::new(20, HALF_FULL).await;
    assert!(world.sweep().await);
    assert_eq!(world.enqueued(), 0);
    let line = world.line();
    assert_eq!(
        (&line["oldest_due"], &line[SWEEP_SUCCEEDED]),
        (&json!(60), &json!(1))
    );
}

#[tokio::test]
async fn sweep_fails_if_the_queues_cannot_be_looked_into() {
    let world = World::new(20, "{}").await;
    assert!(!world.sweep().await);
    assert_eq!((world.enqueued(), world.line()), (0, Value::Null));
}

/// An event fills the queues up to ten times, until nothing is due.
#[tokio::test(start_paused = true)]
async fn next_event_goes_on_where_the_last_one_stopped() {
    let world = World::new(15_000, EMPTY).await;
    assert!(world.sweep().await);
    assert_eq!(world.enqueued(), 10_000);
    assert!(world.sweep().await);
    assert_eq!(world.enqueued(), 15_000);
}

/// Otherwise Lambda would kill the process, and its counters would be lost.
#[tokio::test(start_paused = true)]
async fn event_ends_within_its_time_limit_and_is_no_success() {
    let sweeper = Sweeper {
        queue: Arc::new(SilentQueue),
        ..World::new(20, EMPTY).await.sweeper
    };
    let world = World {
        sweeper,
        queue: Arc::default(),
    };
    let began = Instant::now();
    assert!(!world.sweep().await);
    assert_eq!(began.elapsed().as_secs(), TIME_LIMIT.as_secs());
    assert_eq!(world.line()[SWEEP_SUCCEEDED], Value::Null);
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
