//! Time, randomness and waiting under a test's control.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::FutureExt as _;

use crate::world::World;

/// The vectors' time, in seconds since 1970.
pub(crate) const AT: f64 = 1_767_323_045.0;

/// A clock that advances only when a test advances it, or when the library waits.
#[derive(Clone, Default)]
pub(crate) struct TestWorld(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    passed: Duration,
    waits: Vec<f64>,
}

impl TestWorld {
    pub(crate) fn advance(&self, time: Duration) {
        self.0.lock().unwrap().passed += time;
    }

    /// Returns the waits between attempts, in seconds.
    pub(crate) fn waits(&self) -> Vec<f64> {
        self.0.lock().unwrap().waits.clone()
    }

    /// Returns the library's world. The machine's clock is an hour off, and the random part of waits is
    /// zero.
    pub(crate) fn world(&self) -> World {
        let passed = {
            let world = self.clone();
            move || world.0.lock().unwrap().passed
        };
        let wall = passed.clone();
        let world = self.clone();
        World {
            wall: Box::new(move || AT + 3600.0 + wall().as_secs_f64()),
            monotonic: Box::new(passed),
            chance: Box::new(|| 0.0),
            sleep: Box::new(move |wait| {
                let mut state = world.0.lock().unwrap();
                state.waits.push(wait.as_secs_f64());
                state.passed += wait;
                futures_util::future::ready(()).boxed()
            }),
        }
    }
}
