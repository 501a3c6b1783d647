//! Finding pending deliveries that no queue message will bring: lost sends, dead
//! dispatchers, and waits longer than a queue can hold.
//!
//! A sweep reads the parts of the index in the order of time, and takes up what is due. The parts take
//! turns, and one that fails ends no other.
//!
//! A sweep that does not come to the end of a part leaves its place there, and the next one goes on from
//! it: items that cannot be taken up do not keep it from those behind them. Where the end was not reached,
//! what became due in the last minutes has turns too, so that a new delivery need not wait for a backlog.

mod scan;

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::future::join_all;

use super::Ports;
use crate::delivery::PostponeOutcome;
use crate::delivery::due::{Due, DueFrom, DueIndex, DuePart};
use crate::event::{Event, Labels};
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

use scan::Scan;

/// The most entries of a part that one read returns.
const PIECE: usize = 100;

/// The most deliveries that are taken up at the same time.
const AT_ONCE: usize = 100;

/// The result of a sweep.
#[derive(Debug, Default)]
pub struct Swept {
    /// The number of deliveries put into the queue.
    pub found: usize,
    /// The age of the oldest due delivery that it found, if any.
    pub longest_due: Option<Duration>,
    /// The number of items that cannot be read. They are skipped.
    pub damaged: usize,
    /// The last failure of anything else, if there was one.
    pub failure: Option<Unavailable>,
}

/// The places in which the next sweep goes on: of each part whose end was not reached, the last entry that was
/// taken up. Without it, a sweep begins at the beginning.
#[derive(Debug, Default)]
pub struct SweepPlaces(BTreeMap<DuePart, Due>);

/// The end of a sweep.
#[derive(Clone, Copy, Debug)]
pub struct SweepLimit {
    /// The most deliveries that are put into the queue.
    pub deliveries: usize,
    /// The time after which no more are taken up.
    pub until: Timestamp,
}

/// The result for one entry.
enum Fate {
    Enqueued,
    /// Another sweep or its own settlement moved it.
    Superseded,
    /// The item cannot be read.
    Damaged,
    /// The item could not be postponed.
    Stuck(Unavailable),
    /// The queue could not be reached.
    Unsent(Unavailable),
}

/// Puts deliveries that are due into the queue, up to the limit. Keeps the places where it stops, also if it
/// is cancelled.
///
/// Each delivery is postponed first, by a conditional write, so only one of two concurrent sweeps enqueues it.
///
/// The sweep skips an item that cannot be postponed and ends a part that cannot go on. It continues
/// with the others and reports the failure at the end.
pub async fn sweep(
    ports: Ports<'_>,
    index: &dyn DueIndex,
    places: &mut SweepPlaces,
    limit: SweepLimit,
) -> Swept {
    let now = ports.clock.now();
    let mut swept = Swept::default();
    let mut scans = scans(index, places, now);
    let ends = |swept: &Swept| swept.found >= limit.deliveries || limit.until < ports.clock.now();
    while !scans.is_empty() && !ends(&swept) {
        let room = limit.deliveries - swept.found;
        let piece = (room / scans.len()).clamp(1, PIECE);
        let read = scans.iter().map(|scan| scan.read(index, now, piece));
        let mut entries = Vec::new();
        for (number, page) in join_all(read).await.into_iter().enumerate() {
            let scan = &mut scans[number];
            match page {
                Ok(page) => {
                    scan.is_last_page = page.len() < piece;
                    entries.extend(page.into_iter().enumerate().map(|entry| (entry, number)));
                }
                Err(cause) => {
                    scan.has_failed = true;
                    swept.failure = Some(cause);
                }
            }
        }
        // The first entry of each part, then the second, and so on.
        entries.sort_by_key(|((place, _), number)| (*place, *number));
        let mut rest = entries.as_slice();
        while !rest.is_empty() {
            if ends(&swept) {
                return swept;
            }
            let room = limit.deliveries - swept.found;
            let (some, others) = rest.split_at(rest.len().min(room).min(AT_ONCE));
            rest = others;
            // Concurrently: a store that writes in batches puts them on disk together.
            let fates = join_all(some.iter().map(|((_, due), _)| take_up(ports, *due))).await;
            for (((_, due), number), fate) in some.iter().zip(fates) {
                let scan = &mut scans[*number];
                swept.note(now.since(due.due_at), scan.note(*due, fate));
                if !scan.is_of_recent {
                    places.0.insert(scan.part, *due);
                }
            }
        }
        let has_ended = |scan: &&Scan| scan.is_last_page && !scan.is_of_recent;
        for scan in scans.iter().filter(has_ended) {
            places.0.remove(&scan.part);
        }
        scans.retain(|scan| !scan.is_last_page && !scan.has_failed);
    }
    swept
}

impl Swept {
    fn note(&mut self, age: Duration, fate: Fate) {
        match fate {
            Fate::Superseded => return,
            Fate::Damaged => {
                self.damaged += 1;
                return;
            }
            Fate::Enqueued => self.found += 1,
            Fate::Stuck(cause) | Fate::Unsent(cause) => self.failure = Some(cause),
        }
        self.longest_due = self.longest_due.max(Some(age));
    }
}

/// Returns how long the oldest delivery that is due has been due, if there is one.
///
/// # Errors
/// Fails if the index cannot be read.
pub async fn longest_due(
    index: &dyn DueIndex,
    now: Timestamp,
) -> Result<Option<Duration>, Unavailable> {
    let parts = index.parts().into_iter();
    let oldest = parts.map(|part| index.due(part, now, DueFrom::BEGINNING, 1));
    let mut longest = None;
    for oldest in join_all(oldest).await {
        longest = longest.max(oldest?.first().map(|oldest| now.since(oldest.due_at)));
    }
    Ok(longest)
}

/// Returns the scans of a sweep, in an order that moves on from minute to minute: where a sweep cannot serve
/// all parts, the next begins with others.
fn scans(index: &dyn DueIndex, places: &SweepPlaces, now: Timestamp) -> Vec<Scan> {
    let parts = index.parts().into_iter();
    let mut scans: Vec<Scan> = parts
        .flat_map(|part| Scan::of(part, places.0.get(&part).copied(), now))
        .collect();
    let minute = usize::try_from(now.as_millis() / 60_000).unwrap_or_default();
    let count = scans.len().max(1);
    scans.rotate_left(minute % count);
    scans
}

/// Postpones the delivery, and enqueues it if that worked.
async fn take_up(ports: Ports<'_>, due: Due) -> Fate {
    match ports.store.postpone(due, ports.clock.now()).await {
        Ok(PostponeOutcome::Postponed(pointer)) => {
            ports.metrics.count(&Event::Swept, Labels::default());
            match ports.queue.enqueue(pointer, Duration::ZERO).await {
                Ok(_) => Fate::Enqueued,
                Err(cause) => Fate::Unsent(cause),
            }
        }
        Ok(PostponeOutcome::Superseded) => Fate::Superseded,
        Err(cause) if cause.is_damage() => Fate::Damaged,
        Err(cause) => Fate::Stuck(cause),
    }
}
