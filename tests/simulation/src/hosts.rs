//! Our processes: some serve requests, others deliver webhooks and sweep. Also restarts processes
//! that died.

mod api;
mod association_keys;
mod dispatcher;
mod logins;
mod schedule;

pub use api::{Api, Handler};
pub use dispatcher::Dispatcher;
pub use schedule::sweep_until_quiet;

use crate::env::Env;
use crate::sim::{OUTSIDE, ProcessId};

/// Keeps a process running: starts it, and restarts it some time after each death. `boot` runs at every
/// start.
pub fn keep_running(env: &Env, process: ProcessId, boot: impl Fn() + Send + 'static) {
    let sim = env.sim.clone();
    let keeper = async move {
        loop {
            sim.start(process);
            boot();
            sim.death_of(process).await;
            let restart = sim.work();
            sim.pass(sim.millis_below(20_000)).await;
            drop(restart);
        }
    };
    env.sim.spawn_server(OUTSIDE, keeper);
}
