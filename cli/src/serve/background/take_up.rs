//! Taking up the deliveries of the previous process while serving: lane by lane, a piece of each in
//! turn.

use std::collections::VecDeque;

use countersign_domain::delivery::DeliveryLane;
use countersign_domain::delivery::due::Due;
use countersign_domain::delivery::queue::{DeliveryQueue as _, MAX_QUEUE_DELAY};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

use super::{BATCH, Dispatcher};

/// A time that no sweep waits for.
const NEVER: Timestamp = Timestamp::from_millis(u64::MAX >> 1);

/// A lane, and the last of its deliveries that was taken up.
struct Lane {
    name: DeliveryLane,
    last: Option<Due>,
}

impl Dispatcher {
    /// Puts the deliveries that were owed when the previous process ended into the queue, as far as
    /// there is room. The sweep finds those that wait for longer or do not fit.
    pub(super) async fn take_up(&self) -> Result<(), Unavailable> {
        let lanes = self.store.due_lanes(NEVER).await?.into_iter();
        let mut lanes: VecDeque<Lane> = lanes.map(|name| Lane { name, last: None }).collect();
        let mut count = 0;
        while let Some(Lane { name, last }) = lanes.pop_front() {
            let found = self.store.due(name, NEVER, last, BATCH).await?;
            for due in &found {
                count += usize::from(self.take_up_one(*due).await?);
            }
            if found.len() == BATCH {
                let last = found.last().copied();
                lanes.push_back(Lane { name, last });
            }
        }
        if count > 0 {
            tracing::info!(count, "took up webhooks that are owed");
        }
        Ok(())
    }

    /// Takes up a delivery, unless this process attempts it already. Returns whether it did.
    async fn take_up_one(&self, due: Due) -> Result<bool, Unavailable> {
        if self.queue.is_under_way(due.subject) {
            return Ok(false);
        }
        let now = self.clock.now();
        let owed = match self.store.owed(due.subject, now).await {
            Ok(owed) => owed,
            Err(cause) => {
                // A damaged document must not stop the others from being delivered.
                tracing::error!(id = %due.subject, %cause, "cannot take up a delivery");
                return Ok(false);
            }
        };
        let Some(owed) = owed else { return Ok(false) };
        let wait = owed.next_attempt_at.since(now);
        if wait <= MAX_QUEUE_DELAY {
            // If the lane is full, the queue makes room for the receivers that have less.
            let _ = self.queue.enqueue(owed.pointer, wait).await;
        }
        Ok(true)
    }
}
