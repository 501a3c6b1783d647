use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use countersign_domain::delivery::store::Due;
use countersign_domain::delivery::transitions::Owes;
use countersign_domain::delivery::{Decision, DeliveryLane, DeliverySubject};
use countersign_domain::primitives::time::Timestamp;

/// Items of one kind, keyed by id, and their due index.
#[derive(Debug)]
pub(super) struct Items<T> {
    by_id: BTreeMap<DeliverySubject, T>,
    due: BTreeMap<DeliveryLane, BTreeSet<Due>>,
}

impl<T> Default for Items<T> {
    fn default() -> Self {
        Self {
            by_id: BTreeMap::new(),
            due: BTreeMap::new(),
        }
    }
}

impl<T: Owes + Clone> Items<T> {
    /// Returns every item, including those past their `purge_at`.
    pub(super) fn all(&self) -> Vec<T> {
        self.by_id.values().cloned().collect()
    }

    pub(super) fn find(&self, id: impl Into<DeliverySubject>, now: Timestamp) -> Option<T> {
        let found = self.by_id.get(&id.into());
        found.filter(|item| now < item.purge_at()).cloned()
    }

    /// Stores an item, replacing the one with the same id.
    pub(super) fn put(&mut self, item: T) {
        let (subject, lane, due) = (item.subject(), item.lane(), item.due());
        let before = self.by_id.insert(subject, item);
        if let Some(before) = before.and_then(|item| item.due()) {
            self.due.entry(before.lane).or_default().remove(&before);
        }
        self.due.entry(lane).or_default().extend(due);
    }

    pub(super) fn decide<O>(
        &mut self,
        id: impl Into<DeliverySubject>,
        decide: impl FnOnce(Option<T>) -> Decision<T, O>,
    ) -> O {
        let current = self.by_id.get(&id.into()).cloned();
        let Decision { outcome, write } = decide(current);
        if let Some(item) = write {
            self.put(item);
        }
        outcome
    }

    pub(super) fn due_lanes(&self, now: Timestamp) -> Vec<DeliveryLane> {
        let is_due = |lane: &BTreeSet<Due>| lane.first().is_some_and(|due| due.due_at <= now);
        let lanes = self.due.iter().filter(|(_, due)| is_due(due));
        lanes.map(|(lane, _)| *lane).collect()
    }

    pub(super) fn due(
        &self,
        lane: DeliveryLane,
        now: Timestamp,
        after: Option<Due>,
        limit: usize,
    ) -> Vec<Due> {
        let Some(due) = self.due.get(&lane) else {
            return Vec::new();
        };
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let due = due.range((from, Bound::Unbounded));
        let due = due.take_while(|due| due.due_at <= now).take(limit);
        due.copied().collect()
    }
}
