//! One lane's part of a sweep.

use std::time::Duration;

use futures_util::future::join_all;

use super::super::Ports;
use crate::delivery::due::Due;
use crate::delivery::queue::{Enqueued, Room};
use crate::delivery::{DeliveryLane, PostponeOutcome};
use crate::event::Event;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// A lane, and how far the sweep has come in it.
pub(super) struct Lane {
    name: DeliveryLane,
    /// The last entry that was read.
    seen: Option<Due>,
    /// The number of items in a row that could not be postponed.
    stuck: usize,
    /// The number of pointers that the queue may still refuse before the lane's part ends.
    pub(super) refusals_left: usize,
}

/// The number of items in a row that cannot be postponed after which a lane's part ends: the store
/// itself must be out of order. Fewer are skipped.
const MAX_STUCK: usize = 100;

/// The result of one piece of a lane.
pub(super) struct Piece {
    /// The number of pointers that the queue took.
    pub(super) enqueued: usize,
    /// The last failure, if there was one.
    pub(super) cause: Option<Unavailable>,
    /// True if this sweep is done with the lane.
    pub(super) ended: bool,
}

/// The result for one entry.
enum Fate {
    Enqueued,
    /// Another sweep or its own settlement moved it.
    Superseded,
    NoRoom,
    /// The item could not be postponed.
    Stuck(Unavailable),
    /// The queue could not be reached.
    Unsent(Unavailable),
}

impl Lane {
    pub(super) const fn new(name: DeliveryLane) -> Self {
        Self {
            name,
            seen: None,
            stuck: 0,
            refusals_left: 0,
        }
    }

    /// Takes up at most the next `limit` entries.
    pub(super) async fn sweep(&mut self, ports: Ports<'_>, limit: usize) -> Piece {
        let now = ports.clock.now();
        let entries = match self.next(ports, now, limit).await {
            Ok(entries) => entries,
            Err(cause) => return Piece::failed(cause),
        };
        let last = entries.len() < limit;
        let mut wanted = Vec::with_capacity(entries.len());
        let mut full = false;
        for entry in entries {
            let room = match ports.queue.room_for(self.name, entry.subject) {
                Room::Held => continue,
                Room::Free(room) => room.saturating_add(self.refusals_left),
                // Only the item says which receiver it is for, so it is postponed and the queue
                // decides.
                Room::Contested => self.refusals_left,
                Room::Full => 0,
            };
            if wanted.len() >= room {
                full = true;
                break;
            }
            wanted.push(entry);
        }
        // All at once: a store that writes in batches puts them on disk together.
        let fates = join_all(wanted.into_iter().map(|due| take_up(ports, due, now))).await;
        let mut piece = Piece {
            enqueued: 0,
            cause: None,
            ended: last || full,
        };
        for fate in fates {
            if matches!(fate, Fate::Stuck(_)) {
                self.stuck += 1;
            } else {
                self.stuck = 0;
            }
            match fate {
                Fate::Enqueued => piece.enqueued += 1,
                Fate::Superseded => {}
                Fate::NoRoom => {
                    piece.ended |= self.refusals_left == 0;
                    self.refusals_left = self.refusals_left.saturating_sub(1);
                }
                Fate::Stuck(cause) => piece.cause = Some(cause),
                Fate::Unsent(cause) => {
                    piece.cause = Some(cause);
                    piece.ended = true;
                }
            }
        }
        piece.ended |= self.stuck >= MAX_STUCK;
        piece
    }

    /// Reads the next entries, and remembers the last.
    async fn next(
        &mut self,
        ports: Ports<'_>,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<Due>, Unavailable> {
        let due = ports.store.due(self.name, now, self.seen, limit).await?;
        self.seen = due.last().copied().or(self.seen);
        Ok(due)
    }
}

impl Piece {
    const fn failed(cause: Unavailable) -> Self {
        Self {
            enqueued: 0,
            cause: Some(cause),
            ended: true,
        }
    }
}

/// Postpones the delivery, and enqueues it if that worked.
async fn take_up(ports: Ports<'_>, due: Due, now: Timestamp) -> Fate {
    let pointer = match ports.store.postpone(due, now).await {
        Ok(PostponeOutcome::Postponed(pointer)) => pointer,
        Ok(PostponeOutcome::Superseded) => return Fate::Superseded,
        Err(cause) => return Fate::Stuck(cause),
    };
    ports.metrics.count(&Event::Swept);
    match ports.queue.enqueue(pointer, Duration::ZERO).await {
        Ok(Enqueued::Waiting) => Fate::Enqueued,
        Ok(Enqueued::LeftToSweep) => Fate::NoRoom,
        Err(cause) => Fate::Unsent(cause),
    }
}
