//! The delivery store: one implementation for the webhooks of confirmations and of logins.

use std::time::Duration;

use async_trait::async_trait;
use countersign_domain::confirmation::Confirmation;
use countersign_domain::delivery::store::{DeliveryStore, Due};
use countersign_domain::delivery::transitions::{Claim, DeliveryTransition, Postpone, Settle};
use countersign_domain::delivery::{
    ClaimOutcome, DeliveryLane, DeliverySubject, PostponeOutcome, SettleOutcome, SettledAttempt,
};
use countersign_domain::login::Login;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

use super::fault::Fault;
use super::{DynamoStore, unavailable};

impl DynamoStore {
    async fn transact_delivery<X: DeliveryTransition>(
        &self,
        subject: DeliverySubject,
        transition: &X,
    ) -> Result<X::Outcome, Fault> {
        match subject {
            DeliverySubject::Confirmation(id) => {
                let decide = |current: Option<Confirmation>| transition.decide(current);
                self.transact(id, decide).await
            }
            DeliverySubject::Login(id) => {
                let decide = |current: Option<Login>| transition.decide(current);
                self.transact(id, decide).await
            }
        }
    }
}

#[async_trait]
impl DeliveryStore for DynamoStore {
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
        self.transact_delivery(subject, &claim)
            .await
            .map_err(unavailable("delivery store: claim"))
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
        self.transact_delivery(subject, &settle)
            .await
            .map_err(unavailable("delivery store: settle"))
    }

    async fn due_lanes(&self, now: Timestamp) -> Result<Vec<DeliveryLane>, Unavailable> {
        self.find_due_lanes(now)
            .await
            .map_err(unavailable("delivery store: due lanes"))
    }

    async fn due(
        &self,
        lane: DeliveryLane,
        now: Timestamp,
        after: Option<Due>,
        limit: usize,
    ) -> Result<Vec<Due>, Unavailable> {
        self.find_due(lane, now, after, limit)
            .await
            .map_err(unavailable("delivery store: due"))
    }

    async fn postpone(&self, due: Due, now: Timestamp) -> Result<PostponeOutcome, Unavailable> {
        let postpone = Postpone {
            seen_due_at: due.due_at,
            now,
        };
        self.transact_delivery(due.subject, &postpone)
            .await
            .map_err(unavailable("delivery store: postpone"))
    }
}
