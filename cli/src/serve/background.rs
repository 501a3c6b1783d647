//! What the server does beside answering: delivering, sweeping, removing.

mod take_up;

use std::sync::Arc;
use std::time::Duration;

use countersign_domain::delivery::sender::WebhookSender;
use countersign_domain::delivery::{DeliveryPointer, Fault};
use countersign_domain::event::{Event, Metrics};
use countersign_domain::primitives::clock_guard::Belief;
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::time::Clock;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::use_cases::deliver::{Outcome, deliver};
use countersign_domain::use_cases::sweep::{Occasion, Swept, sweep_all};
use countersign_domain::use_cases::{Times, deliver, sweep};
use countersign_embedded::keys::KeyFileSigner;
use countersign_embedded::queue::{Health, LocalQueue};
use countersign_embedded::store::EmbeddedStore;
use countersign_system::clock::SystemClock;
use countersign_system::guarded::{GuardedClock, SystemBootTime};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use super::Server;
use super::http::told_to_stop;
use super::supervise::keep_running;
use crate::failure::chain;

/// How often the sweep and the removal of old items run.
const EVERY: Duration = Duration::from_mins(1);

/// How many deliveries one sweep takes up, at most; another follows at once for the rest.
const SWEPT: usize = 10_000;

/// How many items are taken up or removed by one transaction of the store.
const BATCH: usize = 500;

/// How long attempts under way may take once the server stops. What is broken off then is due at
/// once at the next start.
const FAREWELL: Duration = Duration::from_secs(4);

/// The clock of the server.
pub(super) type Guard = GuardedClock<SystemClock, SystemBootTime>;

/// The tasks, while they run.
pub(super) struct Background {
    queue: LocalQueue,
    delivering: JoinHandle<()>,
    upkeep: JoinHandle<()>,
}

/// Makes attempts to deliver.
struct Dispatcher {
    store: Arc<EmbeddedStore>,
    queue: LocalQueue,
    signer: Arc<KeyFileSigner>,
    sender: Arc<dyn WebhookSender>,
    clock: Arc<dyn Clock>,
    guard: Arc<Guard>,
    entropy: Arc<dyn Entropy>,
    metrics: Arc<dyn Metrics>,
    times: Times,
}

impl Background {
    /// Starts the tasks; the first thing they do is to take up what the process before left. The
    /// tasks that need no end of their own stop when `stopping` says so.
    pub(super) fn start(server: &Server, stopping: &watch::Receiver<bool>) -> Self {
        let dispatcher = Arc::new(Dispatcher {
            store: server.storage.store.clone(),
            queue: server.queue.clone(),
            signer: server.storage.signer.clone(),
            sender: server.sender.clone(),
            clock: server.clock.clone(),
            guard: server.guard.clone(),
            entropy: server.entropy.clone(),
            metrics: server.counters.clone(),
            times: server.times,
        });
        let queue = server.queue.clone();
        let (keeper, stopping) = (Arc::clone(&dispatcher), stopping.clone());
        let upkeep = tokio::spawn(keep_running("upkeep", move || {
            Arc::clone(&keeper).keep_up(stopping.clone())
        }));
        let delivering = tokio::spawn(keep_running("deliveries", move || {
            let dispatcher = Arc::clone(&dispatcher);
            async move {
                let queue = dispatcher.queue.clone();
                queue
                    .run(|pointer| Arc::clone(&dispatcher).attempt(pointer))
                    .await;
            }
        }));
        Self {
            queue,
            delivering,
            upkeep,
        }
    }

    /// Starts no more attempts, and lets those under way end within a bound.
    pub(super) async fn end(mut self) {
        self.queue.close();
        if tokio::time::timeout(FAREWELL, &mut self.delivering)
            .await
            .is_err()
        {
            tracing::warn!("some webhooks were broken off; they are tried again at the next start");
            self.delivering.abort();
        }
        self.upkeep.abort();
    }
}

impl Dispatcher {
    /// Makes one attempt, and tells how its receiver does.
    async fn attempt(self: Arc<Self>, pointer: DeliveryPointer) -> Health {
        let ports = deliver::Ports {
            deliveries: self.store.as_ref(),
            queue: &self.queue,
            signer: self.signer.as_ref(),
            sender: self.sender.as_ref(),
            clock: self.clock.as_ref(),
            entropy: self.entropy.as_ref(),
            metrics: self.metrics.as_ref(),
        };
        match deliver(ports, self.times, pointer).await {
            Ok(Outcome::Stale) => Health::Unknown,
            Ok(Outcome::Attempted {
                subject,
                number,
                result,
                next_attempt_at,
            }) => {
                let next = next_attempt_at.map(tracing::field::display);
                let health = match result.fault() {
                    None => Health::Well,
                    Some(Fault::Receivers) => Health::Ill,
                    Some(Fault::Ours) => Health::Unknown,
                };
                tracing::info!(
                    id = %subject, number, ?result, next, "attempted a webhook"
                );
                health
            }
            Err(error) => {
                let id = pointer.subject;
                tracing::error!(id = %id, cause = %chain(&error), "cannot deliver");
                Health::Unknown
            }
        }
    }

    /// Takes up what the process before left; then, each minute until told to stop, and whenever
    /// the queue wants more of what it left to the sweep, sweeps, and removes what has had its
    /// time.
    async fn keep_up(self: Arc<Self>, mut stopping: watch::Receiver<bool>) {
        let mut minute = interval_at(Instant::now() + EVERY, EVERY);
        minute.set_missed_tick_behavior(MissedTickBehavior::Delay);
        if let Err(error) = self.take_up().await {
            tracing::error!(cause = %chain(&error), "cannot take up what is owed; the sweep will");
        }
        let mut looked_at = self.guard.since_boot();
        self.remove_old(&mut looked_at).await;
        loop {
            let occasion = tokio::select! {
                _ = minute.tick() => {
                    self.remove_old(&mut looked_at).await;
                    Occasion::Minute
                }
                () = self.queue.wants_refill() => Occasion::Room,
                () = told_to_stop(&mut stopping) => return,
            };
            self.sweep(occasion).await;
        }
    }

    /// Sweeps until nothing is due that the queue has room for.
    async fn sweep(&self, occasion: Occasion) {
        let ports = sweep::Ports {
            deliveries: self.store.as_ref(),
            queue: &self.queue,
            clock: self.clock.as_ref(),
            metrics: self.metrics.as_ref(),
        };
        let Swept { found, failure } = sweep_all(ports, SWEPT, occasion).await;
        if found > 0 {
            tracing::info!(count = found, "found webhooks that are owed");
        }
        if let Some(error) = failure {
            tracing::error!(cause = %chain(&error), "cannot sweep everything");
        }
    }

    /// Removes what has had its time by the steady clock; nothing while the wall clock is not
    /// believed.
    async fn remove_old(&self, looked_at: &mut Duration) {
        let since_boot = self.guard.since_boot();
        let elapsed = since_boot.saturating_sub(*looked_at);
        *looked_at = since_boot;
        if let Belief::Ahead { by, .. } = self.guard.look() {
            self.metrics.count(&Event::ClockAhead);
            tracing::warn!(
                seconds = by.as_secs(),
                "the wall clock jumped ahead of what has really passed and is not believed yet; \
                 nothing is purged"
            );
            return;
        }
        let purged = async {
            let now = self.clock.now();
            let reading = self.store.advance_steady(elapsed, now).await?;
            if let Err(error) = self.signer.prune(reading) {
                tracing::error!(cause = %chain(&error), "cannot remove former signing keys");
            }
            while self.store.purge(reading, BATCH).await? >= BATCH {}
            Ok::<_, Unavailable>(())
        };
        if let Err(error) = purged.await {
            tracing::error!(cause = %chain(&error), "cannot purge expired items");
        }
    }
}
