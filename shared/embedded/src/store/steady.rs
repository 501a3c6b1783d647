//! The steady clock.

use std::time::Duration;

use countersign_domain::primitives::clock_guard::steady;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::row::{millis, timestamp};
use super::soundness::Soundness;
use super::{Fault, SqliteItems, unavailable};

/// The name of the steady clock's reading.
pub(super) const STEADY: &str = "steady";

impl SqliteItems {
    /// Reads the store's steady clock; returns `wall` if the store has no reading or a later one.
    ///
    /// # Errors
    /// Fails if the store cannot be read.
    pub fn steady(&self, wall: Timestamp) -> Result<Timestamp, Unavailable> {
        let kept = self.read(|connection| kept(connection, &self.soundness));
        let kept = kept.map_err(unavailable("store: steady clock"))?;
        Ok(kept.map_or(wall, |kept| kept.min(wall)))
    }

    /// Advances the store's steady clock by the time that really passed since the last call, and returns
    /// its reading ([`countersign_domain::primitives::clock_guard::steady`]). The reading is stored, so
    /// that a process that starts with a wrong wall clock continues where the previous one ended.
    ///
    /// # Errors
    /// Fails if the store cannot be written.
    pub async fn advance_steady(
        &self,
        elapsed: Duration,
        wall: Timestamp,
    ) -> Result<Timestamp, Unavailable> {
        let what = "store: steady clock";
        let kept = self.read(|connection| kept(connection, &self.soundness));
        let kept = kept.map_err(unavailable(what))?;
        let reading = kept.map_or(wall, |kept| steady(kept, elapsed, wall));
        let write = self
            .writer
            .write(move |transaction| write_steady(transaction, reading));
        match write.await {
            // Expired data must be removed nevertheless.
            Err(fault) if fault.is_damage() => self.soundness.note(&fault, Some(STEADY)),
            written => written.map_err(unavailable(what))?,
        }
        Ok(reading)
    }
}

/// Returns the reading, or `None` if it cannot be read: the wall clock is then used instead.
fn kept(connection: &Connection, soundness: &Soundness) -> Result<Option<Timestamp>, Fault> {
    match read_steady(connection) {
        Err(fault) if fault.is_damage() => {
            soundness.note(&fault, Some(STEADY));
            Ok(None)
        }
        kept => kept,
    }
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
