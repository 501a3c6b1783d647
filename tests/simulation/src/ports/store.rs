//! The store, watched by the oracle, and the way to it.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use countersign_conformance::model::ModelStore;
use countersign_domain::app::InboundProfile;
use countersign_domain::app::store::AppStore as _;
use countersign_domain::confirmation::Confirmation;
use countersign_domain::confirmation::store::{ConfirmationStore, Due};
use countersign_domain::confirmation::transitions::{
    CancelOutcome, ClaimOutcome, CreateOutcome, RedactOutcome, RedeliverOutcome, TextEvidence,
    VerifyOutcome,
};
use countersign_domain::delivery::{DeliveryLane, PostponeOutcome, SettleOutcome, SettledAttempt};
use countersign_domain::primitives::ids::{AppId, ConfirmationId};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

use crate::ground::{Ground, Link};

/// What stores answer.
type Answer<T> = Result<T, Unavailable>;

/// The store. After each call the oracle sees what is really kept of the item.
pub struct Watched {
    /// Where items are kept in the end.
    pub model: Arc<ModelStore>,
    /// The store under test: the model, or something broken over it.
    pub store: Arc<dyn ConfirmationStore>,
    /// Where the oracle is.
    pub ground: Ground,
}

impl Watched {
    async fn look(&self, id: ConfirmationId) {
        let beginning = Timestamp::from_millis(0);
        if let Ok(Some(item)) = self.model.find(id, beginning).await {
            let now = self.ground.sim.now();
            self.ground.oracle.with(|oracle| oracle.sees(&item, now));
        }
    }
}

/// A process's way to the store.
#[derive(Clone)]
pub struct StoreLink {
    /// The process.
    pub link: Link,
    /// The store.
    pub watched: Arc<Watched>,
}

impl StoreLink {
    /// The prefixes and numbers of all apps.
    ///
    /// # Errors
    /// Fails where the drawn fate of the call says so.
    pub async fn inbound_profile(&self) -> Answer<Arc<InboundProfile>> {
        let store = Arc::clone(&self.watched);
        let effect = async move { store.model.inbound_profile().await };
        self.link.call("apps: profile", effect).await
    }
}

/// Calls the store over the link, with what the call takes made one's own.
macro_rules! over_the_link {
    ($self:ident, $name:literal, $id:expr, |$store:ident| $call:expr) => {{
        let watched = Arc::clone(&$self.watched);
        let effect = async move {
            let $store = &watched.store;
            let answer = $call.await;
            watched.look($id).await;
            answer
        };
        $self.link.call($name, effect).await
    }};
}

#[async_trait]
impl ConfirmationStore for StoreLink {
    async fn create(&self, new: Confirmation, now: Timestamp) -> Answer<CreateOutcome> {
        let id = new.id;
        over_the_link!(self, "store: create", id, |store| store.create(new, now))
    }

    async fn find(&self, id: ConfirmationId, now: Timestamp) -> Answer<Option<Confirmation>> {
        over_the_link!(self, "store: find", id, |store| store.find(id, now))
    }

    async fn verify(
        &self,
        id: ConfirmationId,
        evidence: &TextEvidence,
        now: Timestamp,
        retention: Duration,
    ) -> Answer<VerifyOutcome> {
        let evidence = evidence.clone();
        over_the_link!(self, "store: verify", id, |store| store
            .verify(id, &evidence, now, retention))
    }

    async fn cancel(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
    ) -> Answer<CancelOutcome> {
        let app = app.clone();
        over_the_link!(self, "store: cancel", id, |store| store
            .cancel(id, &app, now))
    }

    async fn redact(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
    ) -> Answer<RedactOutcome> {
        let app = app.clone();
        over_the_link!(self, "store: redact", id, |store| store
            .redact(id, &app, now))
    }

    async fn redeliver(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
        retention: Duration,
    ) -> Answer<RedeliverOutcome> {
        let app = app.clone();
        over_the_link!(self, "store: redeliver", id, |store| store
            .redeliver(id, &app, now, retention))
    }

    async fn claim(
        &self,
        id: ConfirmationId,
        attempts_claimed: u32,
        now: Timestamp,
    ) -> Answer<ClaimOutcome> {
        let watched = Arc::clone(&self.watched);
        let effect = async move {
            let outcome = watched.store.claim(id, attempts_claimed, now).await;
            watched.look(id).await;
            if let Ok(ClaimOutcome::Claimed(item)) = &outcome {
                let oracle = &watched.ground.oracle;
                oracle.with(|oracle| oracle.claimed(item, attempts_claimed));
            }
            outcome
        };
        self.link.call("store: claim", effect).await
    }

    async fn settle(
        &self,
        id: ConfirmationId,
        settled: SettledAttempt,
        now: Timestamp,
        retention: Duration,
    ) -> Answer<SettleOutcome> {
        over_the_link!(self, "store: settle", id, |store| store
            .settle(id, settled, now, retention))
    }

    async fn due_lanes(&self, now: Timestamp) -> Answer<Vec<DeliveryLane>> {
        let watched = Arc::clone(&self.watched);
        let effect = async move { watched.store.due_lanes(now).await };
        self.link.call("store: due lanes", effect).await
    }

    async fn due(
        &self,
        lane: DeliveryLane,
        now: Timestamp,
        after: Option<Due>,
        limit: usize,
    ) -> Answer<Vec<Due>> {
        let watched = Arc::clone(&self.watched);
        let effect = async move {
            let kept = watched.store.due(lane, now, after, limit).await?;
            let (ground, now) = (&watched.ground, watched.ground.sim.now());
            let lags = |entry| {
                ground
                    .sim
                    .draw(|chance| ground.weather.lags(chance, now, entry))
            };
            let seen: Vec<Due> = kept.iter().copied().filter_map(lags).collect();
            if seen != kept {
                ground.count("fault: index lags");
            }
            Ok(seen)
        };
        self.link.call("store: due", effect).await
    }

    async fn postpone(&self, due: Due, now: Timestamp) -> Answer<PostponeOutcome> {
        over_the_link!(self, "store: postpone", due.confirmation, |store| store
            .postpone(due, now))
    }
}
