//! Taking up what the process before left: beside serving, lane by lane, a piece of each in turn.

use std::collections::VecDeque;

use countersign_domain::confirmation::store::Due;
use countersign_domain::delivery::queue::{DeliveryQueue as _, MAX_QUEUE_DELAY};
use countersign_domain::delivery::{DeliveryLane, DeliverySubject};
use countersign_domain::login::store::DueNotice;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_embedded::store::Recovered;

use super::{BATCH, Dispatcher};

/// A lane, and the last of its deliveries that was looked at.
enum Lane {
    Confirmations(DeliveryLane, Option<Due>),
    Logins(DeliveryLane, Option<DueNotice>),
}

impl Dispatcher {
    /// Puts what was owed when the process before ended into the queue, as far as there is room.
    /// What waits for longer, or does not fit, is the sweep's.
    pub(super) async fn take_up(&self) -> Result<(), Unavailable> {
        let confirmations = self.store.pending_lanes()?.into_iter();
        let logins = self.store.pending_notice_lanes()?.into_iter();
        let mut lanes: VecDeque<Lane> = confirmations
            .map(|lane| Lane::Confirmations(lane, None))
            .chain(logins.map(|lane| Lane::Logins(lane, None)))
            .collect();
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

    /// Takes up the next of a lane; answers how many, and where it goes on.
    async fn take_up_piece(&self, lane: Lane) -> Result<(usize, Option<Lane>), Unavailable> {
        let now = self.clock.now();
        let queue = self.queue.clone();
        // A claim of this process is not taken back.
        let under_way = move |subject: DeliverySubject| queue.is_under_way(subject);
        match lane {
            Lane::Confirmations(lane, after) => {
                let store = &self.store;
                let found = store.recover(lane, now, after, BATCH, under_way).await?;
                self.enqueue_all(&found).await;
                let last = found.last().map(|owed| owed.due);
                let more = (found.len() == BATCH).then_some(Lane::Confirmations(lane, last));
                Ok((found.len(), more))
            }
            Lane::Logins(lane, after) => {
                let store = &self.store;
                let found = store
                    .recover_notices(lane, now, after, BATCH, under_way)
                    .await?;
                self.enqueue_all(&found).await;
                let last = found.last().map(|owed| owed.due);
                let more = (found.len() == BATCH).then_some(Lane::Logins(lane, last));
                Ok((found.len(), more))
            }
        }
    }

    async fn enqueue_all<D>(&self, found: &[Recovered<D>]) {
        for owed in found {
            let wait = owed.next_attempt_at.since(self.clock.now());
            if wait <= MAX_QUEUE_DELAY {
                // Where the lane is full, the queue makes room for the receivers that have less.
                let _ = self.queue.enqueue(owed.pointer, wait).await;
            }
        }
    }
}
