//! Upkeep on behalf of the host: the steady clock, removing expired documents, and looking for damage.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use countersign_domain::primitives::clock_guard::steady;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::row::{millis, timestamp};
use super::{Fault, STORE_FILE, SqliteItems, schema, unavailable};

/// The name of the steady clock's reading.
pub(super) const STEADY: &str = "steady";

impl SqliteItems {
    /// Looks at the file's structure on a thread of its own, and logs what it finds. Calls `on_damage` if it
    /// is damaged.
    pub fn look_for_damage(&self, on_damage: impl FnOnce() + Send + 'static) {
        let path = self.directory.path().join(STORE_FILE);
        let is_damaged = Arc::clone(&self.is_damaged);
        let look = move || {
            let looked = schema::open(&path).and_then(|connection| Ok(quick_check(&connection)?));
            match looked {
                Ok(true) => tracing::info!("looked for damage in the store and found none"),
                Ok(false) => {
                    tracing::error!(
                        "the store is damaged: stop the server, run `countersign check`"
                    );
                    is_damaged.store(true, Ordering::Relaxed);
                    on_damage();
                }
                Err(cause) => tracing::error!(%cause, "cannot look for damage in the store"),
            }
        };
        let thread = std::thread::Builder::new().name("countersign-look".to_owned());
        if let Err(cause) = thread.spawn(look) {
            tracing::error!(%cause, "cannot look for damage in the store");
        }
    }

    /// Returns whether [`look_for_damage`](Self::look_for_damage) has found damage.
    #[must_use]
    pub fn is_damaged(&self) -> bool {
        self.is_damaged.load(Ordering::Relaxed)
    }

    /// Reads the store's steady clock; returns `wall` if the store has no reading or a later one.
    ///
    /// # Errors
    /// Fails if the store cannot be read.
    pub fn steady(&self, wall: Timestamp) -> Result<Timestamp, Unavailable> {
        let kept = self.read(read_steady);
        let kept = kept.map_err(unavailable("store: steady clock"))?;
        Ok(kept.map_or(wall, |kept| kept.min(wall)))
    }

    /// Advances the store's steady clock by the time that really passed since the last call, and returns
    /// its reading ([`countersign_domain::primitives::clock_guard::steady`]). The reading is stored, so
    /// that a start under a wrong wall clock continues where the last process ended.
    ///
    /// # Errors
    /// Fails if the store cannot be written.
    pub async fn advance_steady(
        &self,
        elapsed: Duration,
        wall: Timestamp,
    ) -> Result<Timestamp, Unavailable> {
        self.write("store: steady clock", move |transaction| {
            let kept = read_steady(transaction)?;
            let reading = kept.map_or(wall, |kept| steady(kept, elapsed, wall));
            write_steady(transaction, reading)?;
            Ok(reading)
        })
        .await
    }

    /// Removes at most `limit` expired documents, and returns how many it removed. Fewer than `limit`
    /// means that there are no more.
    ///
    /// # Errors
    /// Fails if the store cannot be written.
    pub async fn purge(&self, now: Timestamp, limit: usize) -> Result<usize, Unavailable> {
        self.write("store: purge", move |transaction| {
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            let removed = transaction
                .prepare_cached(
                    "DELETE FROM documents WHERE rowid IN (SELECT rowid FROM documents \
                     WHERE purge_at <= ?1 ORDER BY purge_at LIMIT ?2)",
                )?
                .execute(params![millis(now), limit])?;
            Ok(removed)
        })
        .await
    }
}

/// Returns whether SQLite finds the file's structure sound.
pub(super) fn quick_check(connection: &Connection) -> Result<bool, rusqlite::Error> {
    let found = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
    match found {
        Ok(found) => Ok(found == "ok"),
        Err(error) if is_damage(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns whether SQLite failed because of what is in the file.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
    matches!(
        error.sqlite_error_code(),
        Some(DatabaseCorrupt | NotADatabase)
    )
}

pub(super) fn read_steady(connection: &Connection) -> Result<Option<Timestamp>, Fault> {
    let kept = connection
        .prepare_cached("SELECT value FROM meta WHERE name = ?1")?
        .query_row([STEADY], |row| row.get(0))
        .optional()?;
    Ok(kept.map(timestamp))
}

pub(super) fn write_steady(connection: &Connection, reading: Timestamp) -> Result<(), Fault> {
    connection
        .prepare_cached("INSERT OR REPLACE INTO meta VALUES (?1, ?2)")?
        .execute(params![STEADY, millis(reading)])?;
    Ok(())
}
