//! What the host does beside serving: taking up deliveries after a start, and removing what has
//! had its time.

mod logins;

use std::ops::Bound;

use countersign_domain::confirmation::{Confirmation, State};
use countersign_domain::delivery::{Delivery, DeliveryPointer, Progress};
use countersign_domain::ports::{Due, DueNotice, Unavailable};
use countersign_domain::time::Timestamp;
use redb::ReadableTable;

use super::EmbeddedStore;
use super::batch::Batch;
use super::fault::Fault;
use super::history;
use super::tables::{IndexKeys, TimeKey, after, due_of, time_key};

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
    /// The deliveries that are owed, at most `limit`, in the order of the due index after `after`.
    /// Fewer than `limit` means that there are no more.
    ///
    /// To be called before the process makes its first claim: whatever is claimed then was claimed
    /// by a process that died, so the claim is taken back, on disk, and the attempt after it is due
    /// at once.
    pub async fn recover(
        &self,
        now: Timestamp,
        after: Option<Due>,
        limit: usize,
    ) -> Result<Vec<Recovered>, Unavailable> {
        self.write("confirmation store: recover", move |batch| {
            recover(batch, now, after, limit)
        })
        .await
    }

    /// The same for the webhooks of decided logins.
    pub async fn recover_notices(
        &self,
        now: Timestamp,
        after: Option<DueNotice>,
        limit: usize,
    ) -> Result<Vec<Recovered<DueNotice>>, Unavailable> {
        self.write("session store: recover", move |batch| {
            logins::recover(batch, now, after, limit)
        })
        .await
    }

    /// Removes at most `limit` items of each kind whose time is over, and tells how many it
    /// removed. Fewer than `limit` means that there are no more.
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

fn recover(
    batch: &mut Batch<'_>,
    now: Timestamp,
    after: Option<Due>,
    limit: usize,
) -> Result<Vec<Recovered>, Fault> {
    let mut recovered = Vec::new();
    let mut last = after.map(|due| time_key(due.due_at, due.confirmation.as_bytes()));
    while recovered.len() < limit {
        let keys = keys_after(batch, last, limit - recovered.len())?;
        let Some(newest) = keys.last() else {
            break;
        };
        last = Some(*newest);
        for due in keys.iter().map(due_of) {
            match take_up(batch, due, now) {
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

/// The due index's keys after one, at most `limit`.
fn keys_after(
    batch: &Batch<'_>,
    last: Option<TimeKey>,
    limit: usize,
) -> Result<Vec<TimeKey>, Fault> {
    let from = last.as_ref().map_or(Bound::Unbounded, Bound::Excluded);
    let range = batch.due.range::<&TimeKey>((from, Bound::Unbounded))?;
    range
        .take(limit)
        .map(|entry| Ok(*entry?.0.value()))
        .collect()
}

fn take_up(batch: &mut Batch<'_>, due: Due, now: Timestamp) -> Result<Option<Recovered>, Fault> {
    let Some(mut item) = batch.get(due.confirmation)?.filter(|i| now < i.purge_at) else {
        return Ok(None);
    };
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
        let id = due_of(key).confirmation;
        let keys = match batch.get(id) {
            // The entry was damaged: the item's own time counts, and it gets its entry back.
            Ok(Some(item)) if now < item.purge_at => {
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
            },
        };
        batch.remove(id, keys)?;
    }
    Ok(keys.len())
}
