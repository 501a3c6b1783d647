//! One lane's part of a sweep.

use std::time::Duration;

use futures_util::future::join_all;

use super::super::Ports;
use crate::delivery::due::{Due, DueIndex};
use crate::delivery::{DeliveryLane, PostponeOutcome};
use crate::event::{Event, Labels};
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// A lane, and how far the sweep has come in it.
pub(super) struct Lane {
    name: DeliveryLane,
    /// The last entry that was read.
    seen: Option<Due>,
    /// The number of items in a row that could not be postponed.
    stuck: usize,
}

/// The number of items in a row that cannot be postponed after which a lane's part ends: the store
/// itself must be out of order. Fewer are skipped.
const MAX_STUCK: usize = 100;

/// The result of one piece of a lane.
pub(super) struct Piece {
    /// The number of pointers that the queue took.
    pub(super) enqueued: usize,
    /// How long its oldest entry has been due.
    pub(super) longest_due: Option<Duration>,
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
        }
    }

    /// Takes up at most the next `limit` entries.
    pub(super) async fn sweep(
        &mut self,
        ports: Ports<'_>,
        index: &dyn DueIndex,
        limit: usize,
    ) -> Piece {
        let now = ports.clock.now();
        let mut piece = Piece {
            enqueued: 0,
            longest_due: None,
            cause: None,
            ended: true,
        };
        let due = match index.due(self.name, now, self.seen, limit).await {
            Ok(due) => due,
            Err(cause) => {
                piece.cause = Some(cause);
                return piece;
            }
        };
        piece.longest_due = due.first().map(|oldest| now.since(oldest.due_at));
        self.seen = due.last().copied().or(self.seen);
        piece.ended = due.len() < limit;
        // All at once: a store that writes in batches puts them on disk together.
        let fates = join_all(due.into_iter().map(|due| take_up(ports, due, now))).await;
        for fate in fates {
            if matches!(fate, Fate::Stuck(_)) {
                self.stuck += 1;
            } else {
                self.stuck = 0;
            }
            match fate {
                Fate::Enqueued => piece.enqueued += 1,
                Fate::Superseded => {}
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
}

/// Postpones the delivery, and enqueues it if that worked.
async fn take_up(ports: Ports<'_>, due: Due, now: Timestamp) -> Fate {
    match ports.store.postpone(due, now).await {
        Ok(PostponeOutcome::Postponed(pointer)) => {
            ports.metrics.count(&Event::Swept, Labels::default());
            match ports.queue.enqueue(pointer, Duration::ZERO).await {
                Ok(_) => Fate::Enqueued,
                Err(cause) => Fate::Unsent(cause),
            }
        }
        Ok(PostponeOutcome::Superseded) => Fate::Superseded,
        Err(cause) => Fate::Stuck(cause),
    }
}
