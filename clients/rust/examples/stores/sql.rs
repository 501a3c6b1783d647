//! A store in SQLite, with the crate `rusqlite`. The statements are the same for PostgreSQL:
//!
//! ```sql
//! CREATE TABLE countersign_ids (id TEXT PRIMARY KEY, state TEXT NOT NULL, expires_at BIGINT NOT NULL)
//! ```
//!
//! Delete rows whose time, in seconds since 1970, has passed; once a day is enough.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use countersign_client::{Acceptance, Act, BoxError, Store, async_trait};
use rusqlite::{Connection, OptionalExtension as _, params};

const REMEMBER: &str =
    "INSERT INTO countersign_ids VALUES ($1, 'pending', $2) ON CONFLICT (id) DO NOTHING";
/// PostgreSQL locks the row, so that another process waits here and then finds it accepted.
const ACCEPT: &str =
    "UPDATE countersign_ids SET state = 'accepted' WHERE id = $1 AND state = 'pending'";
const FIND: &str = "SELECT 1 FROM countersign_ids WHERE id = $1";

type Shared = Arc<Mutex<Connection>>;

tokio::task_local! {
    static CONNECTION: Shared;
}

/// Writes through the connection of the store's transaction, in a callback such as `on_started` and `on_verified`:
/// the record and the mark are committed together.
///
/// # Panics
///
/// Panics outside a callback that a [`SqlStore`] awaits.
pub(crate) fn write<T>(statements: impl FnOnce(&Connection) -> T) -> T {
    CONNECTION.with(|connection| statements(&locked(connection)))
}

/// A store with its own connection, on which transactions run one after the other.
pub(crate) struct SqlStore {
    connection: Shared,
    turn: tokio::sync::Mutex<()>,
}

impl SqlStore {
    /// Creates a store. No other code may use the connection.
    pub(crate) fn new(connection: Connection) -> Self {
        Self {
            connection: Arc::new(Mutex::new(connection)),
            turn: tokio::sync::Mutex::default(),
        }
    }

    async fn begin(&self) -> Result<Transaction<'_>, BoxError> {
        let turn = self.turn.lock().await;
        // Takes the write lock immediately: other processes wait for at most the connection's `busy_timeout`.
        locked(&self.connection).execute_batch("BEGIN IMMEDIATE")?;
        Ok(Transaction {
            connection: &self.connection,
            is_open: true,
            _turn: turn,
        })
    }
}

#[async_trait]
impl Store for SqlStore {
    async fn remember(&self, id: &str, ttl: Duration, act: Act<'_>) -> Result<bool, BoxError> {
        let transaction = self.begin().await?;
        let until = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)? + ttl;
        let until = i64::try_from(until.as_secs())?;
        if locked(&self.connection).execute(REMEMBER, params![id, until])? == 0 {
            return Ok(false);
        }
        transaction.run(act).await?;
        Ok(true)
    }

    async fn accept(&self, id: &str, act: Act<'_>) -> Result<Acceptance, BoxError> {
        let transaction = self.begin().await?;
        if locked(&self.connection).execute(ACCEPT, [id])? == 1 {
            transaction.run(act).await?;
            return Ok(Acceptance::Accepted);
        }
        let found = locked(&self.connection).query_row(FIND, [id], |_| Ok(()));
        Ok(match found.optional()? {
            Some(()) => Acceptance::Repeated,
            None => Acceptance::Unknown,
        })
    }
}

/// A transaction, which is rolled back unless it is committed, even if its future is dropped.
struct Transaction<'a> {
    connection: &'a Shared,
    is_open: bool,
    _turn: tokio::sync::MutexGuard<'a, ()>,
}

impl Transaction<'_> {
    /// Awaits an act, and commits its writes together with the mark.
    async fn run(mut self, act: Act<'_>) -> Result<(), BoxError> {
        CONNECTION.scope(Arc::clone(self.connection), act).await?;
        locked(self.connection).execute_batch("COMMIT")?;
        self.is_open = false;
        Ok(())
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if self.is_open {
            // If this fails, the start of the next transaction fails too.
            let _ = locked(self.connection).execute_batch("ROLLBACK");
        }
    }
}

fn locked(connection: &Shared) -> MutexGuard<'_, Connection> {
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}
