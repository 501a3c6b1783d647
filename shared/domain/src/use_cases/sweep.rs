//! Finding deliveries that are owed and that no queue message will bring: lost sends, dead
//! dispatchers, waits longer than a queue can hold, and what a queue had no room for.
//!
//! Every lane has its turn: a round takes a piece of each, and a lane that has no room, whose items
//! cannot be moved or whose pointers cannot be sent ends its own part of the sweep alone.

mod lane;

use std::collections::VecDeque;
use std::num::NonZero;

use crate::confirmation::store::{ConfirmationStore, Due};
use crate::delivery::DeliveryLane;
use crate::delivery::queue::DeliveryQueue;
use crate::event::Metrics;
use crate::login::store::{DueNotice, LoginStore};
use crate::primitives::time::Clock;
use crate::primitives::unavailable::Unavailable;

use lane::{Lane, Piece};

/// How many entries of one lane are looked at in one go, at most.
const PIECE: usize = 100;

/// How many pointers of one lane a sweep lets a full queue refuse, at most.
const MAX_REFUSED: usize = 1000;

/// Why a sweep is made, and so how far it goes in a lane whose receivers contest the room that is
/// left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// A minute has passed. The sweep goes on past what the queue refuses, so that a receiver with
    /// much due does not keep the lane's others from the queue for as long as its backlog lasts.
    Minute,
    /// The queue has room again, or a sweep before this one left something. The sweep takes what
    /// there is room for.
    Room,
}

/// What sweeping needs.
#[derive(Clone, Copy)]
pub struct Ports<'a> {
    /// Where the deliveries of confirmations are kept.
    pub store: &'a dyn ConfirmationStore,
    /// Where those of logins are kept.
    pub logins: &'a dyn LoginStore,
    /// Where their pointers go.
    pub queue: &'a dyn DeliveryQueue,
    /// Time.
    pub clock: &'a dyn Clock,
    /// What is counted.
    pub metrics: &'a dyn Metrics,
}

/// What a sweep did.
#[derive(Debug)]
pub struct Swept {
    /// How many deliveries it put into the queue.
    pub found: usize,
    /// What went wrong last, if anything did.
    pub failure: Option<Unavailable>,
}

/// Sweeps `limit` at a time until nothing is due that the queue has room for. What fails keeps
/// nothing else from being found, however much that is.
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

/// Puts deliveries that are due into the queue, about `limit` of them at most, and answers how many.
///
/// Each is postponed first, by a conditional write, so that of two sweeps at once one enqueues it.
/// What the queue holds already is left alone, and so is what it has no room for: neither is
/// written. Where a lane's receivers contest its room, a thousand refused ones at most are written
/// each minute, and go to the back of their lane. Lanes take turns, so that each gets its share of `limit` whatever the others have due.
///
/// An item that cannot be postponed is left out, and a lane that cannot go on ends; the sweep goes
/// on with the others, and tells of the failure in the end.
pub async fn sweep(ports: Ports<'_>, limit: usize, occasion: Occasion) -> Swept {
    let (mut turns, mut failure) = lanes(ports).await;
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
async fn lanes(ports: Ports<'_>) -> (VecDeque<Lane>, Option<Unavailable>) {
    let now = ports.clock.now();
    let (mut lanes, mut failure) = (VecDeque::new(), None);
    let mut add =
        |found: Result<Vec<DeliveryLane>, Unavailable>, of: fn(DeliveryLane) -> Lane| match found {
            Ok(found) => lanes.extend(found.into_iter().map(of)),
            Err(cause) => failure = Some(cause),
        };
    add(ports.store.due_lanes(now).await, Lane::of_confirmations);
    add(ports.logins.due_notice_lanes(now).await, Lane::of_logins);
    if let Some(count) = NonZero::new(lanes.len()) {
        let minute = usize::try_from(now.as_millis() / 60_000).unwrap_or_default();
        lanes.rotate_left(minute % count);
    }
    (lanes, failure)
}

/// A delivery that is due.
#[derive(Clone, Copy)]
enum Entry {
    Confirmation(Due),
    Login(DueNotice),
}
