//! The open database, which is replaced after a failed write.
//!
//! redb refuses everything once its file has failed, reads of what it has not cached included. Only
//! opening the file again makes it usable: redb then finds the last whole commit, as after a crash.

use std::fmt;
use std::io;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use redb::Database;

use super::fault::Fault;
use super::open_error::OpenError;

/// How often it is looked whether the last reader has let the old database go.
const READERS_POLL: Duration = Duration::from_millis(1);

/// What a database is kept on.
pub(super) trait Medium: Send + Sync {
    /// Opens the database, and makes it where it is not there.
    fn open(&self) -> Result<Database, OpenError>;

    /// Opens the database without writing to what it is kept on.
    fn open_unchanged(&self) -> Result<Database, OpenError>;

    /// Writes something beside the database, makes it safe and removes it: whether a write could
    /// work now. Spares the database a failure, and with it a repair.
    fn probe(&self) -> io::Result<()>;
}

/// The way to the open database.
pub(super) struct Handle {
    medium: Box<dyn Medium>,
    state: RwLock<State>,
}

enum State {
    Open(Arc<Database>),
    /// It failed, and could not be opened for writing yet; there to be read.
    Unchanging(Arc<Database>),
    /// It failed, and could not be opened at all yet.
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

    /// The database. To be let go of soon: nothing can be opened again before.
    pub(super) fn get(&self) -> Result<Arc<Database>, Fault> {
        match &*self.state.read().unwrap_or_else(PoisonError::into_inner) {
            State::Open(database) | State::Unchanging(database) => Ok(Arc::clone(database)),
            State::Failed => Err(Fault::Failed),
            State::Closed => Err(Fault::Closed),
        }
    }

    /// Closes the database and opens it again, if it can be opened for reading alone, for that;
    /// which is an error all the same. Waits for readers, who end by themselves: what
    /// they read is an error by now, or in memory.
    pub(super) fn reopen(&self) -> Result<Arc<Database>, OpenError> {
        if let Some(failed) = self.replace(State::Failed) {
            while Arc::strong_count(&failed) > 1 {
                std::thread::sleep(READERS_POLL);
            }
        }
        match self.medium.open() {
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
