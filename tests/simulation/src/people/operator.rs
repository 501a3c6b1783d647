//! Callers who cancel, redact and redeliver confirmations.

use countersign_conformance::model::ModelItems;
use countersign_domain::confirmation::transitions::{
    CancelOutcome, RedactOutcome, RedeliverOutcome,
};
use countersign_domain::confirmation::{Confirmation, Status};
use countersign_domain::delivery::Progress;
use countersign_domain::delivery::transitions::HasDelivery as _;
use countersign_domain::primitives::ids::ConfirmationId;

use super::World;

/// Cancels, redelivers and redacts one confirmation, or does nothing.
pub(super) async fn operate(world: World, id: ConfirmationId) {
    let sim = &world.env.sim;
    if sim.draw(|chance| chance.once_in(5)) {
        sim.pass(sim.millis_below(330_000)).await;
        cancel(&world, id).await;
    }
    while sim.draw(|chance| chance.once_in(3)) {
        let hours = sim.draw(|chance| chance.one_of(&[0, 0, 1, 20]));
        sim.pass(sim.millis_below(60_000 + hours * 3_600_000)).await;
        redeliver(&world, id).await;
    }
    if sim.draw(|chance| chance.once_in(6)) {
        let hours = sim.draw(|chance| chance.one_of(&[0, 1, 20]));
        sim.pass(sim.millis_below(600_000 + hours * 3_600_000))
            .await;
        redact(&world, id).await;
    }
}

async fn cancel(world: &World, id: ConfirmationId) {
    let (sim, oracle) = (&world.env.sim, &world.env.oracle);
    for _ in 0..4 {
        oracle.with(|oracle| oracle.cancel_asked(id, sim.now()));
        match world.api.ask(|handler| handler.cancel(id)).await {
            Some(Ok(CancelOutcome::Cancelled(_) | CancelOutcome::Ended(Status::Cancelled))) => {
                return oracle.with(|oracle| oracle.cancel_told(id));
            }
            Some(Ok(_)) => return,
            Some(Err(_)) | None => sim.pass(sim.millis_below(20_000)).await,
        }
    }
}

async fn redact(world: &World, id: ConfirmationId) {
    let (sim, oracle) = (&world.env.sim, &world.env.oracle);
    for _ in 0..4 {
        match world.api.ask(|handler| handler.redact(id)).await {
            Some(Ok(RedactOutcome::Redacted(_))) => {
                return oracle.with(|oracle| oracle.redact_told(id));
            }
            Some(Ok(_)) => return,
            Some(Err(_)) | None => sim.pass(sim.millis_below(20_000)).await,
        }
    }
}

/// Requests a redelivery, and returns whether it was promised.
async fn redeliver(world: &World, id: ConfirmationId) -> bool {
    let answer = world.api.ask(|handler| handler.redeliver(id)).await;
    if let Some(Ok(RedeliverOutcome::Pending { pointer, .. })) = answer {
        let oracle = &world.env.oracle;
        oracle.with(|oracle| oracle.redeliver_told(id, pointer.attempts_claimed));
        return true;
    }
    false
}

/// Waits until the storm is over and every receiver works, then redelivers every failed delivery.
pub async fn redeliver_what_failed(world: World, model: &ModelItems) {
    let (sim, storm_ends) = (&world.env.sim, world.env.weather.storm_ends);
    let well_from = world.receivers.well_from().unwrap_or(storm_ends);
    sim.pass_until(well_from.max(storm_ends)).await;
    for item in model.every::<Confirmation>() {
        let progress = item.delivery().map(|it| it.progress.clone());
        let failed = matches!(progress, Some(Progress::Failed { .. }));
        if failed && item.redacted_at.is_none() && redeliver(&world, item.id).await {
            world.env.count("redelivered at the end");
        }
    }
}
