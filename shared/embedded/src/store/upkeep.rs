//! Upkeep on behalf of the host: recovering deliveries after a start, the steady clock, and removing
//! expired items.

use std::time::Duration;

use countersign_domain::confirmation::Confirmation;
use countersign_domain::delivery::store::{DeliveryStore as _, Due};
use countersign_domain::delivery::{
    Delivery, DeliveryKind, DeliveryLane, DeliveryPointer, DeliverySubject, Progress,
};
use countersign_domain::login::Login;
use countersign_domain::primitives::clock_guard::steady;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use redb::ReadableTable;

use super::EmbeddedStore;
use super::batch::Batch;
use super::due;
use super::fault::Fault;
use super::history;
use super::kept::Kept;
use super::numbers::{self, Number};
use super::tables::{IndexKeys, META, PURGE, PURGE_LOGINS, STEADY, TimeKey, after, read_time_key};

/// A delivery that was owed when the process started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// Pointer to put into the queue.
    pub pointer: DeliveryPointer,
    /// Time of the next attempt; a time in the past means at once.
    pub next_attempt_at: Timestamp,
    /// Entry in the due index, after which [`EmbeddedStore::recover`] can continue.
    pub due: Due,
}

impl EmbeddedStore {
    /// Lists the lanes with pending deliveries, whether or not they are due.
    ///
    /// # Errors
    /// Fails if the store cannot be read.
    pub async fn pending_lanes(&self) -> Result<Vec<DeliveryLane>, Unavailable> {
        self.due_lanes(due::NEVER).await
    }

    /// Recovers at most `limit` owed deliveries of a lane that come after `after` in the due index. A
    /// result shorter than `limit` means that there are no more.
    ///
    /// Call this once for each delivery after a start. If an attempt was claimed but is not under way
    /// in this process, an earlier process claimed it and died. The claim is then released, on disk,
    /// and the next attempt is due at once. `under_way` MUST return `true` for a delivery from before
    /// its attempt is claimed until after the attempt is settled.
    ///
    /// # Errors
    /// Fails if the store cannot be written.
    pub async fn recover(
        &self,
        lane: DeliveryLane,
        now: Timestamp,
        after: Option<Due>,
        limit: usize,
        under_way: impl Fn(DeliverySubject) -> bool + Send + 'static,
    ) -> Result<Vec<Recovered>, Unavailable> {
        self.write("delivery store: recover", move |batch| match lane.kind() {
            DeliveryKind::Confirmations => {
                recover::<Confirmation>(batch, lane, now, after, limit, &under_way)
            }
            DeliveryKind::Logins => recover::<Login>(batch, lane, now, after, limit, &under_way),
        })
        .await
    }

    /// Reads the store's steady clock; returns `wall` if the store has no reading or a later one.
    ///
    /// # Errors
    /// Fails if the store cannot be read.
    pub fn steady(&self, wall: Timestamp) -> Result<Timestamp, Unavailable> {
        self.read("store: steady clock", |transaction| {
            let kept = match numbers::read(&transaction.open_table(META)?, STEADY)? {
                Number::Kept(millis) => Some(Timestamp::from_millis(millis)),
                Number::Absent => None,
                Number::Damaged => before_first(
                    &transaction.open_table(PURGE)?,
                    &transaction.open_table(PURGE_LOGINS)?,
                )?,
            };
            Ok(kept.map_or(wall, |kept| kept.min(wall)))
        })
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
        self.write("store: advance steady clock", move |batch| {
            let mut meta = batch.transaction.open_table(META)?;
            let kept = match numbers::read(&meta, STEADY)? {
                Number::Kept(millis) => Some(Timestamp::from_millis(millis)),
                Number::Absent => None,
                Number::Damaged => {
                    tracing::error!("the stored steady clock is damaged; replacing it");
                    let [confirmations, logins] = DeliveryKind::ALL.map(|kind| batch.tables(kind));
                    before_first(&confirmations.purge, &logins.purge)?
                }
            };
            let reading = kept.map_or(wall, |kept| steady(kept, elapsed, wall));
            numbers::write(&mut meta, STEADY, reading.as_millis())?;
            drop(meta);
            batch.mark_changed();
            Ok(reading)
        })
        .await
    }

    /// Removes at most `limit` expired items of each kind, and returns how many it removed. A result
    /// below `limit` means that there are no more.
    ///
    /// # Errors
    /// Fails if the store cannot be written.
    pub async fn purge(&self, now: Timestamp, limit: usize) -> Result<usize, Unavailable> {
        self.write("store: purge", move |batch| {
            let confirmations = purge::<Confirmation>(batch, now, limit)?;
            let logins = purge::<Login>(batch, now, limit)?;
            let histories = history::forget(batch, now, limit)?;
            Ok(confirmations + logins + histories)
        })
        .await
    }
}

/// Returns the time just before the next item is removed, from which a damaged steady clock continues.
/// Earlier times have passed, because everything that was to be removed by then is gone.
fn before_first(
    confirmations: &impl ReadableTable<&'static TimeKey, ()>,
    logins: &impl ReadableTable<&'static TimeKey, ()>,
) -> Result<Option<Timestamp>, Fault> {
    let first = [confirmations.first()?, logins.first()?];
    let first = first.into_iter().flatten();
    let first = first.map(|(key, _)| read_time_key(key.value()).0).min();
    Ok(first.map(|first| Timestamp::from_millis(first.as_millis().saturating_sub(1))))
}

fn recover<T: Kept>(
    batch: &mut Batch<'_>,
    lane: DeliveryLane,
    now: Timestamp,
    after: Option<Due>,
    limit: usize,
    under_way: &dyn Fn(DeliverySubject) -> bool,
) -> Result<Vec<Recovered>, Fault> {
    let (mut recovered, mut last) = (Vec::new(), after);
    while recovered.len() < limit {
        let missing = limit - recovered.len();
        let piece = due::of_lane(&batch.tables(T::KIND).due, lane, due::NEVER, last, missing)?;
        let Some(newest) = piece.last() else {
            break;
        };
        last = Some(*newest);
        for due in piece {
            match take_up::<T>(batch, due, now, under_way) {
                Ok(found) => recovered.extend(found),
                // A damaged record must not stop the others from being delivered.
                Err(fault) if !fault.concerns_all() => {
                    tracing::error!(id = %due.subject, cause = %fault, "cannot recover a delivery");
                }
                Err(fault) => return Err(fault),
            }
        }
    }
    Ok(recovered)
}

fn take_up<T: Kept>(
    batch: &mut Batch<'_>,
    due: Due,
    now: Timestamp,
    under_way: &dyn Fn(DeliverySubject) -> bool,
) -> Result<Option<Recovered>, Fault> {
    let found = batch.get::<T>(T::id(&due.subject.key()))?;
    let Some(mut item) = found.filter(|item| now < item.purge_at()) else {
        return Ok(None);
    };
    // Only while the batch holds the item is the answer final: a claim of it now needs the writer.
    if under_way(due.subject) {
        return Ok(None);
    }
    let keys = item.keys();
    let Some(delivery) = item.delivery_mut() else {
        return Ok(None);
    };
    let (Some(next_attempt_at), written) = release(delivery, now) else {
        return Ok(None);
    };
    if written {
        batch.put(Some(keys), &item)?;
    }
    Ok(item.pointer().map(|pointer| Recovered {
        pointer,
        next_attempt_at,
        due,
    }))
}

/// Releases the claim of a dead process. Returns the time of the next attempt, and whether the
/// delivery changed. Its entry in the due index stays the same, so that a single pass over the index
/// meets every item once.
fn release(delivery: &mut Delivery, now: Timestamp) -> (Option<Timestamp>, bool) {
    let Progress::Pending {
        next_attempt_at,
        claimed_at,
        ..
    } = &mut delivery.progress
    else {
        return (None, false);
    };
    let claimed = claimed_at.take().is_some();
    if claimed {
        *next_attempt_at = now;
    }
    (Some(*next_attempt_at), claimed)
}

/// Removes at most `limit` expired items of one kind.
fn purge<T: Kept>(batch: &mut Batch<'_>, now: Timestamp, limit: usize) -> Result<usize, Fault> {
    let end = after(now);
    let purge = &batch.tables(T::KIND).purge;
    let over = purge.range::<&TimeKey>(..&end)?.take(limit);
    let over = over.map(|entry| Ok(*entry?.0.value()));
    let over = over.collect::<Result<Vec<TimeKey>, Fault>>()?;
    for key in &over {
        let id = T::id(&read_time_key(key).1);
        let keys = match batch.get::<T>(id).map(|item| item.map(|item| item.keys())) {
            // The entry was damaged. The record's own time counts, so the entry is corrected.
            Ok(Some(keys)) if end <= keys.purge => {
                let purge = &mut batch.tables_mut(T::KIND).purge;
                purge.remove(key)?;
                purge.insert(&keys.purge, ())?;
                batch.mark_changed();
                continue;
            }
            Ok(Some(keys)) => keys,
            Err(fault) if fault.concerns_all() => return Err(fault),
            // An unreadable item is removed as well, or it would stay first in the index forever.
            Ok(None) | Err(_) => IndexKeys {
                due: None,
                purge: *key,
                open_until: None,
            },
        };
        batch.remove(id.into(), keys)?;
    }
    Ok(over.len())
}
