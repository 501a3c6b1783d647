//! The link to the store of association keys.

use std::sync::Arc;

use async_trait::async_trait;
use countersign_domain::login::association_key::store::AssociationKeyStore;
use countersign_domain::login::association_key::transitions::{RegisterOutcome, RevokeOutcome};
use countersign_domain::login::{AssociationKey, ClaimedUserId, KeyId};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;

use super::store::Answer;
use super::{StoreLink, Watched};

impl Watched {
    /// Lets the oracle check a key.
    async fn look_at_key(&self, app: &AppId, id: KeyId) {
        if let Ok(key) = self.model.association_keys().find_key(app, id).await {
            let (oracle, now) = (&self.env.oracle, self.env.sim.now());
            oracle.with(|oracle| oracle.observe_key(id, key.as_ref(), now));
        }
    }
}

#[async_trait]
impl AssociationKeyStore for StoreLink {
    async fn register(&self, new: AssociationKey) -> Answer<RegisterOutcome> {
        let watched = Arc::clone(&self.watched);
        let effect = async move {
            let (app, id) = (new.app.clone(), new.id);
            let outcome = watched.association_keys.register(new).await;
            watched.look_at_key(&app, id).await;
            outcome
        };
        self.link.call("keys: register", effect).await
    }

    async fn find_key(&self, app: &AppId, id: KeyId) -> Answer<Option<AssociationKey>> {
        let (watched, app) = (Arc::clone(&self.watched), app.clone());
        let effect = async move { watched.association_keys.find_key(&app, id).await };
        self.link.call("keys: find", effect).await
    }

    async fn list(&self, app: &AppId, owner: &ClaimedUserId) -> Answer<Vec<AssociationKey>> {
        let (watched, app, owner) = (Arc::clone(&self.watched), app.clone(), owner.clone());
        let effect = async move { watched.association_keys.list(&app, &owner).await };
        self.link.call("keys: list", effect).await
    }

    async fn revoke(&self, app: &AppId, id: KeyId, now: Timestamp) -> Answer<RevokeOutcome> {
        let (watched, app) = (Arc::clone(&self.watched), app.clone());
        let effect = async move {
            let outcome = watched.association_keys.revoke(&app, id, now).await;
            watched.look_at_key(&app, id).await;
            outcome
        };
        self.link.call("keys: revoke", effect).await
    }
}
