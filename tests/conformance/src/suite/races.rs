//! Concurrent callers.

use std::sync::Arc;

use countersign_domain::primitives::unavailable::Unavailable;
use tokio::sync::Barrier;

use crate::check::Failure;

/// The number of concurrent tasks in a race.
pub(super) const MANY: u8 = 64;

/// The number of times that a race is run, each time on a new item.
pub(super) const ROUNDS: u8 = 4;

/// Runs `count` tasks that start at the same moment, and returns their results in the order of the
/// tasks.
pub(super) async fn at_once<T, F>(count: u8, task: impl Fn(u8) -> F) -> Result<Vec<T>, Failure>
where
    T: Send + 'static,
    F: Future<Output = Result<T, Unavailable>> + Send + 'static,
{
    let barrier = Arc::new(Barrier::new(count.into()));
    let mut running = Vec::new();
    for n in 0..count {
        let (barrier, work) = (Arc::clone(&barrier), task(n));
        running.push(tokio::spawn(async move {
            barrier.wait().await;
            work.await
        }));
    }
    let mut got = Vec::new();
    for task in running {
        let outcome = task.await;
        got.push(outcome.map_err(|panic| Failure::new(format_args!("{panic}")))??);
    }
    Ok(got)
}

/// Returns the index of the only element for which the condition holds.
pub(super) fn only<T: std::fmt::Debug>(
    all: &[T],
    holds: impl Fn(&T) -> bool,
) -> Result<u8, Failure> {
    let mut found = (0_u8..).zip(all).filter(|(_, one)| holds(one));
    match (found.next(), found.next()) {
        (Some((index, _)), None) => Ok(index),
        (None, _) => Err(Failure::new(format_args!("no match in {all:?}"))),
        (Some(_), Some(_)) => Err(Failure::new(format_args!("several matches in {all:?}"))),
    }
}
