//! The last use of API keys and client secrets, to the day.
//!
//! A process notes each use in memory, and records the day later, when no request waits: at most once a day for each
//! key, and once for all processes.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;

use super::Store;
use super::document::{Key, KeyUse};
use crate::app::api_key::{ApiKeyHash, ApiKeyRecord};
use crate::delivery::Decision;
use crate::primitives::day::Day;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// Time after which a use that was not recorded is tried again.
const RETRY_AFTER: Duration = Duration::from_mins(1);

/// Number of keys that are read or written at once.
const AT_ONCE: usize = 16;

/// The uses that a process has seen. Callers note only keys that exist, so they cannot make it grow.
#[derive(Debug, Default)]
pub(super) struct KeyUses(Mutex<HashMap<ApiKeyHash, SeenUse>>);

#[derive(Clone, Copy, Debug)]
struct SeenUse {
    day: Day,
    is_recorded: bool,
    tried_at: Option<Timestamp>,
}

impl KeyUses {
    fn note(&self, key: ApiKeyHash, now: Timestamp) {
        let day = Day::of(now);
        let new = SeenUse {
            day,
            is_recorded: false,
            tried_at: None,
        };
        let mut seen = self.seen();
        let seen = seen.entry(key).or_insert(new);
        if seen.day < day {
            *seen = new;
        }
    }

    /// Returns the uses to record, each of which is not returned again for a minute.
    fn take(&self, now: Timestamp) -> Vec<(ApiKeyHash, Day)> {
        let mut seen = self.seen();
        let due = seen.iter_mut().filter(|(_, seen)| {
            let waits = |tried_at| tried_at <= now && now.since(tried_at) < RETRY_AFTER;
            !seen.is_recorded && !seen.tried_at.is_some_and(waits)
        });
        let taken = due.map(|(key, seen)| {
            seen.tried_at = Some(now);
            (*key, seen.day)
        });
        taken.collect()
    }

    fn recorded(&self, key: &ApiKeyHash, day: Day) {
        if let Some(seen) = self.seen().get_mut(key)
            && seen.day == day
        {
            seen.is_recorded = true;
        }
    }

    fn day_of(&self, key: &ApiKeyHash) -> Option<Day> {
        self.seen().get(key).map(|seen| seen.day)
    }

    fn seen(&self) -> MutexGuard<'_, HashMap<ApiKeyHash, SeenUse>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store {
    /// Notes that an active key was used. Touches no document.
    pub fn note_key_use(&self, key: &ApiKeyHash) {
        self.key_uses.note(*key, self.clock.now());
    }

    /// Records the noted uses, each once a day. A use that cannot be recorded is tried again by a later call.
    ///
    /// # Errors
    /// Fails if a use could not be recorded.
    pub async fn record_key_uses(&self) -> Result<(), Unavailable> {
        let mut result = Ok(());
        for uses in self.key_uses.take(self.clock.now()).chunks(AT_ONCE) {
            let uses = uses.iter();
            let recorded = join_all(uses.map(|(key, day)| self.record_key_use(key, *day))).await;
            result = recorded.into_iter().fold(result, Result::and);
        }
        result
    }

    async fn record_key_use(&self, key: &ApiKeyHash, day: Day) -> Result<(), Unavailable> {
        let decide = |known: Option<KeyUse>| Decision {
            outcome: (),
            write: known
                .is_none_or(|known| known.day < day)
                .then_some(KeyUse { day }),
        };
        let recorded = self.change(Key::KeyUse(*key), decide).await;
        // A damaged document stays damaged. Tomorrow's use shows it again.
        if recorded.as_ref().err().is_none_or(Unavailable::is_damage) {
            self.key_uses.recorded(key, day);
        }
        recorded
    }

    /// Returns the day of each key's last use; `None` for a key that was never used, or whose last use cannot be read.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn last_uses(&self, keys: &[ApiKeyRecord]) -> Result<Vec<Option<Day>>, Unavailable> {
        let keys = keys.iter().map(|key| key.hash).collect::<Vec<_>>();
        self.last_uses_of(&keys).await
    }

    pub(super) async fn last_uses_of(
        &self,
        keys: &[ApiKeyHash],
    ) -> Result<Vec<Option<Day>>, Unavailable> {
        let mut days = Vec::with_capacity(keys.len());
        for keys in keys.chunks(AT_ONCE) {
            for day in join_all(keys.iter().map(|key| self.last_use(key))).await {
                days.push(day?);
            }
        }
        Ok(days)
    }

    async fn last_use(&self, key: &ApiKeyHash) -> Result<Option<Day>, Unavailable> {
        let recorded = match self.get::<KeyUse>(Key::KeyUse(*key)).await {
            Err(error) if error.is_damage() => None,
            found => found?.map(|found| found.day),
        };
        // The newest use may not be recorded yet.
        Ok(recorded.max(self.key_uses.day_of(key)))
    }
}
