//! Finding deliveries that are owed and that no queue message will bring: lost sends, dead
//! dispatchers, waits longer than a queue can hold, and what a queue had no room for.
//!
//! Lanes take turns: a round takes a piece of each. A lane that has no room, whose items cannot be
//! postponed or whose pointers cannot be sent ends its own part of the sweep and no other's.

mod lane;

use std::collections::VecDeque;
use std::num::NonZero;

use super::Ports;
use crate::primitives::unavailable::Unavailable;

use lane::{Lane, Piece};

/// The most entries of one lane that are read at once.
const PIECE: usize = 100;

/// The most pointers of one lane that a sweep lets a full queue refuse.
const MAX_REFUSED: usize = 1000;

/// The reason for a sweep: how far it goes in a lane whose receivers compete for the room left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// A minute has passed. The sweep goes on past pointers that the queue refuses, so that a
    /// receiver with a long backlog does not keep the lane's other receivers out of the queue.
    Minute,
    /// The queue has room again, or the sweep before this one left something. The sweep takes as
    /// much as there is room for.
    Room,
}

/// The result of a sweep.
#[derive(Debug)]
pub struct Swept {
    /// The number of deliveries put into the queue.
    pub found: usize,
    /// The last failure, if there was one.
    pub failure: Option<Unavailable>,
}

/// Sweeps `limit` at a time until nothing is due that the queue has room for. A delivery that fails
/// keeps no other from being found.
pub async fn sweep_all(ports: Ports<'_>, limit: usize, occasion: Occasion) -> Swept {
    let mut all = sweep(ports, limit, occasion).await;
    let mut last = all.found;
    while last >= limit {
        let more = sweep(ports, limit, Occasion::Room).await;
        last = more.found;
        all.found += more.found;
        all.failure = more.failure.or(all.failure);
    }
    all
}

/// Puts deliveries that are due into the queue, at most about `limit` of them, and returns how many.
///
/// Each is postponed first, by a conditional write, so only one of two sweeps at once enqueues it.
/// The sweep writes neither what the queue holds already nor what it has no room for. Where a
/// lane's receivers compete for its room, it writes at most a thousand refused ones each minute,
/// which go to the back of their lane. Lanes take turns, so each gets its share of `limit` whatever
/// the others have due.
///
/// The sweep skips an item that cannot be postponed and ends a lane that cannot go on. It continues
/// with the others and reports the failure at the end.
pub async fn sweep(ports: Ports<'_>, limit: usize, occasion: Occasion) -> Swept {
    let (mut turns, mut failure) = match lanes(ports).await {
        Ok(lanes) => (lanes, None),
        Err(cause) => (VecDeque::new(), Some(cause)),
    };
    let share = NonZero::new(turns.len()).map_or(limit, |count| limit / count);
    let piece = share.clamp(1, PIECE);
    if occasion == Occasion::Minute {
        for lane in &mut turns {
            lane.refusals_left = share.clamp(1, MAX_REFUSED);
        }
    }
    let mut found = 0;
    while let Some(mut lane) = turns.pop_front() {
        if found >= limit {
            break;
        }
        let Piece {
            enqueued,
            cause,
            ended,
        } = lane.sweep(ports, piece.min(limit - found)).await;
        found += enqueued;
        failure = cause.or(failure);
        if !ended {
            turns.push_back(lane);
        }
    }
    Swept { found, failure }
}

/// The lanes that have something due, in an order that moves on from minute to minute: where there
/// are more than one sweep can serve, the next begins with others.
async fn lanes(ports: Ports<'_>) -> Result<VecDeque<Lane>, Unavailable> {
    let now = ports.clock.now();
    let found = ports.store.due_lanes(now).await?;
    let mut lanes: VecDeque<Lane> = found.into_iter().map(Lane::new).collect();
    if let Some(count) = NonZero::new(lanes.len()) {
        let minute = usize::try_from(now.as_millis() / 60_000).unwrap_or_default();
        lanes.rotate_left(minute % count);
    }
    Ok(lanes)
}
