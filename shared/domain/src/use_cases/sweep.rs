//! Finding deliveries that are owed and that no queue message will bring: lost sends, dead
//! dispatchers, and waits longer than a queue can hold.
//!
//! Lanes take turns: a round takes a piece of each. A lane whose items cannot be postponed or whose
//! pointers cannot be sent ends its own part of the sweep and no other's.

mod lane;

use std::collections::VecDeque;
use std::num::NonZero;
use std::time::Duration;

use super::Ports;
use crate::delivery::due::DueIndex;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

use lane::{Lane, Piece};

/// The most entries of one lane that are read at once.
const PIECE: usize = 100;

/// The result of a sweep.
#[derive(Debug)]
pub struct Swept {
    /// The number of deliveries put into the queue.
    pub found: usize,
    /// How long the oldest delivery among those that it read has been due, if there was one.
    pub longest_due: Option<Duration>,
    /// The last failure, if there was one.
    pub failure: Option<Unavailable>,
}

/// Puts deliveries that are due into the queue, at most about `limit` of them, and returns how many.
///
/// Each is postponed first, by a conditional write, so only one of two sweeps at once enqueues it.
/// Lanes take turns, so each gets its share of `limit` whatever the others have due.
///
/// The sweep skips an item that cannot be postponed and ends a lane that cannot go on. It continues
/// with the others and reports the failure at the end.
pub async fn sweep(ports: Ports<'_>, index: &dyn DueIndex, limit: usize) -> Swept {
    let (mut turns, mut failure) = match lanes(ports, index).await {
        Ok(lanes) => (lanes, None),
        Err(cause) => (VecDeque::new(), Some(cause)),
    };
    let share = NonZero::new(turns.len()).map_or(limit, |count| limit / count);
    let piece = share.clamp(1, PIECE);
    let (mut found, mut longest_due) = (0, None);
    while let Some(mut lane) = turns.pop_front() {
        if found >= limit {
            break;
        }
        let Piece {
            enqueued,
            longest_due: longest_here,
            cause,
            ended,
        } = lane.sweep(ports, index, piece.min(limit - found)).await;
        found += enqueued;
        longest_due = longest_due.max(longest_here);
        failure = cause.or(failure);
        if !ended {
            turns.push_back(lane);
        }
    }
    Swept {
        found,
        longest_due,
        failure,
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
    let mut longest = None;
    for lane in index.due_lanes(now).await? {
        let oldest = index.due(lane, now, None, 1).await?;
        longest = longest.max(oldest.first().map(|oldest| now.since(oldest.due_at)));
    }
    Ok(longest)
}

/// The lanes that have something due, in an order that moves on from minute to minute: where there
/// are more than one sweep can serve, the next begins with others.
async fn lanes(ports: Ports<'_>, index: &dyn DueIndex) -> Result<VecDeque<Lane>, Unavailable> {
    let now = ports.clock.now();
    let found = index.due_lanes(now).await?;
    let mut lanes: VecDeque<Lane> = found.into_iter().map(Lane::new).collect();
    if let Some(count) = NonZero::new(lanes.len()) {
        let minute = usize::try_from(now.as_millis() / 60_000).unwrap_or_default();
        lanes.rotate_left(minute % count);
    }
    Ok(lanes)
}
