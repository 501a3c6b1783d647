//! The open database, which is reopened after a failed write.
//!
//! After an I/O error redb refuses all writes, and all reads that miss its cache. The file has to be
//! reopened; redb then returns to the last whole commit, as after a crash.

use std::fmt;
use std::io;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use redb::Database;

use super::fault::Fault;
use super::open_error::OpenError;

/// Interval at which a reopening handle checks whether all readers have released the old database.
const READERS_POLL: Duration = Duration::from_millis(1);

/// The storage of a database, usually a file.
pub(super) trait Medium: Send + Sync {
    /// Opens the database. Creates it if it does not exist.
    fn open(&self) -> Result<Database, OpenError>;

    /// Opens the database after a write of this process failed. Reads only what is on the medium, and nothing
    /// that a failed flush left in a cache.
    fn open_after_failure(&self) -> Result<Database, OpenError>;

    /// Opens the database without changing the storage. Writes stay in memory.
    fn open_unchanged(&self) -> Result<Database, OpenError>;

    /// Tests whether a write could work by writing, flushing and removing a file beside the database.
    /// This spares the database a failed write and the repair that follows it.
    fn probe(&self) -> io::Result<()>;
}

/// Handle to the open database.
pub(super) struct Handle {
    medium: Box<dyn Medium>,
    state: RwLock<State>,
}

enum State {
    Open(Arc<Database>),
    /// The database failed and cannot be opened for writing yet. It can be read.
    Unchanging(Arc<Database>),
    /// The database failed and cannot be opened at all yet.
    Failed,
    Closed,
}

impl Handle {
    pub(super) fn open(medium: Box<dyn Medium>) -> Result<Self, OpenError> {
        let database = medium.open()?;
        Ok(Self {
            medium,
            state: RwLock::new(State::Open(Arc::new(database))),
        })
    }

    /// Returns the database. Callers should release it soon, because [`Self::reopen`] waits for them.
    pub(super) fn get(&self) -> Result<Arc<Database>, Fault> {
        match &*self.state.read().unwrap_or_else(PoisonError::into_inner) {
            State::Open(database) | State::Unchanging(database) => Ok(Arc::clone(database)),
            State::Failed => Err(Fault::Failed),
            State::Closed => Err(Fault::Closed),
        }
    }

    /// Closes the database and opens it again. If that fails, opens it for reading where possible, and
    /// returns the error. Waits for readers to finish. They do so soon, because their reads now either
    /// fail or are answered from memory.
    pub(super) fn reopen(&self) -> Result<Arc<Database>, OpenError> {
        if let Some(failed) = self.replace(State::Failed) {
            while Arc::strong_count(&failed) > 1 {
                std::thread::sleep(READERS_POLL);
            }
        }
        match self.medium.open_after_failure() {
            Ok(database) => {
                let database = Arc::new(database);
                self.replace(State::Open(Arc::clone(&database)));
                Ok(database)
            }
            Err(error) => {
                if let Ok(database) = self.medium.open_unchanged() {
                    self.replace(State::Unchanging(Arc::new(database)));
                }
                Err(error)
            }
        }
    }

    pub(super) fn probe(&self) -> io::Result<()> {
        self.medium.probe()
    }

    /// Closes the database for good.
    pub(super) fn close(&self) {
        self.replace(State::Closed);
    }

    fn replace(&self, state: State) -> Option<Arc<Database>> {
        let mut current = self.state.write().unwrap_or_else(PoisonError::into_inner);
        match std::mem::replace(&mut *current, state) {
            State::Open(database) | State::Unchanging(database) => Some(database),
            State::Failed | State::Closed => None,
        }
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle").finish_non_exhaustive()
    }
}
