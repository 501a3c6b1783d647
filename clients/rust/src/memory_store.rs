//! A store in the memory of one process.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;

use crate::error::BoxError;
use crate::store::{Acceptance, Act, Store};

const SWEEP_INTERVAL: Duration = Duration::from_mins(1);

/// Keeps ids in this process. **Several processes need a shared store**, and a restart forgets all ids.
pub struct MemoryStore {
    now: Box<dyn Fn() -> Duration + Send + Sync>,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    entries: HashMap<String, Arc<Entry>>,
    swept_at: Duration,
}

/// An id's entry, locked by the task that acts on the id.
type Entry = tokio::sync::Mutex<State>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The id was never remembered, or its act failed.
    Unknown,
    Pending {
        until: Duration,
    },
    Accepted {
        until: Duration,
    },
}

impl State {
    /// Returns the state at a time: an expired id is unknown.
    fn at(self, now: Duration) -> Self {
        match self {
            Self::Pending { until } | Self::Accepted { until } if until <= now => Self::Unknown,
            state => state,
        }
    }
}

impl MemoryStore {
    /// Creates a store without ids.
    #[must_use]
    pub fn new() -> Self {
        let start = Instant::now();
        Self::with_clock(move || start.elapsed())
    }

    pub(crate) fn with_clock(now: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self {
            now: Box::new(now),
            table: Mutex::default(),
        }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the entry of an id, and creates it if necessary.
    fn entry(&self, id: &str) -> Arc<Entry> {
        let now = (self.now)();
        let mut table = self.table();
        if now.saturating_sub(table.swept_at) > SWEEP_INTERVAL {
            table.swept_at = now;
            // An entry held by another task is not examined before that task has ended.
            table.entries.retain(|_, entry| {
                let is_held = Arc::strong_count(entry) > 1;
                is_held
                    || entry
                        .try_lock()
                        .is_ok_and(|state| state.at(now) != State::Unknown)
            });
        }
        let new = || Arc::new(Entry::new(State::Unknown));
        Arc::clone(table.entries.entry(id.to_owned()).or_insert_with(new))
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore")
            .field("ids", &self.table().entries.len())
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn remember(&self, id: &str, ttl: Duration, act: Act<'_>) -> Result<bool, BoxError> {
        let entry = self.entry(id);
        let mut state = entry.lock().await;
        if state.at((self.now)()) != State::Unknown {
            return Ok(false);
        }
        act.await?;
        *state = State::Pending {
            until: (self.now)() + ttl,
        };
        Ok(true)
    }

    async fn accept(&self, id: &str, act: Act<'_>) -> Result<Acceptance, BoxError> {
        let known = self.table().entries.get(id).map(Arc::clone);
        let Some(entry) = known else {
            return Ok(Acceptance::Unknown);
        };
        let mut state = entry.lock().await;
        match state.at((self.now)()) {
            State::Unknown => Ok(Acceptance::Unknown),
            State::Accepted { .. } => Ok(Acceptance::Repeated),
            State::Pending { until } => {
                act.await?;
                *state = State::Accepted { until };
                Ok(Acceptance::Accepted)
            }
        }
    }
}
