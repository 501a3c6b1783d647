//! Callers who cancel, redact and redeliver confirmations.

use countersign_conformance::model::ModelStore;
use countersign_domain::confirmation::Status;
use countersign_domain::confirmation::transitions::{
    CancelOutcome, RedactOutcome, RedeliverOutcome,
};
use countersign_domain::delivery::Progress;
use countersign_domain::primitives::ids::ConfirmationId;

use super::Town;

/// Cancels, redelivers and redacts one confirmation, or does nothing.
pub(super) async fn operate(town: Town, id: ConfirmationId) {
    let sim = &town.ground.sim;
    if sim.draw(|chance| chance.once_in(5)) {
        sim.pass(sim.millis_below(330_000)).await;
        cancel(&town, id).await;
    }
    while sim.draw(|chance| chance.once_in(3)) {
        let hours = sim.draw(|chance| chance.one_of(&[0, 0, 1, 20]));
        sim.pass(sim.millis_below(60_000 + hours * 3_600_000)).await;
        redeliver(&town, id).await;
    }
    if sim.draw(|chance| chance.once_in(6)) {
        let hours = sim.draw(|chance| chance.one_of(&[0, 1, 20]));
        sim.pass(sim.millis_below(600_000 + hours * 3_600_000))
            .await;
        redact(&town, id).await;
    }
}

async fn cancel(town: &Town, id: ConfirmationId) {
    let (sim, oracle) = (&town.ground.sim, &town.ground.oracle);
    for _ in 0..4 {
        oracle.with(|oracle| oracle.cancel_asked(id, sim.now()));
        match town.api.ask(|handler| handler.cancel(id)).await {
            Some(Ok(CancelOutcome::Cancelled(_) | CancelOutcome::Ended(Status::Cancelled))) => {
                return oracle.with(|oracle| oracle.cancel_told(id));
            }
            Some(Ok(_)) => return,
            Some(Err(_)) | None => sim.pass(sim.millis_below(20_000)).await,
        }
    }
}

async fn redact(town: &Town, id: ConfirmationId) {
    let (sim, oracle) = (&town.ground.sim, &town.ground.oracle);
    for _ in 0..4 {
        match town.api.ask(|handler| handler.redact(id)).await {
            Some(Ok(RedactOutcome::Redacted(_))) => {
                return oracle.with(|oracle| oracle.redact_told(id));
            }
            Some(Ok(_)) => return,
            Some(Err(_)) | None => sim.pass(sim.millis_below(20_000)).await,
        }
    }
}

/// Asks for a redelivery, and returns whether it was promised.
async fn redeliver(town: &Town, id: ConfirmationId) -> bool {
    let answer = town.api.ask(|handler| handler.redeliver(id)).await;
    if let Some(Ok(RedeliverOutcome::Owed { pointer, .. })) = answer {
        let oracle = &town.ground.oracle;
        oracle.with(|oracle| oracle.redeliver_told(id, pointer.attempts_claimed));
        return true;
    }
    false
}

/// Waits until the storm is over and every receiver is well, then redelivers every failed delivery.
pub async fn redeliver_what_failed(town: Town, model: &ModelStore) {
    let (sim, storm_ends) = (&town.ground.sim, town.ground.weather.storm_ends);
    let well_from = town.receivers.well_from().unwrap_or(storm_ends);
    sim.pass_until(well_from.max(storm_ends)).await;
    for item in model.items() {
        let progress = item.verified().map(|it| it.delivery.progress.clone());
        let failed = matches!(progress, Some(Progress::Failed { .. }));
        if failed && item.redacted_at.is_none() && redeliver(&town, item.id).await {
            town.ground.count("redelivered at the end");
        }
    }
}
