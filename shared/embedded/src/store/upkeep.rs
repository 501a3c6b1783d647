//! Upkeep that the host asks for: taking up deliveries after a start, and removing expired items.

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
use super::tables::{
    IndexKeys, META, PURGE, PURGE_SESSIONS, STEADY, TimeKey, after, read_time_key,
};

/// A delivery that is owed when the process starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// The pointer to put into the queue.
    pub pointer: DeliveryPointer,
    /// Time of the attempt; a time in the past means at once.
    pub next_attempt_at: Timestamp,
    /// Its entry in the due index, after which [`EmbeddedStore::recover`] continues.
    pub due: Due,
}

impl EmbeddedStore {
    /// Lists the lanes that have a delivery pending, whenever it is due.
    ///
    /// # Errors
    /// Fails if the store cannot be read.
    pub async fn pending_lanes(&self) -> Result<Vec<DeliveryLane>, Unavailable> {
        self.due_lanes(due::NEVER).await
    }

    /// Takes up the deliveries of a lane that are owed, at most `limit`, in the order of the due
    /// index after `after`. Fewer than `limit` means that there are no more.
    ///
    /// To be called for each delivery once after a start. A claim that is not under way in this
    /// process was made by one that died, so it is taken back, on disk, and the attempt after it is
    /// due at once. `under_way` MUST be true of an attempt from before it is claimed until after it
    /// is settled.
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
                    &transaction.open_table(PURGE_SESSIONS)?,
                )?,
            };
            Ok(kept.map_or(wall, |kept| kept.min(wall)))
        })
    }

    /// Moves the store's steady clock on by what has really passed since it was last moved, and
    /// returns its reading ([`countersign_domain::primitives::clock_guard::steady`]). It is kept with the
    /// store, so that a start under a wrong wall clock begins where the last process ended.
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
                    tracing::error!("the steady clock was damaged and is set anew");
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

    /// Removes at most `limit` items of each kind whose time is over, and returns how many it
    /// removed. Fewer than `limit` means that there are no more.
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

/// The time just before the first item is removed: what a steady clock that cannot be read goes on
/// from. Everything that is to be removed earlier was removed.
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
                // One bad record must not keep the others from being delivered.
                Err(fault) if !fault.concerns_all() => {
                    tracing::error!(id = %due.subject, cause = %fault, "cannot recover");
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
    // Asked while the batch holds the item: from now on no claim of it is made without the writer.
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

/// Takes a dead process's claim back. Returns the instant of the next attempt, and whether the
/// delivery changed. It keeps its place in the due index, so one pass over that meets every item
/// once.
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

/// Removes at most `limit` items of one kind whose time is over.
fn purge<T: Kept>(batch: &mut Batch<'_>, now: Timestamp, limit: usize) -> Result<usize, Fault> {
    let end = after(now);
    let purge = &batch.tables(T::KIND).purge;
    let over = purge.range::<&TimeKey>(..&end)?.take(limit);
    let over = over.map(|entry| Ok(*entry?.0.value()));
    let over = over.collect::<Result<Vec<TimeKey>, Fault>>()?;
    for key in &over {
        let id = T::id(&read_time_key(key).1);
        let keys = match batch.get::<T>(id).map(|item| item.map(|item| item.keys())) {
            // The entry was damaged: the item's own time counts, and it gets its entry back.
            Ok(Some(keys)) if end <= keys.purge => {
                let purge = &mut batch.tables_mut(T::KIND).purge;
                purge.remove(key)?;
                purge.insert(&keys.purge, ())?;
                batch.mark_changed();
                continue;
            }
            Ok(Some(keys)) => keys,
            Err(fault) if fault.concerns_all() => return Err(fault),
            // An unreadable item is removed too: it would stay first in the index for ever.
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
