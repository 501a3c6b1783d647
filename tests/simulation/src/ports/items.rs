//! The documents, which the oracle watches, and a process's link to them.

use std::num::NonZeroU32;
use std::sync::Arc;

use async_trait::async_trait;
use countersign_conformance::model::ModelItems;
use countersign_domain::delivery::DeliveryKind;
use countersign_domain::delivery::due::{DueEntry, DueIndex, DuePartition, DueStart};
use countersign_domain::login::KeyId;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::{
    Collection, CreateResult, Document, Items, Key, ListedItem, ListedKey, PageStart,
    ReplaceResult, Store, StoredDocument, Write,
};

use crate::env::{Env, Link};

/// The documents. After each write, the oracle checks the stored document.
pub struct Watched {
    /// The model that keeps the documents.
    pub model: Arc<ModelItems>,
    /// The shared parts of the run, with the oracle.
    pub env: Env,
}

impl Watched {
    async fn look(&self, key: &Key) {
        let Ok(Some(stored)) = self.model.get(key).await else {
            return;
        };
        self.env.sim.changed();
        let now = self.env.sim.now();
        self.env.oracle.with(|oracle| match *stored.document {
            Document::Confirmation(item) => oracle.observe(&item, now),
            Document::Login(item) => oracle.observe_login(&item, now),
            Document::AssociationKey(key) => oracle.observe_key(key.id, Some(&key), now),
            _ => {}
        });
    }
}

/// A process's link to the documents.
#[derive(Clone)]
pub struct ItemsLink {
    /// The process.
    pub link: Link,
    /// The documents.
    pub watched: Arc<Watched>,
}

impl ItemsLink {
    /// Returns the process's store.
    #[must_use]
    pub fn store(self) -> Arc<Store> {
        let clock = Arc::new(self.link.clone());
        Arc::new(Store::new(Arc::new(self), clock))
    }
}

#[async_trait]
impl Items for ItemsLink {
    async fn get(&self, key: &Key) -> Result<Option<StoredDocument>, Unavailable> {
        let (watched, key) = (Arc::clone(&self.watched), key.clone());
        let effect = async move { watched.model.get(&key).await };
        self.link.call("items: get", effect).await
    }

    async fn create(
        &self,
        key: &Key,
        new: Document,
        now: Timestamp,
        most_open: Option<NonZeroU32>,
    ) -> Result<CreateResult, Unavailable> {
        let (watched, key) = (Arc::clone(&self.watched), key.clone());
        let effect = async move {
            let created = watched.model.create(&key, new, now, most_open).await;
            watched.look(&key).await;
            created
        };
        self.link.call("items: create", effect).await
    }

    async fn replace(
        &self,
        key: &Key,
        seen: &StoredDocument,
        new: Document,
    ) -> Result<ReplaceResult, Unavailable> {
        let (watched, key, seen) = (Arc::clone(&self.watched), key.clone(), seen.clone());
        let effect = async move {
            let replaced = watched.model.replace(&key, &seen, new).await;
            watched.look(&key).await;
            replaced
        };
        self.link.call("items: replace", effect).await
    }

    async fn write_both(&self, writes: [Write; 2]) -> Result<bool, Unavailable> {
        let watched = Arc::clone(&self.watched);
        let effect = async move {
            let keys = writes.each_ref().map(|write| write.key.clone());
            let written = watched.model.write_both(writes).await;
            for key in &keys {
                watched.look(key).await;
            }
            written
        };
        self.link.call("items: write both", effect).await
    }

    async fn list(
        &self,
        what: Collection,
        limit: usize,
    ) -> Result<Vec<Result<Document, Unavailable>>, Unavailable> {
        let watched = Arc::clone(&self.watched);
        let effect = async move { watched.model.list(what, limit).await };
        self.link.call("items: list", effect).await
    }

    async fn started(
        &self,
        kind: DeliveryKind,
        app: &AppId,
        from: Timestamp,
        before: PageStart,
        limit: usize,
    ) -> Result<Vec<ListedItem>, Unavailable> {
        let (watched, app) = (Arc::clone(&self.watched), app.clone());
        let effect = async move { watched.model.started(kind, &app, from, before, limit).await };
        self.link.call("items: started", effect).await
    }

    async fn association_keys(
        &self,
        app: &AppId,
        after: Option<KeyId>,
        limit: usize,
    ) -> Result<Vec<ListedKey>, Unavailable> {
        let (watched, app) = (Arc::clone(&self.watched), app.clone());
        let effect = async move { watched.model.association_keys(&app, after, limit).await };
        self.link.call("items: association keys", effect).await
    }
}

#[async_trait]
impl DueIndex for ItemsLink {
    fn parts(&self) -> Vec<DuePartition> {
        self.watched.model.parts()
    }

    async fn due(
        &self,
        part: DuePartition,
        now: Timestamp,
        from: DueStart,
        limit: usize,
    ) -> Result<Vec<DueEntry>, Unavailable> {
        let watched = Arc::clone(&self.watched);
        let effect = async move {
            let kept = watched.model.due(part, now, from, limit).await?;
            let (env, now) = (&watched.env, watched.env.sim.now());
            let lags = |entry| env.sim.draw(|chance| env.weather.lags(chance, now, entry));
            let seen: Vec<DueEntry> = kept.iter().copied().filter_map(lags).collect();
            if seen != kept {
                env.count("fault: index lags");
            }
            Ok(seen)
        };
        self.link.call("items: due", effect).await
    }
}
