//! Our processes: those that answer, those that deliver and sweep, and what starts them again.

mod api;
mod apps;
mod dispatcher;
mod schedule;

pub use api::{Api, Desk};
pub use dispatcher::{Dispatcher, Tools};
pub use schedule::sweep_each_minute;

use crate::executor::{OUTSIDE, ProcessId};
use crate::ground::Ground;

/// Keeps a process running: starts it, and again some time after each of its deaths. `boot` is
/// what it does at a start.
pub fn keep_running(ground: &Ground, process: ProcessId, boot: impl Fn() + Send + 'static) {
    let sim = ground.sim.clone();
    let keeper = async move {
        loop {
            sim.start(process);
            boot();
            sim.death_of(process).await;
            sim.pass(sim.millis_below(20_000)).await;
        }
    };
    ground.sim.spawn(OUTSIDE, keeper);
}
