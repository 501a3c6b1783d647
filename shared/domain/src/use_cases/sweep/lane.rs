//! One lane's part of a sweep.

use std::time::Duration;

use futures_util::future::join_all;

use super::{Entry, Ports};
use crate::confirmation::store::Due;
use crate::delivery::queue::{Enqueued, Room};
use crate::delivery::{DeliveryLane, DeliverySubject, PostponeOutcome};
use crate::event::Event;
use crate::login::store::DueNotice;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// How far the sweep has come in one lane.
pub(super) struct Lane {
    name: DeliveryLane,
    seen: Seen,
    /// How many items in a row could not be postponed.
    stuck: usize,
    /// How many more pointers the queue may refuse before that ends the lane's part.
    pub(super) refusals_left: usize,
}

/// So many items in a row that cannot be postponed end a lane's part: the store itself must be out
/// of order. Fewer are passed over.
const MAX_STUCK: usize = 100;

/// The last entry that was looked at; of which kind they are.
enum Seen {
    Confirmation(Option<Due>),
    Login(Option<DueNotice>),
}

/// What came of one piece of a lane.
pub(super) struct Piece {
    /// How many pointers the queue took.
    pub(super) enqueued: usize,
    /// What went wrong last, if anything did.
    pub(super) cause: Option<Unavailable>,
    /// Whether this sweep is done with the lane.
    pub(super) ended: bool,
}

/// What became of one entry.
enum Fate {
    Enqueued,
    /// It was moved on by another, or by its own settlement.
    Superseded,
    NoRoom,
    /// The item could not be postponed.
    Stuck(Unavailable),
    /// The queue could not be reached.
    Unsent(Unavailable),
}

impl Lane {
    pub(super) fn of_confirmations(name: DeliveryLane) -> Self {
        Self::new(name, Seen::Confirmation(None))
    }

    pub(super) fn of_logins(name: DeliveryLane) -> Self {
        Self::new(name, Seen::Login(None))
    }

    const fn new(name: DeliveryLane, seen: Seen) -> Self {
        Self {
            name,
            seen,
            stuck: 0,
            refusals_left: 0,
        }
    }

    /// Takes up the next `limit` entries at most.
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
            let room = match ports.queue.room_for(self.name, entry.subject()) {
                Room::Held => continue,
                Room::Free(room) => room.saturating_add(self.refusals_left),
                // Whose receiver has less waiting is told by the item alone, so that it is moved
                // and the queue decides.
                Room::Contested => self.refusals_left,
                Room::Full => 0,
            };
            if wanted.len() >= room {
                full = true;
                break;
            }
            wanted.push(entry);
        }
        // At once: a store that writes in batches puts all of them on disk together.
        let fates = join_all(wanted.into_iter().map(|entry| entry.take_up(ports, now))).await;
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

    async fn next(
        &mut self,
        ports: Ports<'_>,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<Entry>, Unavailable> {
        match &mut self.seen {
            Seen::Confirmation(seen) => {
                let due = ports.store.due(self.name, now, *seen, limit).await?;
                *seen = due.last().copied().or(*seen);
                Ok(due.into_iter().map(Entry::Confirmation).collect())
            }
            Seen::Login(seen) => {
                let due = ports
                    .logins
                    .due_notices(self.name, now, *seen, limit)
                    .await?;
                *seen = due.last().copied().or(*seen);
                Ok(due.into_iter().map(Entry::Login).collect())
            }
        }
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

impl Entry {
    const fn subject(self) -> DeliverySubject {
        match self {
            Self::Confirmation(due) => DeliverySubject::Confirmation(due.confirmation),
            Self::Login(due) => DeliverySubject::Login(due.session),
        }
    }

    /// Postpones the delivery, and enqueues it if that was done.
    async fn take_up(self, ports: Ports<'_>, now: Timestamp) -> Fate {
        let postponed = match self {
            Self::Confirmation(due) => ports.store.postpone(due, now).await,
            Self::Login(due) => ports.logins.postpone_notice(due, now).await,
        };
        let pointer = match postponed {
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
}
