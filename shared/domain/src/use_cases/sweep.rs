//! Search for pending deliveries that no queue message will bring up: after lost messages, crashed
//! dispatchers, and waits longer than the queue's maximum delay.
//!
//! A sweep reads the partitions of the index in order of time, and enqueues the due deliveries. The
//! partitions take turns, and one that fails does not stop the others.
//!
//! A sweep that does not reach the end of a partition stores its position there, and the next sweep
//! resumes after it: items that cannot be processed do not block those after them. In such a partition,
//! deliveries that became due in the last few minutes also get turns, so that new deliveries need not
//! wait for a backlog.

mod scan;

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::future::join_all;

use super::Ports;
use crate::delivery::PostponeOutcome;
use crate::delivery::due::{DueEntry, DueIndex, DuePartition, DueStart};
use crate::event::{Event, Labels};
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

use scan::Scan;

/// Maximum number of entries of a partition per read.
const MAX_BATCH: usize = 100;

/// Maximum number of deliveries that are processed concurrently.
const MAX_CONCURRENT: usize = 100;

/// The result of a sweep.
#[derive(Debug, Default)]
pub struct SweepReport {
    /// Number of deliveries enqueued.
    pub found: usize,
    /// The age of the oldest due delivery that it found, if any.
    pub longest_due: Option<Duration>,
    /// Number of items that cannot be read. These items are skipped.
    pub damaged: usize,
    /// The last failure of another kind, if any.
    pub failure: Option<Unavailable>,
}

/// The positions from which the next sweep resumes: for each partition whose end was not reached, the last
/// entry that was processed. Without a position, a sweep starts at the beginning.
#[derive(Debug, Default)]
pub struct SweepCursors(BTreeMap<DuePartition, DueEntry>);

/// The limits of a sweep.
#[derive(Clone, Copy, Debug)]
pub struct SweepLimit {
    /// Maximum number of deliveries that are enqueued.
    pub deliveries: usize,
    /// Time after which no more deliveries are processed.
    pub until: Timestamp,
}

/// The result for one entry.
enum EntryOutcome {
    Enqueued,
    /// Another sweep or its own settlement changed the delivery.
    Superseded,
    /// The item cannot be read.
    Damaged,
    /// The item could not be postponed.
    Stuck(Unavailable),
    /// The queue could not be reached.
    Unsent(Unavailable),
}

/// Enqueues due deliveries, up to the limit. Stores the positions where it stops, even if it is
/// cancelled.
///
/// Each delivery is first postponed by a conditional write, so only one of two concurrent sweeps enqueues it.
///
/// The sweep skips an item that cannot be postponed, and abandons a partition that cannot be read
/// further. It continues with the others and returns the failure at the end.
pub async fn sweep(
    ports: Ports<'_>,
    index: &dyn DueIndex,
    cursors: &mut SweepCursors,
    limit: SweepLimit,
) -> SweepReport {
    let now = ports.clock.now();
    let mut swept = SweepReport::default();
    let mut scans = scans(index, cursors, now);
    let ends =
        |swept: &SweepReport| swept.found >= limit.deliveries || limit.until < ports.clock.now();
    while !scans.is_empty() && !ends(&swept) {
        let room = limit.deliveries - swept.found;
        let batch = (room / scans.len()).clamp(1, MAX_BATCH);
        let read = scans.iter().map(|scan| scan.read(index, now, batch));
        let mut entries = Vec::new();
        for (number, page) in join_all(read).await.into_iter().enumerate() {
            let scan = &mut scans[number];
            match page {
                Ok(page) => {
                    scan.is_last_page = page.len() < batch;
                    entries.extend(page.into_iter().enumerate().map(|entry| (entry, number)));
                }
                Err(cause) => {
                    scan.has_failed = true;
                    swept.failure = Some(cause);
                }
            }
        }
        // The first entry of each partition, then the second of each, and so on.
        entries.sort_by_key(|((place, _), number)| (*place, *number));
        let mut rest = entries.as_slice();
        while !rest.is_empty() {
            if ends(&swept) {
                return swept;
            }
            let room = limit.deliveries - swept.found;
            let (some, others) = rest.split_at(rest.len().min(room).min(MAX_CONCURRENT));
            rest = others;
            // Concurrent, because a store that batches writes puts them on disk together.
            let outcomes = join_all(some.iter().map(|((_, due), _)| take_up(ports, *due))).await;
            for (((_, due), number), outcome) in some.iter().zip(outcomes) {
                let scan = &mut scans[*number];
                swept.record(now.since(due.due_at), scan.record(*due, outcome));
                if !scan.is_of_recent {
                    cursors.0.insert(scan.part, *due);
                }
            }
        }
        let has_ended = |scan: &&Scan| scan.is_last_page && !scan.is_of_recent;
        for scan in scans.iter().filter(has_ended) {
            cursors.0.remove(&scan.part);
        }
        scans.retain(|scan| !scan.is_last_page && !scan.has_failed);
    }
    swept
}

impl SweepReport {
    fn record(&mut self, age: Duration, outcome: EntryOutcome) {
        match outcome {
            EntryOutcome::Superseded => return,
            EntryOutcome::Damaged => {
                self.damaged += 1;
                return;
            }
            EntryOutcome::Enqueued => self.found += 1,
            EntryOutcome::Stuck(cause) | EntryOutcome::Unsent(cause) => self.failure = Some(cause),
        }
        self.longest_due = self.longest_due.max(Some(age));
    }
}

/// Returns how long the oldest due delivery has been due, if any.
///
/// # Errors
/// Fails if the index cannot be read.
pub async fn longest_due(
    index: &dyn DueIndex,
    now: Timestamp,
) -> Result<Option<Duration>, Unavailable> {
    let parts = index.parts().into_iter();
    let oldest = parts.map(|part| index.due(part, now, DueStart::BEGINNING, 1));
    let mut longest = None;
    for oldest in join_all(oldest).await {
        longest = longest.max(oldest?.first().map(|oldest| now.since(oldest.due_at)));
    }
    Ok(longest)
}

/// Returns the scans of a sweep, in an order that rotates every minute: if a sweep cannot process all
/// partitions, the next one starts with others.
fn scans(index: &dyn DueIndex, cursors: &SweepCursors, now: Timestamp) -> Vec<Scan> {
    let parts = index.parts().into_iter();
    let mut scans: Vec<Scan> = parts
        .flat_map(|part| Scan::for_part(part, cursors.0.get(&part).copied(), now))
        .collect();
    let minute = usize::try_from(now.as_millis() / 60_000).unwrap_or_default();
    let count = scans.len().max(1);
    scans.rotate_left(minute % count);
    scans
}

/// Postpones the delivery, and enqueues it if this succeeds.
async fn take_up(ports: Ports<'_>, due: DueEntry) -> EntryOutcome {
    match ports.store.postpone(due, ports.clock.now()).await {
        Ok(PostponeOutcome::Postponed(pointer)) => {
            ports.metrics.count(&Event::Swept, Labels::default());
            match ports.queue.enqueue(pointer, Duration::ZERO).await {
                Ok(_) => EntryOutcome::Enqueued,
                Err(cause) => EntryOutcome::Unsent(cause),
            }
        }
        Ok(PostponeOutcome::Superseded) => EntryOutcome::Superseded,
        Err(cause) if cause.is_damage() => EntryOutcome::Damaged,
        Err(cause) => EntryOutcome::Stuck(cause),
    }
}
