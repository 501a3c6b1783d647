use std::time::Duration;

use async_trait::async_trait;
use countersign_domain::delivery::store::{DeliveryStore, Due};
use countersign_domain::delivery::transitions::{
    Claim, DeliveryTransition, Owes, Postpone, Settle,
};
use countersign_domain::delivery::{
    ClaimOutcome, Delivery, DeliveryKind, DeliveryLane, DeliverySubject, PostponeOutcome,
    SettleOutcome, SettledAttempt,
};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

use super::{ModelStore, locked};

impl ModelStore {
    /// Applies a transition to the delivery of an item and returns its outcome.
    pub fn decide_delivery<X: DeliveryTransition>(
        &self,
        subject: DeliverySubject,
        transition: &X,
    ) -> X::Outcome {
        match subject {
            DeliverySubject::Confirmation(id) => {
                self.decide(id, |current| transition.decide(current))
            }
            DeliverySubject::Login(id) => {
                self.logins.decide(id, |current| transition.decide(current))
            }
        }
    }

    /// Returns the delivery of an item, even if the item is past its `purge_at`.
    #[must_use]
    pub fn delivery(&self, subject: DeliverySubject) -> Option<Delivery> {
        let mut found = None;
        self.amend_delivery(subject, |delivery| found = Some(delivery.clone()));
        found
    }

    /// Changes the stored delivery of an item, even if the item is past its `purge_at`.
    pub fn amend_delivery(&self, subject: DeliverySubject, change: impl FnOnce(&mut Delivery)) {
        fn amended<T: Owes>(mut item: T, change: impl FnOnce(&mut Delivery)) -> T {
            if let Some(delivery) = item.delivery_mut() {
                change(delivery);
            }
            item
        }
        let beginning = Timestamp::from_millis(0);
        match subject {
            DeliverySubject::Confirmation(id) => {
                let mut items = locked(&self.confirmations);
                if let Some(item) = items.find(id, beginning) {
                    items.put(amended(item, change));
                }
            }
            DeliverySubject::Login(id) => {
                let mut items = self.logins.locked();
                if let Some(item) = items.find(id, beginning) {
                    items.put(amended(item, change));
                }
            }
        }
    }
}

#[async_trait]
impl DeliveryStore for ModelStore {
    async fn claim(
        &self,
        subject: DeliverySubject,
        attempts_claimed: u32,
        now: Timestamp,
    ) -> Result<ClaimOutcome, Unavailable> {
        let claim = Claim {
            attempts_claimed,
            now,
        };
        Ok(self.decide_delivery(subject, &claim))
    }

    async fn settle(
        &self,
        subject: DeliverySubject,
        settled: SettledAttempt,
        now: Timestamp,
        retention: Duration,
    ) -> Result<SettleOutcome, Unavailable> {
        let settle = Settle {
            settled,
            now,
            retention,
        };
        Ok(self.decide_delivery(subject, &settle))
    }

    async fn due_lanes(&self, now: Timestamp) -> Result<Vec<DeliveryLane>, Unavailable> {
        let mut lanes = locked(&self.confirmations).due_lanes(now);
        lanes.extend(self.logins.locked().due_lanes(now));
        Ok(lanes)
    }

    async fn due(
        &self,
        lane: DeliveryLane,
        now: Timestamp,
        after: Option<Due>,
        limit: usize,
    ) -> Result<Vec<Due>, Unavailable> {
        Ok(match lane.kind() {
            DeliveryKind::Confirmations => locked(&self.confirmations).due(lane, now, after, limit),
            DeliveryKind::Logins => self.logins.locked().due(lane, now, after, limit),
        })
    }

    async fn postpone(&self, due: Due, now: Timestamp) -> Result<PostponeOutcome, Unavailable> {
        let seen_due_at = due.due_at;
        Ok(self.decide_delivery(due.subject, &Postpone { seen_due_at, now }))
    }
}
