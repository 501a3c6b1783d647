use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::sync::Mutex;

use async_trait::async_trait;
use countersign_domain::delivery::DeliveryLane;
use countersign_domain::delivery::store::Due;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::{
    AppDocument, Created, Document, Items, Key, Replaced, Revision, Stored,
};

use super::locked;

/// Documents in memory. Nothing is ever removed.
#[derive(Debug, Default)]
pub struct ModelItems(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    documents: BTreeMap<Key, Stored>,
    writes: u64,
}

impl State {
    fn put(&mut self, key: Key, document: Document) {
        self.writes += 1;
        let revision = Revision(self.writes);
        let document = Box::new(document);
        self.documents.insert(key, Stored { document, revision });
    }
}

impl ModelItems {
    /// Returns every document, ordered by key, including those past their `purge_at`.
    #[must_use]
    pub fn all(&self) -> Vec<(Key, Document)> {
        let state = locked(&self.0);
        let all = state.documents.iter();
        all.map(|(key, stored)| (key.clone(), (*stored.document).clone()))
            .collect()
    }

    /// Stores a document, whatever the key has.
    pub fn put(&self, key: Key, document: Document) {
        locked(&self.0).put(key, document);
    }

    fn dues(&self, now: Timestamp) -> BTreeSet<Due> {
        let state = locked(&self.0);
        let dues = state.documents.values();
        dues.filter_map(|stored| stored.document.due())
            .filter(|due| due.due_at <= now)
            .collect()
    }
}

#[async_trait]
impl Items for ModelItems {
    async fn get(&self, key: &Key) -> Result<Option<Stored>, Unavailable> {
        Ok(locked(&self.0).documents.get(key).cloned())
    }

    async fn create(
        &self,
        key: &Key,
        new: Document,
        now: Timestamp,
        most_open: Option<NonZeroU32>,
    ) -> Result<Created, Unavailable> {
        let mut state = locked(&self.0);
        if let Some(present) = state.documents.get(key)
            && present.document.purge_at().is_none_or(|end| now < end)
        {
            return Ok(Created::Present(present.clone()));
        }
        if let (Some(most), Some((app, kind, _))) = (most_open, new.open()) {
            let ends: BTreeMap<_, usize> = state
                .documents
                .values()
                .filter_map(|stored| stored.document.open())
                .filter(|(theirs, known, end)| *theirs == app && *known == kind && now < *end)
                .fold(BTreeMap::new(), |mut ends, (_, _, end)| {
                    *ends.entry(end).or_default() += 1;
                    ends
                });
            let open: usize = ends.values().sum();
            if let Some(first_ends_at) = ends.keys().next()
                && open >= most.get() as usize
            {
                let first_ends_at = *first_ends_at;
                return Ok(Created::Full { first_ends_at });
            }
        }
        state.put(key.clone(), new);
        Ok(Created::Made)
    }

    async fn replace(
        &self,
        key: &Key,
        seen: &Stored,
        new: Document,
    ) -> Result<Replaced, Unavailable> {
        let mut state = locked(&self.0);
        let present = state.documents.get(key).cloned();
        if present.as_ref().map(|stored| stored.revision) != Some(seen.revision) {
            return Ok(Replaced::Changed(present));
        }
        state.put(key.clone(), new);
        Ok(Replaced::Made)
    }

    async fn apps(
        &self,
        limit: usize,
    ) -> Result<Vec<Result<AppDocument, Unavailable>>, Unavailable> {
        let apps = self
            .all()
            .into_iter()
            .filter_map(|(_, document)| match document {
                Document::App(app) => Some(Ok(app)),
                _ => None,
            });
        Ok(apps.take(limit).collect())
    }

    async fn due_lanes(&self, now: Timestamp) -> Result<Vec<DeliveryLane>, Unavailable> {
        let lanes: BTreeSet<_> = self.dues(now).into_iter().map(|due| due.lane).collect();
        Ok(lanes.into_iter().collect())
    }

    async fn due(
        &self,
        lane: DeliveryLane,
        now: Timestamp,
        after: Option<Due>,
        limit: usize,
    ) -> Result<Vec<Due>, Unavailable> {
        let dues = self.dues(now).into_iter();
        let dues = dues.filter(|due| due.lane == lane && Some(*due) > after);
        Ok(dues.take(limit).collect())
    }
}
