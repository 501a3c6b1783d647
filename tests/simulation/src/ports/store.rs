//! The stores, watched by the oracle, and the link to them.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use countersign_conformance::model::ModelStore;
use countersign_conformance::stores::Stores;
use countersign_domain::app::store::AppStore as _;
use countersign_domain::app::{App, InboundProfile};
use countersign_domain::confirmation::Confirmation;
use countersign_domain::confirmation::carrier::CarrierName;
use countersign_domain::confirmation::miss::Unfit;
use countersign_domain::confirmation::store::ConfirmationStore;
use countersign_domain::confirmation::transitions::{
    CancelOutcome, CarrierOutcome, CreateOutcome, MissOutcome, RedactOutcome, RedeliverOutcome,
    TextEvidence, VerifyOutcome,
};
use countersign_domain::delivery::store::{DeliveryStore, Due};
use countersign_domain::delivery::{
    ClaimOutcome, DeliveryLane, DeliverySubject, PostponeOutcome, SettleOutcome, SettledAttempt,
};
use countersign_domain::login::association_key::store::AssociationKeyStore;
use countersign_domain::login::store::LoginStore as _;
use countersign_domain::primitives::ids::{AppId, ConfirmationId};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

use crate::env::{Env, Link};

/// The answer of a store.
pub(super) type Answer<T> = Result<T, Unavailable>;

/// The stores. After each call the oracle checks the stored item.
pub struct Watched {
    /// The model that keeps the items.
    pub model: Arc<ModelStore>,
    /// The stores under test: the model, or a broken layer over it.
    pub stores: Arc<Stores>,
    /// The store of association keys under test.
    pub association_keys: Arc<dyn AssociationKeyStore>,
    /// The shared parts of the run, with the oracle.
    pub env: Env,
}

impl Watched {
    pub(super) async fn look(&self, subject: impl Into<DeliverySubject>) {
        self.look_after(subject.into(), None).await;
    }

    /// Lets the oracle check an item, after a call that settled an attempt if there was one.
    async fn look_after(&self, subject: DeliverySubject, settled: Option<&SettledAttempt>) {
        let beginning = Timestamp::from_millis(0);
        let (oracle, now) = (&self.env.oracle, self.env.sim.now());
        match subject {
            DeliverySubject::Confirmation(id) => {
                if let Ok(Some(item)) = self.model.find(id, beginning).await {
                    oracle.with(|oracle| oracle.observe(&item, now));
                }
            }
            DeliverySubject::Login(id) => {
                if let Ok(Some(item)) = self.model.logins().find(id, beginning).await {
                    oracle.with(|oracle| oracle.observe_login(&item, settled, now));
                }
            }
        }
    }
}

/// A process's link to the stores.
#[derive(Clone)]
pub struct StoreLink {
    /// The process.
    pub link: Link,
    /// The stores.
    pub watched: Arc<Watched>,
}

impl StoreLink {
    /// Returns the prefixes and numbers of all apps.
    ///
    /// # Errors
    /// Fails if the drawn fate of the call is a failure.
    pub async fn inbound_profile(&self) -> Answer<Arc<InboundProfile>> {
        let store = Arc::clone(&self.watched);
        let effect = async move { store.model.inbound_profile().await };
        self.link.call("apps: profile", effect).await
    }

    /// Finds an app.
    ///
    /// # Errors
    /// Fails if the drawn fate of the call is a failure.
    pub async fn find_app(&self, id: &AppId) -> Answer<Option<Arc<App>>> {
        let (store, id) = (Arc::clone(&self.watched), id.clone());
        let effect = async move { store.model.find_app(&id).await };
        self.link.call("apps: find", effect).await
    }
}

/// Calls a store over the link, and lets the oracle check the item.
macro_rules! over_the_link {
    ($self:ident, $name:literal, $id:expr, |$stores:ident| $call:expr) => {{
        let watched = Arc::clone(&$self.watched);
        let effect = async move {
            let $stores = &watched.stores;
            let answer = $call.await;
            watched.look($id).await;
            answer
        };
        $self.link.call($name, effect).await
    }};
}
pub(super) use over_the_link;

#[async_trait]
impl ConfirmationStore for StoreLink {
    async fn create(&self, new: Confirmation, now: Timestamp) -> Answer<CreateOutcome> {
        let id = new.id;
        over_the_link!(self, "store: create", id, |stores| stores
            .confirmations
            .create(new, now))
    }

    async fn find(&self, id: ConfirmationId, now: Timestamp) -> Answer<Option<Confirmation>> {
        over_the_link!(self, "store: find", id, |stores| stores
            .confirmations
            .find(id, now))
    }

    async fn verify(
        &self,
        id: ConfirmationId,
        evidence: &TextEvidence,
        now: Timestamp,
        retention: Duration,
    ) -> Answer<VerifyOutcome> {
        let evidence = evidence.clone();
        over_the_link!(self, "store: verify", id, |stores| stores
            .confirmations
            .verify(id, &evidence, now, retention))
    }

    async fn record_miss(
        &self,
        id: ConfirmationId,
        unfit: Unfit,
        now: Timestamp,
    ) -> Answer<MissOutcome> {
        over_the_link!(self, "store: record miss", id, |stores| stores
            .confirmations
            .record_miss(id, unfit, now))
    }

    async fn decide_carrier(
        &self,
        id: ConfirmationId,
        name: &CarrierName,
        now: Timestamp,
    ) -> Answer<CarrierOutcome> {
        let name = name.clone();
        over_the_link!(self, "store: decide carrier", id, |stores| stores
            .confirmations
            .decide_carrier(id, &name, now))
    }

    async fn cancel(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
    ) -> Answer<CancelOutcome> {
        let app = app.clone();
        over_the_link!(self, "store: cancel", id, |stores| stores
            .confirmations
            .cancel(id, &app, now))
    }

    async fn redact(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
    ) -> Answer<RedactOutcome> {
        let app = app.clone();
        over_the_link!(self, "store: redact", id, |stores| stores
            .confirmations
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
        over_the_link!(self, "store: redeliver", id, |stores| stores
            .confirmations
            .redeliver(id, &app, now, retention))
    }
}

#[async_trait]
impl DeliveryStore for StoreLink {
    async fn claim(
        &self,
        subject: DeliverySubject,
        attempts_claimed: u32,
        now: Timestamp,
    ) -> Answer<ClaimOutcome> {
        let watched = Arc::clone(&self.watched);
        let effect = async move {
            let deliveries = &watched.stores.deliveries;
            let outcome = deliveries.claim(subject, attempts_claimed, now).await;
            watched.look(subject).await;
            if let Ok(ClaimOutcome::Claimed(claimed)) = &outcome {
                let oracle = &watched.env.oracle;
                oracle.with(|oracle| oracle.claimed(subject, claimed, attempts_claimed));
            }
            outcome
        };
        self.link.call("store: claim", effect).await
    }

    async fn settle(
        &self,
        subject: DeliverySubject,
        settled: SettledAttempt,
        now: Timestamp,
        retention: Duration,
    ) -> Answer<SettleOutcome> {
        let watched = Arc::clone(&self.watched);
        let effect = async move {
            let deliveries = &watched.stores.deliveries;
            let copy = settled.clone();
            let outcome = deliveries.settle(subject, copy, now, retention).await;
            watched.look_after(subject, Some(&settled)).await;
            outcome
        };
        self.link.call("store: settle", effect).await
    }

    async fn due_lanes(&self, now: Timestamp) -> Answer<Vec<DeliveryLane>> {
        let watched = Arc::clone(&self.watched);
        let effect = async move { watched.stores.deliveries.due_lanes(now).await };
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
            let kept = watched
                .stores
                .deliveries
                .due(lane, now, after, limit)
                .await?;
            let (env, now) = (&watched.env, watched.env.sim.now());
            let lags = |entry| env.sim.draw(|chance| env.weather.lags(chance, now, entry));
            let seen: Vec<Due> = kept.iter().copied().filter_map(lags).collect();
            if seen != kept {
                env.count("fault: index lags");
            }
            Ok(seen)
        };
        self.link.call("store: due", effect).await
    }

    async fn postpone(&self, due: Due, now: Timestamp) -> Answer<PostponeOutcome> {
        over_the_link!(self, "store: postpone", due.subject, |stores| stores
            .deliveries
            .postpone(due, now))
    }
}
