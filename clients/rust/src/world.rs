//! Time, randomness and waiting, which tests replace.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use futures_util::future::{BoxFuture, FutureExt as _};

type Source<T> = Box<dyn Fn() -> T + Send + Sync>;

pub(crate) struct World {
    /// The machine's clock, in seconds since 1970.
    pub(crate) wall: Source<f64>,
    /// A monotonic clock.
    pub(crate) monotonic: Source<Duration>,
    /// Random numbers from 0 to 1.
    pub(crate) chance: Source<f64>,
    pub(crate) sleep: Box<dyn Fn(Duration) -> BoxFuture<'static, ()> + Send + Sync>,
}

impl World {
    /// Returns the real world.
    pub(crate) fn real() -> Self {
        let start = Instant::now();
        Self {
            wall: Box::new(|| seconds_of(SystemTime::now())),
            monotonic: Box::new(move || start.elapsed()),
            chance: Box::new(chance),
            sleep: Box::new(|wait| tokio::time::sleep(wait).boxed()),
        }
    }
}

/// Returns the seconds since 1970, negative for earlier times.
pub(crate) fn seconds_of(time: SystemTime) -> f64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => since.as_secs_f64(),
        Err(before) => -before.duration().as_secs_f64(),
    }
}

/// Returns a random number that spreads retries. The number is not secret, so a failing generator
/// does no harm.
fn chance() -> f64 {
    f64::from(getrandom::u32().unwrap_or(0)) / f64::from(u32::MAX)
}
