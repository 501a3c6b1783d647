//! The reference implementation: in-memory documents, with code that is too simple to be wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use countersign_domain::delivery::due::{
    DueEntry, DueIndex, DuePartition, DueStart, NextAttempt, PendingIndex,
};
use countersign_domain::delivery::{DeliveryKind, DeliveryPointer, DeliverySubject, ReceiverShard};
use countersign_domain::login::KeyId;
use countersign_domain::primitives::ids::{AppId, ConfirmationId};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::{
    Collection, CreateResult, Document, Entity, Items, Key, ListedItem, ListedKey, PageStart,
    ReplaceResult, Revision, StoredDocument, Write,
};

/// In-memory documents. Documents are never removed.
#[derive(Debug, Default)]
pub struct ModelItems(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    documents: BTreeMap<Key, StoredDocument>,
    /// The due entries of both kinds.
    due: [BTreeSet<DueEntry>; 2],
    pending: PendingMap,
    writes: u64,
}

impl State {
    fn put(&mut self, key: Key, document: Document) {
        self.writes += 1;
        if let Some(before) = self.documents.get(&key) {
            if let Some(due) = before.document.due() {
                self.due[due.subject.kind() as usize].remove(&due);
            }
            before
                .document
                .next_attempt()
                .inspect(|next| self.pending.remove(next));
        }
        document
            .next_attempt()
            .inspect(|next| self.pending.insert(next));
        if let Some(due) = document.due() {
            self.due[due.subject.kind() as usize].insert(due);
        }
        let revision = Revision(self.writes);
        let document = Box::new(document);
        self.documents
            .insert(key, StoredDocument { document, revision });
    }
}

impl ModelItems {
    /// Returns every document, ordered by key, including those past their `purge_at`.
    #[must_use]
    pub fn all(&self) -> Vec<(Key, Document)> {
        let state = self.state();
        let all = state.documents.iter();
        all.map(|(key, stored)| (key.clone(), (*stored.document).clone()))
            .collect()
    }

    /// Returns when the first delivery is due.
    #[must_use]
    pub fn first_due(&self) -> Option<Timestamp> {
        let state = self.state();
        let all = state.documents.values();
        all.filter_map(|stored| Some(stored.document.due()?.due_at))
            .min()
    }

    /// Returns all entities of one kind, ordered by key, including those past their `purge_at`.
    #[must_use]
    pub fn every<T: Entity>(&self) -> Vec<T> {
        let all = self.all().into_iter();
        all.filter_map(|(_, document)| T::from_document(document))
            .collect()
    }

    /// Stores an entity, regardless of what is stored under the key.
    pub fn put(&self, key: impl Into<Key>, entity: impl Entity) {
        self.state().put(key.into(), entity.into_document());
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Items for ModelItems {
    async fn get(&self, key: &Key) -> Result<Option<StoredDocument>, Unavailable> {
        Ok(self.state().documents.get(key).cloned())
    }

    async fn create(
        &self,
        key: &Key,
        new: Document,
        now: Timestamp,
        most_open: Option<NonZeroU32>,
    ) -> Result<CreateResult, Unavailable> {
        let mut state = self.state();
        if let Some(present) = state.documents.get(key)
            && present.document.purge_at().is_none_or(|end| now < end)
        {
            return Ok(CreateResult::Present(present.clone()));
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
                return Ok(CreateResult::Full { first_ends_at });
            }
        }
        state.put(key.clone(), new);
        Ok(CreateResult::Made)
    }

    async fn replace(
        &self,
        key: &Key,
        seen: &StoredDocument,
        new: Document,
    ) -> Result<ReplaceResult, Unavailable> {
        let mut state = self.state();
        let present = state.documents.get(key).cloned();
        if present.as_ref().map(|stored| stored.revision) != Some(seen.revision) {
            return Ok(ReplaceResult::Changed(present));
        }
        state.put(key.clone(), new);
        Ok(ReplaceResult::Made)
    }

    async fn write_both(&self, writes: [Write; 2]) -> Result<bool, Unavailable> {
        let mut state = self.state();
        let revision = |stored: Option<&StoredDocument>| stored.map(|stored| stored.revision);
        let is_as_seen = |write: &Write| {
            revision(state.documents.get(&write.key)) == revision(write.seen.as_ref())
        };
        let as_seen = writes.iter().all(is_as_seen);
        if as_seen {
            for write in writes {
                state.put(write.key, write.new);
            }
        }
        Ok(as_seen)
    }

    async fn list(
        &self,
        what: Collection,
        limit: usize,
    ) -> Result<Vec<Result<Document, Unavailable>>, Unavailable> {
        let documents = self.all().into_iter().map(|(_, document)| document);
        let mut listed: Vec<_> = documents
            .filter(|document| match what {
                Collection::Apps => matches!(document, Document::App(_)),
                Collection::Audit => matches!(document, Document::Audit(_)),
            })
            .map(Ok)
            .collect();
        if what == Collection::Audit {
            listed.reverse();
        }
        listed.truncate(limit);
        Ok(listed)
    }

    async fn started(
        &self,
        kind: DeliveryKind,
        app: &AppId,
        from: Timestamp,
        before: PageStart,
        limit: usize,
    ) -> Result<Vec<ListedItem>, Unavailable> {
        let started = |(key, document): (Key, Document)| {
            let (by, _, at) = document.started()?;
            let subject = key.subject().filter(|it| it.kind() == kind && by == app)?;
            Some(((at, subject), document))
        };
        let comes_before = |place: (Timestamp, DeliverySubject)| match before {
            PageStart::Time(at) => place.0 < at,
            PageStart::Item(at, subject) => place < (at, subject),
        };
        let mut found: Vec<_> = self.all().into_iter().filter_map(started).collect();
        found.retain(|(place, _)| place.0 >= from && comes_before(*place));
        found.sort_by_key(|(place, _)| *place);
        let newest_first = found.into_iter().rev().take(limit);
        let listed = newest_first.map(|((started_at, subject), document)| ListedItem {
            started_at,
            subject,
            document: Ok(document),
        });
        Ok(listed.collect())
    }

    async fn association_keys(
        &self,
        app: &AppId,
        after: Option<KeyId>,
        limit: usize,
    ) -> Result<Vec<ListedKey>, Unavailable> {
        let key = |(key, document)| match key {
            Key::AssociationKey(of, id) if of == *app => Some((id.to_string(), id, document)),
            _ => None,
        };
        let mut found: Vec<_> = self.all().into_iter().filter_map(key).collect();
        found.retain(|(text, ..)| after.is_none_or(|after| *text > after.to_string()));
        found.sort_by(|(a, ..), (b, ..)| a.cmp(b));
        let listed = found.into_iter().take(limit);
        let listed = listed.map(|(_, id, document)| ListedKey {
            id,
            document: Ok(document),
        });
        Ok(listed.collect())
    }
}

#[async_trait]
impl DueIndex for ModelItems {
    /// Each kind of entry is one part of the index.
    fn parts(&self) -> Vec<DuePartition> {
        vec![DuePartition(0), DuePartition(1)]
    }

    async fn due(
        &self,
        part: DuePartition,
        now: Timestamp,
        from: DueStart,
        limit: usize,
    ) -> Result<Vec<DueEntry>, Unavailable> {
        let state = self.state();
        let Some(part) = state.due.get(usize::from(part.0)) else {
            return Ok(Vec::new());
        };
        let from = match from {
            DueStart::Time(due_at) => Bound::Included(DueEntry {
                due_at,
                subject: ConfirmationId::from_bytes([0; 16]).into(),
            }),
            DueStart::After(seen) => Bound::Excluded(seen),
        };
        let due = part.range((from, Bound::Unbounded));
        let due = due.take_while(|due| due.due_at <= now).take(limit);
        Ok(due.copied().collect())
    }
}

impl PendingIndex for ModelItems {
    fn shards(
        &self,
        after: Option<ReceiverShard>,
        limit: usize,
    ) -> Result<Vec<(ReceiverShard, Timestamp)>, Unavailable> {
        self.state().pending.shards(after, limit)
    }

    fn attempts(
        &self,
        shard: ReceiverShard,
        limit: usize,
    ) -> Result<Vec<NextAttempt>, Unavailable> {
        self.state().pending.attempts(shard, limit)
    }
}

/// In-memory attempts, ordered by shard and by time.
#[derive(Debug, Default)]
pub struct PendingMap(BTreeMap<ReceiverShard, BTreeSet<(Timestamp, DeliverySubject, u32)>>);

impl PendingMap {
    pub fn insert(&mut self, next: &NextAttempt) {
        let shard = self.0.entry((&next.pointer).into()).or_default();
        shard.insert(Self::entry(next));
    }

    pub fn remove(&mut self, next: &NextAttempt) {
        let name = ReceiverShard::from(&next.pointer);
        if let Some(shard) = self.0.get_mut(&name) {
            shard.remove(&Self::entry(next));
            if shard.is_empty() {
                self.0.remove(&name);
            }
        }
    }

    const fn entry(next: &NextAttempt) -> (Timestamp, DeliverySubject, u32) {
        (next.at, next.pointer.subject, next.pointer.attempts_claimed)
    }
}

impl PendingIndex for PendingMap {
    fn shards(
        &self,
        after: Option<ReceiverShard>,
        limit: usize,
    ) -> Result<Vec<(ReceiverShard, Timestamp)>, Unavailable> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let shards = self.0.range((from, Bound::Unbounded)).take(limit);
        Ok(shards
            .filter_map(|(shard, entries)| Some((*shard, entries.first()?.0)))
            .collect())
    }

    fn attempts(
        &self,
        shard: ReceiverShard,
        limit: usize,
    ) -> Result<Vec<NextAttempt>, Unavailable> {
        let entries = self.0.get(&shard).into_iter().flatten().take(limit);
        let attempt = |(at, subject, attempts_claimed): &_| NextAttempt {
            at: *at,
            pointer: DeliveryPointer {
                subject: *subject,
                attempts_claimed: *attempts_claimed,
                group: shard.group,
            },
        };
        Ok(entries.map(attempt).collect())
    }
}
