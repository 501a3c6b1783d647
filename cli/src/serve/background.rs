//! Background tasks of the server: delivering webhooks, purging old items, and recording the use of API keys.

use std::sync::Arc;
use std::time::Duration;

use countersign_api::Causes;
use countersign_carrier::BoundedLookup;
use countersign_domain::confirmation::carrier::CarrierLookup;
use countersign_domain::delivery::sender::WebhookSender;
use countersign_domain::delivery::{DeliveryPointer, FaultSide};
use countersign_domain::event::{Event, Labels, Metrics};
use countersign_domain::primitives::clock_guard::ClockVerdict;
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::time::Clock;
use countersign_domain::store::Store;
use countersign_domain::use_cases::deliver::{DeliveryPorts, Outcome, deliver};
use countersign_domain::use_cases::{Ports, Times};
use countersign_embedded::keys::KeyFileSigner;
use countersign_embedded::openid::OpenIdFiles;
use countersign_embedded::places::LiveCityDatabases;
use countersign_embedded::push::LocalPush;
use countersign_embedded::queue::{AttemptEnd, LocalQueue};
use countersign_embedded::store::{Purged, SqliteItems};
use countersign_system::guarded::{GuardedClock, since_boot};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval, interval_at};

use crate::master_secret::MasterSecretFile;
use crate::places;
use crate::providers::{LiveProviders, REREAD_INTERVAL};

use super::Server;
use super::http::stop_requested;
use super::supervise::keep_running;

/// Interval between purges of old items.
const UPKEEP_INTERVAL: Duration = Duration::from_mins(1);

/// Maximum number of items per transaction of the store.
const BATCH: usize = 500;

/// Timeout at shutdown for attempts in flight. Interrupted attempts are due immediately after the
/// next start.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(4);

/// The running tasks.
pub(super) struct Background {
    queue: LocalQueue,
    delivering: JoinHandle<()>,
    upkeep: JoinHandle<()>,
    rereading: JoinHandle<()>,
    store: Arc<Store>,
}

/// Makes delivery attempts.
struct Dispatcher {
    store: Arc<Store>,
    items: Arc<SqliteItems>,
    queue: LocalQueue,
    signer: Arc<KeyFileSigner>,
    openid: Arc<OpenIdFiles>,
    secrets: Arc<MasterSecretFile>,
    sender: Arc<dyn WebhookSender>,
    push: LocalPush,
    carriers: Option<BoundedLookup>,
    clock: Arc<dyn Clock>,
    guard: Arc<GuardedClock>,
    entropy: Arc<dyn Entropy>,
    metrics: Arc<dyn Metrics>,
    times: Times,
}

impl Background {
    /// Starts the tasks. They stop when `stopping` becomes true, except for the dispatcher, which
    /// `end` stops.
    pub(super) fn start(server: &Server, stopping: &watch::Receiver<bool>) -> Self {
        let dispatcher = Arc::new(Dispatcher {
            store: server.storage.store.clone(),
            items: server.storage.items.clone(),
            queue: server.queue.clone(),
            signer: server.storage.signer.clone(),
            openid: server.storage.openid.clone(),
            secrets: server.storage.webhook_secret.clone(),
            sender: server.sender.clone(),
            push: server.push.clone(),
            carriers: server.carriers.clone(),
            clock: server.clock.clone(),
            guard: server.guard.clone(),
            entropy: server.entropy.clone(),
            metrics: server.counters.clone(),
            times: server.times,
        });
        let (providers, places) = (server.providers.clone(), server.places.clone());
        let until = stopping.clone();
        let rereading = tokio::spawn(keep_running("settings", move || {
            reread(Arc::clone(&providers), Arc::clone(&places), until.clone())
        }));
        let queue = server.queue.clone();
        let (keeper, stopping) = (Arc::clone(&dispatcher), stopping.clone());
        let upkeep = tokio::spawn(keep_running("upkeep", move || {
            Arc::clone(&keeper).keep_up(stopping.clone())
        }));
        let delivering = tokio::spawn(keep_running("deliveries", move || {
            let dispatcher = Arc::clone(&dispatcher);
            async move {
                let queue = dispatcher.queue.clone();
                let attempt = |pointer| Arc::clone(&dispatcher).attempt(pointer);
                queue.run(dispatcher.items.as_ref(), attempt).await;
            }
        }));
        Self {
            queue,
            delivering,
            upkeep,
            rereading,
            store: server.storage.store.clone(),
        }
    }

    /// Starts no more attempts, and gives those in flight a limited time to finish.
    pub(super) async fn end(mut self) {
        self.queue.close();
        if tokio::time::timeout(SHUTDOWN_GRACE, &mut self.delivering)
            .await
            .is_err()
        {
            tracing::warn!("some webhooks were interrupted; they are retried after the next start");
            self.delivering.abort();
        }
        self.upkeep.abort();
        self.rereading.abort();
        record_key_uses(&self.store).await;
    }
}

/// Records on which days API keys were used. What fails is tried again in a minute.
async fn record_key_uses(store: &Store) {
    if let Err(error) = store.record_key_uses().await {
        tracing::warn!(cause = %Causes(&error), "the last use of an API key was not recorded");
    }
}

/// Reloads the settings of SMS providers and the place databases every minute, until `stopping`.
async fn reread(
    providers: Arc<LiveProviders>,
    places: Arc<LiveCityDatabases>,
    mut stopping: watch::Receiver<bool>,
) {
    let mut minute = interval_at(Instant::now() + REREAD_INTERVAL, REREAD_INTERVAL);
    minute.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = minute.tick() => {
                providers.keep_up();
                places::keep_up(Arc::clone(&places)).await;
            }
            () = stop_requested(&mut stopping) => return,
        }
    }
}

impl Dispatcher {
    fn ports(&self) -> Ports<'_> {
        Ports {
            store: &self.store,
            queue: &self.queue,
            clock: self.clock.as_ref(),
            entropy: self.entropy.as_ref(),
            metrics: self.metrics.as_ref(),
        }
    }

    /// Makes one attempt.
    async fn attempt(self: Arc<Self>, pointer: DeliveryPointer) -> AttemptEnd {
        let secrets = self.secrets.in_force();
        let sending = DeliveryPorts {
            signer: self.signer.as_ref(),
            secrets: &secrets,
            sender: self.sender.as_ref(),
            carriers: self
                .carriers
                .as_ref()
                .map(|lookup| lookup as &dyn CarrierLookup),
            push: Some(&self.push),
            // Attempts for the same receiver wait for each other in the queue.
            receivers: None,
        };
        match deliver(self.ports(), sending, self.times, pointer).await {
            Ok(Outcome::Stale) => AttemptEnd::Unsettled,
            Ok(Outcome::Attempted {
                subject,
                number,
                result,
                next_attempt_at,
            }) => {
                let next = next_attempt_at.map(tracing::field::display);
                tracing::info!(
                    id = %subject, number, ?result, next, "attempted a webhook"
                );
                match result.fault() {
                    None => AttemptEnd::Well,
                    Some(FaultSide::Receivers) => AttemptEnd::Ill,
                    Some(FaultSide::Ours) => AttemptEnd::OurFault,
                }
            }
            Err(error) => {
                let id = pointer.subject;
                tracing::error!(id = %id, cause = %Causes(&error), "cannot deliver");
                AttemptEnd::Unsettled
            }
        }
    }

    /// Purges old items and records the use of API keys every minute, until `stopping`.
    async fn keep_up(self: Arc<Self>, mut stopping: watch::Receiver<bool>) {
        let mut minute = interval(UPKEEP_INTERVAL);
        minute.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut looked_at = since_boot();
        loop {
            tokio::select! {
                _ = minute.tick() => {
                    self.remove_old(&mut looked_at).await;
                    record_key_uses(&self.store).await;
                }
                () = stop_requested(&mut stopping) => return,
            }
        }
    }

    /// Purges expired items by the steady clock; does nothing while the wall clock is not trusted.
    async fn remove_old(&self, looked_at: &mut Duration) {
        let now = since_boot();
        let elapsed = now.saturating_sub(*looked_at);
        *looked_at = now;
        if let ClockVerdict::Ahead { by, .. } = self.guard.look() {
            self.metrics.count(&Event::ClockAhead, Labels::default());
            tracing::warn!(
                seconds = by.as_secs(),
                "the wall clock jumped ahead of what has really passed and is not believed yet; \
                 nothing is purged"
            );
            return;
        }
        let purged = async {
            let now = self.clock.now();
            let reading = self.items.advance_steady(elapsed, now).await?;
            if let Err(error) = self.signer.prune(reading) {
                tracing::error!(cause = %Causes(&error), "cannot remove former signing keys");
            }
            if let Err(error) = self.openid.prune() {
                tracing::error!(cause = %Causes(&error), "cannot remove former keys of the OpenID provider");
            }
            self.items.purge(reading, BATCH).await
        };
        match purged.await {
            Ok(Purged { left: 0, .. }) => {}
            Ok(Purged { left, .. }) => tracing::error!(
                left,
                "cannot purge expired items, because the store is damaged: stop the server, and run \
                 `countersign check`"
            ),
            Err(error) => tracing::error!(cause = %Causes(&error), "cannot purge expired items"),
        }
    }
}
