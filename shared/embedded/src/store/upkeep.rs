//! What the host does beside serving: taking up deliveries after a start, and removing what has
//! had its time.

mod logins;

use std::time::Duration;

use countersign_domain::confirmation::store::Due;
use countersign_domain::confirmation::{Confirmation, State};
use countersign_domain::delivery::{
    Delivery, DeliveryLane, DeliveryPointer, DeliverySubject, Progress,
};
use countersign_domain::login::store::DueNotice;
use countersign_domain::primitives::clock_guard::steady;
use countersign_domain::primitives::ids::ConfirmationId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use redb::ReadableTable;

use super::EmbeddedStore;
use super::batch::Batch;
use super::due;
use super::fault::Fault;
use super::history;
use super::numbers::{self, Number};
use super::tables::{
    DUE, DUE_NOTICES, IndexKeys, META, PURGE, PURGE_SESSIONS, STEADY, TimeKey, after, due_key,
    due_of, read_time_key,
};

/// A delivery that is owed when the process starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recovered<D = Due> {
    /// To put into the queue.
    pub pointer: DeliveryPointer,
    /// When the attempt is to be made; past ones at once.
    pub next_attempt_at: Timestamp,
    /// Its place in the due index, from which [`EmbeddedStore::recover`] goes on.
    pub due: D,
}

impl EmbeddedStore {
    /// The lanes that have a delivery pending, whenever it is due.
    ///
    /// # Errors
    /// Fails if the store cannot be read.
    pub fn pending_lanes(&self) -> Result<Vec<DeliveryLane>, Unavailable> {
        self.read("confirmation store: pending lanes", |transaction| {
            due::all_lanes(&transaction.open_table(DUE)?)
        })
    }

    /// The same for the webhooks of decided logins.
    ///
    /// # Errors
    /// Fails if the store cannot be read.
    pub fn pending_notice_lanes(&self) -> Result<Vec<DeliveryLane>, Unavailable> {
        self.read("session store: pending lanes", |transaction| {
            due::all_lanes(&transaction.open_table(DUE_NOTICES)?)
        })
    }

    /// The deliveries of a lane that are owed, at most `limit`, in the order of the due index after
    /// `after`. Fewer than `limit` means that there are no more.
    ///
    /// To be called for each of them once after a start. Whatever is claimed and not under way in
    /// this process was claimed by one that died, so the claim is taken back, on disk, and the
    /// attempt after it is due at once. `under_way` MUST say so of an attempt from before it is
    /// claimed until after it is settled.
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
        self.write("confirmation store: recover", move |batch| {
            recover(batch, lane, now, after, limit, &under_way)
        })
        .await
    }

    /// The same for the webhooks of decided logins.
    ///
    /// # Errors
    /// Fails if the store cannot be written.
    pub async fn recover_notices(
        &self,
        lane: DeliveryLane,
        now: Timestamp,
        after: Option<DueNotice>,
        limit: usize,
        under_way: impl Fn(DeliverySubject) -> bool + Send + 'static,
    ) -> Result<Vec<Recovered<DueNotice>>, Unavailable> {
        self.write("session store: recover", move |batch| {
            logins::recover(batch, lane, now, after, limit, &under_way)
        })
        .await
    }

    /// The reading of the store's steady clock; `wall` where there is none, or that is earlier.
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
    /// answers its reading ([`countersign_domain::primitives::clock_guard::steady`]). It is kept with the store,
    /// so that a start under a wrong wall clock begins where the last process ended.
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
                    let logins = batch.transaction.open_table(PURGE_SESSIONS)?;
                    before_first(&batch.purge, &logins)?
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

    /// Removes at most `limit` items of each kind whose time is over, and tells how many it
    /// removed. Fewer than `limit` means that there are no more.
    ///
    /// # Errors
    /// Fails if the store cannot be written.
    pub async fn purge(&self, now: Timestamp, limit: usize) -> Result<usize, Unavailable> {
        self.write("store: purge", move |batch| {
            let confirmations = purge(batch, now, limit)?;
            let sessions = logins::purge(batch, now, limit)?;
            let histories = history::forget(batch, now, limit)?;
            Ok(confirmations + sessions + histories)
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

fn recover(
    batch: &mut Batch<'_>,
    lane: DeliveryLane,
    now: Timestamp,
    after: Option<Due>,
    limit: usize,
    under_way: &dyn Fn(DeliverySubject) -> bool,
) -> Result<Vec<Recovered>, Fault> {
    let mut recovered = Vec::new();
    let mut last = after.map(|due| due_key(lane, due.due_at, due.confirmation.as_bytes()));
    while recovered.len() < limit {
        let missing = limit - recovered.len();
        let keys = due::of_lane(&batch.due, lane, due::NEVER, last, missing)?;
        let Some(newest) = keys.last() else {
            break;
        };
        last = Some(*newest);
        for due in keys.iter().map(due_of) {
            match take_up(batch, due, now, under_way) {
                Ok(found) => recovered.extend(found),
                // One bad record must not keep the others from being delivered.
                Err(fault) if !fault.concerns_all() => {
                    tracing::error!(id = %due.confirmation, cause = %fault, "cannot recover");
                }
                Err(fault) => return Err(fault),
            }
        }
    }
    Ok(recovered)
}

fn take_up(
    batch: &mut Batch<'_>,
    due: Due,
    now: Timestamp,
    under_way: &dyn Fn(DeliverySubject) -> bool,
) -> Result<Option<Recovered>, Fault> {
    let Some(mut item) = batch.get(due.confirmation)?.filter(|i| now < i.purge_at) else {
        return Ok(None);
    };
    // Asked once the item is the batch's own: from now on no claim of it is made beside the writer.
    if under_way(due.confirmation.into()) {
        return Ok(None);
    }
    let keys = IndexKeys::of(&item);
    let (Some(next_attempt_at), written) = release_of(&mut item, now) else {
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

/// As [`release`], for the delivery of a confirmation.
fn release_of(item: &mut Confirmation, now: Timestamp) -> (Option<Timestamp>, bool) {
    match &mut item.state {
        State::Verified(verified) => release(&mut verified.delivery, now),
        State::Open | State::Cancelled { .. } => (None, false),
    }
}

/// Takes a dead process's claim back. Tells when the next attempt is, and whether it changed.
/// It stays where it is in the due index, so that one pass over that meets every item once.
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

fn purge(batch: &mut Batch<'_>, now: Timestamp, limit: usize) -> Result<usize, Fault> {
    let end = after(now);
    let keys = batch
        .purge
        .range::<&TimeKey>(..&end)?
        .take(limit)
        .map(|entry| Ok(*entry?.0.value()))
        .collect::<Result<Vec<TimeKey>, Fault>>()?;
    for key in &keys {
        let id = ConfirmationId::from_bytes(read_time_key(key).1);
        let keys = match batch.get(id) {
            // The entry was damaged: the item's own time counts, and it gets its entry back.
            Ok(Some(item)) if end <= IndexKeys::of(&item).purge => {
                batch.purge.remove(key)?;
                batch.purge.insert(&IndexKeys::of(&item).purge, ())?;
                batch.mark_changed();
                continue;
            }
            Ok(Some(item)) => IndexKeys::of(&item),
            Err(fault) if fault.concerns_all() => return Err(fault),
            // What cannot be read goes too: it would stand first in the index for ever.
            Ok(None) | Err(_) => IndexKeys {
                due: None,
                purge: *key,
                open_until: None,
            },
        };
        batch.remove(id, keys)?;
    }
    Ok(keys.len())
}
