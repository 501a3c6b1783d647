//! Finds pending webhooks whose pointers were lost.

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use countersign_domain::delivery::due::DueIndex;
use countersign_domain::delivery::queue::DeliveryQueue;
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::time::Clock;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::Store;
use countersign_domain::use_cases::Ports;
use countersign_domain::use_cases::sweep::{SweepCursors, SweepLimit, longest_due, sweep};
use serde::Deserialize;
use tokio::sync::Mutex;
use tokio::time::{sleep, timeout};

use super::Handler;
use crate::metrics::{EmbeddedMetrics, SWEEP_SUCCEEDED};
use crate::queues::SqsQueue;

/// Number of messages up to which the queues are filled. While more messages wait, a due webhook may
/// be among them, and is not enqueued a second time.
const MAX_WAITING: usize = 1000;

/// Maximum number of times that one event fills the queues. The message counts of SQS are up to a
/// minute old.
const MAX_ROUNDS: u32 = 10;

/// The pause between two fillings.
const ROUND_INTERVAL: Duration = Duration::from_secs(2);

/// The time after which no more deliveries are enqueued. The next event comes within a minute, and the next
/// sweep continues where this one stops.
const SWEEP_TIMEOUT: Duration = Duration::from_secs(40);

/// The time after which an event ends, even if calls are still waiting for an answer: before Lambda kills the
/// process, which would lose its counters and its position.
const TIME_LIMIT: Duration = Duration::from_secs(55);

/// Sweeps once a minute.
pub struct Sweeper {
    /// The store of pending deliveries.
    pub store: Arc<Store>,
    /// Lists the deliveries whose pointers may be lost.
    pub due: Arc<dyn DueIndex>,
    /// The queue for deliveries that were found: the retry queue, since a late delivery may belong to a
    /// receiver that is down.
    pub queue: Arc<dyn DeliveryQueue>,
    /// The queues whose messages are counted.
    pub queues: Arc<SqsQueue>,
    pub clock: Arc<dyn Clock>,
    pub entropy: Arc<dyn Entropy>,
    /// Where the next sweep continues.
    pub places: Mutex<SweepCursors>,
    /// The counters.
    pub metrics: Arc<EmbeddedMetrics>,
}

/// The tick of the schedule: `{"sweep":true}`.
#[derive(Debug, Deserialize)]
pub struct Tick {
    /// Required to be present; its value is ignored.
    #[serde(rename = "sweep")]
    _sweep: bool,
}

impl Handler for Sweeper {
    type Event = Tick;
    type Response = ();
    type Error = Unavailable;

    async fn handle(&self, _: Tick, invocation: &str) -> Result<(), Unavailable> {
        let swept = timeout(TIME_LIMIT, self.sweep(invocation)).await;
        swept.map_err(|elapsed| Unavailable::new("sweep", elapsed))??;
        self.metrics.count_named(SWEEP_SUCCEEDED);
        Ok(())
    }
}

impl Sweeper {
    async fn sweep(&self, invocation: &str) -> Result<(), Unavailable> {
        let mut places = self.places.lock().await;
        let until = self.clock.now().plus(SWEEP_TIMEOUT);
        let (mut found, mut damaged, mut ended) = (0, 0, Ok(()));
        for round in 0..MAX_ROUNDS {
            if round > 0 {
                sleep(ROUND_INTERVAL).await;
            }
            let room = MAX_WAITING.saturating_sub(self.queues.waiting().await?);
            if room == 0 {
                self.report(longest_due(&*self.due, self.clock.now()).await?);
                break;
            }
            let limit = SweepLimit {
                deliveries: room,
                until,
            };
            let swept = sweep(self.ports(), &*self.due, &mut places, limit).await;
            self.report(swept.longest_due);
            found += swept.found;
            damaged += swept.damaged;
            ended = swept.failure.map_or(Ok(()), Err);
            if ended.is_err() || swept.found < room || until < self.clock.now() {
                break;
            }
        }
        if found > 0 {
            tracing::info!(invocation, count = found, "enqueued webhooks that were due");
        }
        if damaged > 0 {
            tracing::error!(
                invocation,
                count = damaged,
                "cannot read items that owe webhooks"
            );
        }
        ended
    }

    fn report(&self, longest_due: Option<Duration>) {
        if let Some(age) = longest_due {
            self.metrics.record_oldest_due(age);
        }
    }

    fn ports(&self) -> Ports<'_> {
        Ports {
            store: &self.store,
            queue: &*self.queue,
            clock: &*self.clock,
            entropy: &*self.entropy,
            metrics: &*self.metrics,
        }
    }
}
