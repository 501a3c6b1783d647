use std::time::Duration;

use async_trait::async_trait;
use countersign_conformance::model::ModelStore;
use countersign_domain::confirmation::Confirmation;
use countersign_domain::confirmation::transitions::{
    CancelOutcome, ClaimOutcome, CreateOutcome, PostponeOutcome, RedactOutcome, RedeliverOutcome,
    SettleOutcome, SettledAttempt, TextEvidence, VerifyOutcome,
};
use countersign_domain::ids::{AppId, ConfirmationId};
use countersign_domain::ports::{ConfirmationStore, Due, Unavailable};
use countersign_domain::time::Timestamp;
use countersign_domain::use_cases::sweep;

use crate::world::{World, now_or_never};

/// The model, in which some items cannot be postponed.
struct Stuck<'a> {
    model: &'a ModelStore,
    stuck: Vec<ConfirmationId>,
}

fn sweep_with(world: &World, stuck: Vec<ConfirmationId>) -> Result<usize, Unavailable> {
    let model = &world.store;
    let ports = sweep::Ports {
        store: &Stuck { model, stuck },
        logins: world.logins.as_ref(),
        queue: &world.queue,
        clock: world,
        metrics: world,
    };
    now_or_never(sweep::sweep(ports, 1000))
}

fn owed(world: &World, count: usize) -> Vec<ConfirmationId> {
    let ids = (0..count).map(|n| {
        let started = world.start(world.request()).unwrap();
        world.text(&n.to_string(), "+12025550100", &started.message);
        world.pass(Duration::from_millis(1));
        started.confirmation.id
    });
    let ids = ids.collect();
    world.pass(Duration::from_mins(2));
    world.queue.waiting.lock().unwrap().clear();
    ids
}

#[test]
fn an_item_that_cannot_be_postponed_keeps_nobody_else_waiting() {
    let world = World::new();
    let ids = owed(&world, 3);
    assert!(sweep_with(&world, vec![ids[0]]).is_err(), "it is told");
    let mut found = Vec::new();
    while let Some(pointer) = world.next_pointer() {
        found.push(pointer.subject);
    }
    let others: Vec<_> = ids[1..].iter().map(|id| (*id).into()).collect();
    assert_eq!(found, others);
    assert_eq!(world.sweep().unwrap(), 1, "once it can be postponed");
}

#[test]
fn a_store_that_is_out_of_order_is_not_asked_for_each_item() {
    let world = World::new();
    let ids = owed(&world, 30);
    assert!(sweep_with(&world, ids[..10].to_vec()).is_err());
    assert_eq!(world.count("swept"), 0);
}

#[async_trait]
impl ConfirmationStore for Stuck<'_> {
    async fn due(&self, now: Timestamp, limit: usize) -> Result<Vec<Due>, Unavailable> {
        self.model.due(now, limit).await
    }

    async fn postpone(&self, due: Due, now: Timestamp) -> Result<PostponeOutcome, Unavailable> {
        if self.stuck.contains(&due.confirmation) {
            return Err(Unavailable::new("store: postpone", "stuck"));
        }
        self.model.postpone(due, now).await
    }

    async fn create(&self, _: Confirmation, _: Timestamp) -> Result<CreateOutcome, Unavailable> {
        unreachable!("a sweep creates nothing")
    }

    async fn find(
        &self,
        _: ConfirmationId,
        _: Timestamp,
    ) -> Result<Option<Confirmation>, Unavailable> {
        unreachable!("a sweep reads no item")
    }

    async fn verify(
        &self,
        _: ConfirmationId,
        _: &TextEvidence,
        _: Timestamp,
        _: Duration,
    ) -> Result<VerifyOutcome, Unavailable> {
        unreachable!("a sweep verifies nothing")
    }

    async fn cancel(
        &self,
        _: ConfirmationId,
        _: &AppId,
        _: Timestamp,
    ) -> Result<CancelOutcome, Unavailable> {
        unreachable!("a sweep cancels nothing")
    }

    async fn redact(
        &self,
        _: ConfirmationId,
        _: &AppId,
        _: Timestamp,
    ) -> Result<RedactOutcome, Unavailable> {
        unreachable!("a sweep erases nothing")
    }

    async fn redeliver(
        &self,
        _: ConfirmationId,
        _: &AppId,
        _: Timestamp,
        _: Duration,
    ) -> Result<RedeliverOutcome, Unavailable> {
        unreachable!("a sweep redelivers nothing")
    }

    async fn claim(
        &self,
        _: ConfirmationId,
        _: u32,
        _: Timestamp,
    ) -> Result<ClaimOutcome, Unavailable> {
        unreachable!("a sweep claims nothing")
    }

    async fn settle(
        &self,
        _: ConfirmationId,
        _: SettledAttempt,
        _: Timestamp,
        _: Duration,
    ) -> Result<SettleOutcome, Unavailable> {
        unreachable!("a sweep settles nothing")
    }
}
