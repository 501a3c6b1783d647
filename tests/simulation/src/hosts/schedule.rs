//! Starts the sweep every minute.

use std::sync::Arc;

use countersign_conformance::model::ModelItems;
use countersign_domain::primitives::time::Timestamp;

use super::Dispatcher;
use crate::env::Env;
use crate::executor::Reply;

const MINUTE: u64 = 60_000;

/// Starts a sweep every minute until nothing is left to do.
///
/// Skips minutes in which nothing happens and nothing is due. There would be thousands of them, and a sweep
/// that finds nothing changes nothing. Reads the due deliveries from the items themselves, not from the
/// index that the sweep queries.
pub async fn sweep_each_minute(env: Env, model: Arc<ModelItems>, dispatchers: Vec<Dispatcher>) {
    let sim = &env.sim;
    loop {
        let next = sim.others_wait().await;
        let owed = model.all().into_iter();
        let owed = owed.filter_map(|(_, document)| Some(document.due()?.due_at));
        let Some(at) = next.into_iter().chain(owed).min() else {
            return;
        };
        let minute = next_minute(at.max(sim.now()));
        sim.pass_until(minute).await;
        sim.pass(sim.millis_below(2_000)).await;
        let now = sim.now();
        let count = sim.draw(|chance| env.weather.sweeps(chance, now));
        let sweeps: Vec<Reply<()>> = (0..count)
            .map(|_| sim.draw(|chance| chance.one_of(&dispatchers)).start_sweep())
            .collect();
        // The timers of a running sweep are not a reason to start another one.
        while sim.now() < next_minute(minute) && !sweeps.iter().all(Reply::is_settled) {
            match sim.others_wait().await {
                Some(next) => sim.pass_until(next.min(next_minute(minute))).await,
                None => break,
            }
        }
    }
}

fn next_minute(at: Timestamp) -> Timestamp {
    Timestamp::from_millis((at.as_millis() / MINUTE + 1) * MINUTE)
}
