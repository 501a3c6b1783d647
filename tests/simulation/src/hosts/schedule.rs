//! Starts the sweep every minute.

use countersign_conformance::model::ModelItems;
use countersign_domain::primitives::time::Timestamp;
use futures_util::future::join_all;

use super::Dispatcher;
use crate::env::Env;

const MINUTE: u64 = 60_000;

/// Starts a sweep every minute until nothing is left to do.
///
/// Skips minutes in which nothing is due. There would be thousands of them, and a sweep that finds nothing
/// changes nothing. Reads the due deliveries from the items themselves, not from the index that the sweep
/// queries.
pub async fn sweep_until_quiet(env: &Env, model: &ModelItems, dispatchers: &[Dispatcher]) {
    let sim = &env.sim;
    loop {
        let Some(due) = model.first_due() else {
            if sim.is_idle() {
                return;
            }
            sim.change().await;
            continue;
        };
        let minute = minute_after(due.max(sim.now()));
        if sim.within(minute, sim.change()).await.is_some() {
            continue;
        }
        sim.pass(sim.millis_below(2_000)).await;
        let now = sim.now();
        let count = sim.draw(|chance| env.weather.sweeps(chance, now));
        let start = |_| sim.draw(|chance| chance.one_of(dispatchers)).start_sweep();
        let sweeps = join_all((0..count).map(start));
        sim.within(minute_after(minute), sweeps).await;
    }
}

fn minute_after(at: Timestamp) -> Timestamp {
    Timestamp::from_millis((at.as_millis() / MINUTE + 1) * MINUTE)
}
