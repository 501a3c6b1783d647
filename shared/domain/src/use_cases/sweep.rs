//! Finding deliveries that are owed and that no queue message will bring: lost sends, dead
//! dispatchers, and waits longer than a queue can hold.

use std::time::Duration;

use crate::confirmation::transitions::PostponeOutcome;
use crate::event::Event;
use crate::ports::{
    Clock, ConfirmationStore, DeliveryQueue, Due, DueNotice, Metrics, QrSessionStore, Unavailable,
};
use crate::time::Timestamp;

/// How many entries of the due index are looked at in one go.
const BATCH: usize = 100;

/// How many entries one sweep tries in vain: more, and the store itself must be out of order.
const MOST_FAILURES: usize = 10;

/// What sweeping needs.
#[derive(Clone, Copy)]
pub struct Ports<'a> {
    /// Where the deliveries of confirmations are kept.
    pub store: &'a dyn ConfirmationStore,
    /// Where those of logins are kept.
    pub logins: &'a dyn QrSessionStore,
    /// Where their pointers go.
    pub queue: &'a dyn DeliveryQueue,
    /// Time.
    pub clock: &'a dyn Clock,
    /// What is counted.
    pub metrics: &'a dyn Metrics,
}

/// A delivery that is due.
enum Entry {
    Confirmation(Due),
    Login(DueNotice),
}

impl Ports<'_> {
    /// What is due of either kind; each may fill the limit, so that neither waits for the other.
    async fn due(&self, now: Timestamp, limit: usize) -> Result<Vec<Entry>, Unavailable> {
        let confirmations = self.store.due(now, limit).await?;
        let logins = self.logins.due_notices(now, limit).await?;
        let confirmations = confirmations.into_iter().map(Entry::Confirmation);
        let logins = logins.into_iter().map(Entry::Login);
        Ok(confirmations.chain(logins).collect())
    }

    async fn postpone(&self, due: Entry, now: Timestamp) -> Result<PostponeOutcome, Unavailable> {
        match due {
            Entry::Confirmation(due) => self.store.postpone(due, now).await,
            Entry::Login(due) => self.logins.postpone_notice(due, now).await,
        }
    }
}

/// Puts every delivery that is due into the queue, about `limit` of them at most, and answers how many.
///
/// Each is postponed first, by a conditional write, so that of two sweeps at once one enqueues it.
/// The sweep stops at the first pointer that the queue does not take: what is left stays due. An
/// item that cannot be postponed is left out, so that it does not keep the sweep from those due
/// after it; the sweep fails in the end.
pub async fn sweep(ports: Ports<'_>, limit: usize) -> Result<usize, Unavailable> {
    let (mut found, mut failures) = (0, Vec::new());
    while found < limit {
        let now = ports.clock.now();
        let mut moved = 0;
        for entry in ports.due(now, BATCH.min(limit - found)).await? {
            match ports.postpone(entry, now).await {
                Ok(PostponeOutcome::Postponed(pointer)) => {
                    ports.metrics.count(&Event::Swept);
                    ports.queue.enqueue(pointer, Duration::ZERO).await?;
                    moved += 1;
                }
                Ok(PostponeOutcome::Superseded) => {}
                Err(cause) if failures.len() + 1 >= MOST_FAILURES => return Err(cause),
                Err(cause) => failures.push(cause),
            }
        }
        found += moved;
        // An index may be stale: entries that moved on already must not keep us here.
        if moved == 0 {
            break;
        }
    }
    match failures.pop() {
        Some(cause) => Err(cause),
        None => Ok(found),
    }
}
