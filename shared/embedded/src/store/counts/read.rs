//! Reading, removing and copying hourly counts, any of which may be damaged.

use std::ops::Range;

use countersign_domain::hourly::{Counted, Hour, Series, Sums};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::NAME;
use crate::store::long_reads::ReadOwner;
use crate::store::row::Damage;
use crate::store::schema::HOURLY_COUNTS;
use crate::store::{Fault, SqliteItems, unavailable};

/// Number of hours that are read in one turn.
const HOURS_PER_TURN: u64 = 7 * 24;

/// The counts of some hours.
#[derive(Clone, Debug)]
pub struct SummedHours {
    pub sums: Sums,
    /// False if damage hid some of the counts.
    pub is_complete: bool,
}

impl SqliteItems {
    /// Adds up the counts of some hours.
    ///
    /// # Errors
    /// Fails if the store cannot be read. Damaged counts are left out.
    pub async fn sum_hours(
        &self,
        hours: Range<Hour>,
        sums: Sums,
    ) -> Result<SummedHours, Unavailable> {
        let mut summed = SummedHours {
            sums,
            is_complete: true,
        };
        let mut from = hours.start;
        while from < hours.end {
            let to = Hour(from.0.saturating_add(HOURS_PER_TURN)).min(hours.end);
            let turn = self
                .long_reads
                .read(ReadOwner::Operator, move |connection| {
                    let is_complete = each_count(connection, &(from..to), &mut |count| {
                        if let Some((counted, times)) = count.read() {
                            summed.sums.add(&counted, times);
                        }
                        Ok::<_, Fault>(())
                    })?;
                    summed.is_complete &= is_complete;
                    Ok(summed)
                });
            summed = turn.await.map_err(unavailable("store: hourly counts"))?;
            from = to;
        }
        if !summed.is_complete {
            self.soundness.note(&Damage::Structure.into(), Some(NAME));
        }
        Ok(summed)
    }

    /// Removes the counts of hours that are no longer kept, one hour in each transaction.
    pub(in crate::store) async fn prune_counts(&self, now: Timestamp) -> Result<(), Fault> {
        let first_kept = Hour::first_kept(now).0.cast_signed();
        let mut last = None;
        loop {
            let first: Option<i64> = self.read(|connection| {
                let mut first = connection.prepare_cached("SELECT min(hour) FROM hourly_counts")?;
                Ok(first.query_row([], |row| row.get(0))?)
            })?;
            let Some(hour) = first.filter(|hour| *hour < first_kept) else {
                return Ok(());
            };
            // A row in a damaged place can be seen, but not found and removed.
            if last >= Some(hour) {
                return Err(Damage::Structure.into());
            }
            last = Some(hour);
            let delete = self.writer.write(move |batch| {
                let delete = "DELETE FROM hourly_counts WHERE hour = ?1";
                Ok(batch.prepare_cached(delete)?.execute([hour])?)
            });
            delete.await?;
        }
    }
}

/// A row of the table. Its step may be unknown to this release.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct CountRow {
    hour: i64,
    app: String,
    country: String,
    provider: String,
    step: String,
    n: i64,
}

impl CountRow {
    fn from_sql(row: &rusqlite::Row<'_>) -> Result<Self, rusqlite::Error> {
        Ok(Self {
            hour: row.get(0)?,
            app: row.get(1)?,
            country: row.get(2)?,
            provider: row.get(3)?,
            step: row.get(4)?,
            n: row.get(5)?,
        })
    }

    /// Returns the count; `None` if another release wrote it, or it is damaged.
    fn read(self) -> Option<(Counted, u64)> {
        let counted = Counted {
            hour: Hour(self.hour.try_into().ok()?),
            series: Series {
                app: self.app,
                country: self.country,
                provider: self.provider,
            },
            step: self.step.parse().ok()?,
        };
        Some((counted, self.n.try_into().ok()?))
    }

    fn insert(&self, connection: &Connection) -> Result<(), rusqlite::Error> {
        let mut insert = connection.prepare_cached(
            "INSERT OR REPLACE INTO hourly_counts (hour, app, country, provider, step, n) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        insert.execute(params![
            self.hour,
            self.app,
            self.country,
            self.provider,
            self.step,
            self.n
        ])?;
        Ok(())
    }
}

/// Passes each readable row of some hours to `take`, in no particular order. Returns whether all rows could be read:
/// damage may hide a part of them.
fn each_count<E: From<Fault>>(
    connection: &Connection,
    hours: &Range<Hour>,
    take: &mut dyn FnMut(CountRow) -> Result<(), E>,
) -> Result<bool, E> {
    let mut last = None;
    let mut is_complete = true;
    for order in ["ASC", "DESC"] {
        let pass = one_pass(connection, hours, order, &mut |row| {
            // The second pass ends where the first one did.
            if order == "DESC" && last.as_ref().is_some_and(|last| row <= *last) {
                return Ok(false);
            }
            if order == "ASC" {
                last = Some(row.clone());
            }
            take(row).map(|()| true)
        })?;
        match pass {
            Pass::Whole => return Ok(is_complete),
            Pass::Skipped if order == "ASC" => return Ok(false),
            Pass::Skipped | Pass::Ended => is_complete = false,
        }
    }
    Ok(false)
}

/// The extent of what a pass over rows has read.
enum Pass {
    Whole,
    /// Rows with malformed values are missing.
    Skipped,
    /// The rest cannot be read, or is not wanted.
    Ended,
}

fn one_pass<E: From<Fault>>(
    connection: &Connection,
    hours: &Range<Hour>,
    order: &str,
    take: &mut dyn FnMut(CountRow) -> Result<bool, E>,
) -> Result<Pass, E> {
    let sql = format!(
        "SELECT hour, app, country, provider, step, n FROM hourly_counts \
         WHERE hour >= ?1 AND hour < ?2 \
         ORDER BY hour {order}, app {order}, country {order}, provider {order}, step {order}"
    );
    let fault = |error| E::from(Fault::from(error));
    let mut select = connection.prepare_cached(&sql).map_err(fault)?;
    let bounds = [hours.start.0.cast_signed(), hours.end.0.cast_signed()];
    let mut rows = select.query(bounds).map_err(fault)?;
    let mut pass = Pass::Whole;
    loop {
        match rows.next().map_err(Fault::from) {
            Ok(None) => return Ok(pass),
            Ok(Some(row)) => match CountRow::from_sql(row) {
                Ok(row) => {
                    if !take(row)? {
                        return Ok(Pass::Ended);
                    }
                }
                Err(_) => pass = Pass::Skipped,
            },
            Err(fault) if fault.is_damage() => return Ok(Pass::Ended),
            Err(fault) => return Err(fault.into()),
        }
    }
}

/// Copies the counts of a file, as far as they can be read. Returns whether all could be. Files of earlier releases
/// have none.
pub(in crate::store) fn copy_counts(from: &Connection, to: &Connection) -> Result<bool, Fault> {
    let table = from
        .query_row(
            "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1",
            [HOURLY_COUNTS],
            |_| Ok(()),
        )
        .optional()?;
    if table.is_none() {
        return Ok(true);
    }
    let all = Hour(0)..Hour(u64::MAX >> 1);
    each_count(from, &all, &mut |row| Ok::<_, Fault>(row.insert(to)?))
}
