//! Hourly counts: what happened to confirmations and logins, added up in the transactions in which it happened.
//!
//! The domain says what a change counts. A batch of writes adds each count up first, so that it updates few rows. The
//! counts cannot be derived from documents, which are purged earlier. Damage of the table harms only the counts: the
//! writer then stops counting, and the operator repairs the store.

mod read;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;

use countersign_domain::hourly::{Counted, Hour, HourSeries, OTHER, Series};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::store::CountChange;
use rusqlite::{Connection, Transaction, params};

use super::Fault;
pub use read::SummedHours;
pub(super) use read::copy_counts;

/// Name of the counts in the log.
pub(super) const NAME: &str = "hourly counts";

/// Maximum number of hours whose labels the writer remembers.
const MAX_HOURS: usize = 4;

/// The transaction of a batch of writes, with its counts.
pub(super) struct WriteBatch<'a> {
    transaction: Transaction<'a>,
    tally: RefCell<Tally>,
}

#[derive(Default)]
struct Tally {
    counts: BTreeMap<Counted, u64>,
    forgotten: BTreeSet<AppId>,
}

impl<'a> WriteBatch<'a> {
    pub(super) fn new(transaction: Transaction<'a>) -> Self {
        Self {
            transaction,
            tally: RefCell::default(),
        }
    }

    /// Counts a change that the transaction makes.
    pub(super) fn count(&self, change: &CountChange) {
        if change.is_empty() {
            return;
        }
        let mut tally = self.tally.borrow_mut();
        for step in &change.steps {
            *tally.counts.entry(step.clone()).or_default() += 1;
        }
        tally.forgotten.extend(change.forgotten.clone());
    }

    /// Ends the batch with its changes.
    pub(super) fn commit(self) -> Result<(), Fault> {
        Ok(self.transaction.commit()?)
    }

    /// Ends the batch without its changes.
    pub(super) fn rollback(self) -> Result<(), Fault> {
        Ok(self.transaction.rollback()?)
    }
}

impl Deref for WriteBatch<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.transaction
    }
}

/// Adds the counts of batches to the table.
#[derive(Debug, Default)]
pub(super) struct Counter {
    /// The labels of recent hours, as in the table.
    hours: BTreeMap<Hour, HourSeries>,
    is_off: bool,
}

impl Counter {
    /// Writes the counts of a batch. If this fails, the batch must not be committed.
    pub(super) fn write(&mut self, batch: &WriteBatch<'_>) -> Result<(), Fault> {
        let tally = batch.tally.take();
        if self.is_off {
            return Ok(());
        }
        for (counted, times) in &tally.counts {
            let series = self.admit(batch, counted)?;
            add(batch, counted.hour, &series, counted.step.into(), *times)?;
        }
        for app in &tally.forgotten {
            forget(batch, app)?;
            self.hours.clear();
        }
        Ok(())
    }

    /// Forgets what an uncommitted batch has added.
    pub(super) fn forget_batch(&mut self) {
        self.hours.clear();
    }

    /// Stops counting.
    pub(super) fn stop(&mut self) {
        self.is_off = true;
    }

    fn admit(&mut self, connection: &Connection, counted: &Counted) -> Result<Series, Fault> {
        let hour = counted.hour;
        if !self.hours.contains_key(&hour) {
            if self.hours.len() >= MAX_HOURS {
                self.hours.pop_first();
            }
            self.hours.insert(hour, series_of(connection, hour)?);
        }
        let admitted = self
            .hours
            .get_mut(&hour)
            .map(|it| it.admit(&counted.series));
        Ok(admitted.unwrap_or_else(|| counted.series.clone()))
    }
}

/// Returns the labels of an hour.
fn series_of(connection: &Connection, hour: Hour) -> Result<HourSeries, Fault> {
    let mut series = HourSeries::default();
    let mut select = connection.prepare_cached(
        "SELECT DISTINCT app, country, provider FROM hourly_counts WHERE hour = ?1",
    )?;
    let found = select.query_map([hour.0.cast_signed()], |row| {
        Ok(Series {
            app: row.get(0)?,
            country: row.get(1)?,
            provider: row.get(2)?,
        })
    })?;
    for one in found {
        series.insert(one?);
    }
    Ok(series)
}

fn add(
    connection: &Connection,
    hour: Hour,
    series: &Series,
    step: &str,
    times: u64,
) -> Result<(), Fault> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO hourly_counts (hour, app, country, provider, step, n) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO UPDATE SET n = n + excluded.n",
    )?;
    insert.execute(params![
        hour.0.cast_signed(),
        series.app,
        series.country,
        series.provider,
        step,
        times.cast_signed()
    ])?;
    Ok(())
}

/// Adds the counts of an app to those of [`OTHER`] apps.
fn forget(connection: &Connection, app: &AppId) -> Result<(), Fault> {
    let mut add = connection.prepare_cached(
        "INSERT INTO hourly_counts (hour, app, country, provider, step, n) \
         SELECT hour, ?2, country, provider, step, n FROM hourly_counts WHERE app = ?1 \
         ON CONFLICT DO UPDATE SET n = n + excluded.n",
    )?;
    add.execute([app.as_str(), OTHER])?;
    let mut delete = connection.prepare_cached("DELETE FROM hourly_counts WHERE app = ?1")?;
    delete.execute([app.as_str()])?;
    Ok(())
}
