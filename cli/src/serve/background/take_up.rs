//! Taking up the deliveries of the previous process while serving: lane by lane, a piece of each in
//! turn.

use std::collections::VecDeque;

use countersign_domain::delivery::queue::{DeliveryQueue as _, MAX_QUEUE_DELAY};
use countersign_domain::delivery::store::Due;
use countersign_domain::delivery::{DeliveryLane, DeliverySubject};
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_embedded::store::Recovered;

use super::{BATCH, Dispatcher};

/// A lane, and the last of its deliveries that was taken up.
struct Lane {
    name: DeliveryLane,
    last: Option<Due>,
}

impl Dispatcher {
    /// Puts the deliveries that were owed when the previous process ended into the queue, as far as
    /// there is room. The sweep finds those that wait for longer or do not fit.
    pub(super) async fn take_up(&self) -> Result<(), Unavailable> {
        let lanes = self.store.pending_lanes().await?.into_iter();
        let mut lanes: VecDeque<Lane> = lanes.map(|name| Lane { name, last: None }).collect();
        let mut count = 0;
        while let Some(lane) = lanes.pop_front() {
            let (found, more) = self.take_up_piece(lane).await?;
            count += found;
            lanes.extend(more);
        }
        if count > 0 {
            tracing::info!(count, "took up webhooks that are owed");
        }
        Ok(())
    }

    /// Takes up the next piece of a lane; returns how many, and the lane if it has more.
    async fn take_up_piece(&self, lane: Lane) -> Result<(usize, Option<Lane>), Unavailable> {
        let Lane { name, last } = lane;
        let now = self.clock.now();
        let queue = self.queue.clone();
        // A claim of this process is not taken back.
        let under_way = move |subject: DeliverySubject| queue.is_under_way(subject);
        let found = self.store.recover(name, now, last, BATCH, under_way);
        let found = found.await?;
        self.enqueue_all(&found).await;
        let last = found.last().map(|owed| owed.due);
        let more = (found.len() == BATCH).then_some(Lane { name, last });
        Ok((found.len(), more))
    }

    async fn enqueue_all(&self, found: &[Recovered]) {
        for owed in found {
            let wait = owed.next_attempt_at.since(self.clock.now());
            if wait <= MAX_QUEUE_DELAY {
                // If the lane is full, the queue makes room for the receivers that have less.
                let _ = self.queue.enqueue(owed.pointer, wait).await;
            }
        }
    }
}
