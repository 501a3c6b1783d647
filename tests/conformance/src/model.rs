//! The reference implementation: in-memory documents, with code that is too simple to be wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use countersign_domain::delivery::due::{Due, DueFrom, DueIndex, DuePart, NextAttempt, OwedIndex};
use countersign_domain::delivery::{DeliveryKind, DeliveryLine, DeliveryPointer, DeliverySubject};
use countersign_domain::primitives::ids::{AppId, ConfirmationId};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::{
    Before, Created, Document, Entity, Items, Key, Listed, Listing, Replaced, Revision, Stored,
};

/// In-memory documents. Documents are never removed.
#[derive(Debug, Default)]
pub struct ModelItems(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    documents: BTreeMap<Key, Stored>,
    /// The due entries of both kinds.
    due: [BTreeSet<Due>; 2],
    owed: OwedMap,
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
                .inspect(|next| self.owed.remove(next));
        }
        document
            .next_attempt()
            .inspect(|next| self.owed.insert(next));
        if let Some(due) = document.due() {
            self.due[due.subject.kind() as usize].insert(due);
        }
        let revision = Revision(self.writes);
        let document = Box::new(document);
        self.documents.insert(key, Stored { document, revision });
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

    /// Returns all entities of one kind, ordered by key, including those past their `purge_at`.
    #[must_use]
    pub fn every<T: Entity>(&self) -> Vec<T> {
        let all = self.all().into_iter();
        all.filter_map(|(_, document)| T::of(document)).collect()
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
    async fn get(&self, key: &Key) -> Result<Option<Stored>, Unavailable> {
        Ok(self.state().documents.get(key).cloned())
    }

    async fn create(
        &self,
        key: &Key,
        new: Document,
        now: Timestamp,
        most_open: Option<NonZeroU32>,
    ) -> Result<Created, Unavailable> {
        let mut state = self.state();
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
        let mut state = self.state();
        let present = state.documents.get(key).cloned();
        if present.as_ref().map(|stored| stored.revision) != Some(seen.revision) {
            return Ok(Replaced::Changed(present));
        }
        state.put(key.clone(), new);
        Ok(Replaced::Made)
    }

    async fn list(
        &self,
        what: Listing,
        limit: usize,
    ) -> Result<Vec<Result<Document, Unavailable>>, Unavailable> {
        let documents = self.all().into_iter().map(|(_, document)| document);
        let mut listed: Vec<_> = documents
            .filter(|document| match what {
                Listing::Apps => matches!(document, Document::App(_)),
                Listing::Audit => matches!(document, Document::Audit(_)),
            })
            .map(Ok)
            .collect();
        if what == Listing::Audit {
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
        before: Before,
        limit: usize,
    ) -> Result<Vec<Listed>, Unavailable> {
        let started = |(key, document): (Key, Document)| {
            let (by, _, at) = document.started()?;
            let subject = key.subject().filter(|it| it.kind() == kind && by == app)?;
            Some(((at, subject), document))
        };
        let comes_before = |place: (Timestamp, DeliverySubject)| match before {
            Before::Time(at) => place.0 < at,
            Before::Item(at, subject) => place < (at, subject),
        };
        let mut found: Vec<_> = self.all().into_iter().filter_map(started).collect();
        found.retain(|(place, _)| place.0 >= from && comes_before(*place));
        found.sort_by_key(|(place, _)| *place);
        let newest_first = found.into_iter().rev().take(limit);
        let listed = newest_first.map(|((started_at, subject), document)| Listed {
            started_at,
            subject,
            document: Ok(document),
        });
        Ok(listed.collect())
    }
}

#[async_trait]
impl DueIndex for ModelItems {
    /// Each kind of entry is one part of the index.
    fn parts(&self) -> Vec<DuePart> {
        vec![DuePart(0), DuePart(1)]
    }

    async fn due(
        &self,
        part: DuePart,
        now: Timestamp,
        from: DueFrom,
        limit: usize,
    ) -> Result<Vec<Due>, Unavailable> {
        let state = self.state();
        let Some(part) = state.due.get(usize::from(part.0)) else {
            return Ok(Vec::new());
        };
        let from = match from {
            DueFrom::Time(due_at) => Bound::Included(Due {
                due_at,
                subject: ConfirmationId::from_bytes([0; 16]).into(),
            }),
            DueFrom::After(seen) => Bound::Excluded(seen),
        };
        let due = part.range((from, Bound::Unbounded));
        let due = due.take_while(|due| due.due_at <= now).take(limit);
        Ok(due.copied().collect())
    }
}

impl OwedIndex for ModelItems {
    fn lines(
        &self,
        after: Option<DeliveryLine>,
        limit: usize,
    ) -> Result<Vec<(DeliveryLine, Timestamp)>, Unavailable> {
        self.state().owed.lines(after, limit)
    }

    fn attempts(&self, line: DeliveryLine, limit: usize) -> Result<Vec<NextAttempt>, Unavailable> {
        self.state().owed.attempts(line, limit)
    }
}

/// In-memory attempts, ordered by line and by time.
#[derive(Debug, Default)]
pub struct OwedMap(BTreeMap<DeliveryLine, BTreeSet<(Timestamp, DeliverySubject, u32)>>);

impl OwedMap {
    pub fn insert(&mut self, next: &NextAttempt) {
        let line = self.0.entry((&next.pointer).into()).or_default();
        line.insert(Self::entry(next));
    }

    pub fn remove(&mut self, next: &NextAttempt) {
        let name = DeliveryLine::from(&next.pointer);
        if let Some(line) = self.0.get_mut(&name) {
            line.remove(&Self::entry(next));
            if line.is_empty() {
                self.0.remove(&name);
            }
        }
    }

    const fn entry(next: &NextAttempt) -> (Timestamp, DeliverySubject, u32) {
        (next.at, next.pointer.subject, next.pointer.attempts_claimed)
    }
}

impl OwedIndex for OwedMap {
    fn lines(
        &self,
        after: Option<DeliveryLine>,
        limit: usize,
    ) -> Result<Vec<(DeliveryLine, Timestamp)>, Unavailable> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let lines = self.0.range((from, Bound::Unbounded)).take(limit);
        Ok(lines
            .filter_map(|(line, entries)| Some((*line, entries.first()?.0)))
            .collect())
    }

    fn attempts(&self, line: DeliveryLine, limit: usize) -> Result<Vec<NextAttempt>, Unavailable> {
        let entries = self.0.get(&line).into_iter().flatten().take(limit);
        let attempt = |(at, subject, attempts_claimed): &_| NextAttempt {
            at: *at,
            pointer: DeliveryPointer {
                subject: *subject,
                attempts_claimed: *attempts_claimed,
                group: line.group,
            },
        };
        Ok(entries.map(attempt).collect())
    }
}
