//! Operations that nobody waits for, which share the flush of the next batch.
//!
//! A flush for the settlement of a webhook would delay the next text, which has to wait until it is over.
//! A settlement therefore joins the next batch. If none comes within [`MAX_DEFERRAL`], or if
//! [`ENOUGH`] operations wait, they form one themselves.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::job::Job;

/// Longest time that an operation waits for a batch to join. Until it is written, its attempt occupies a
/// place in the queue of deliveries.
pub(super) const MAX_DEFERRAL: Duration = Duration::from_millis(20);

/// Number of deferred operations that are worth a flush of their own. It keeps a receiver of many
/// webhooks busy: half as many as may be under way to it.
pub(super) const ENOUGH: usize = 16;

/// The deferred operations, oldest first. At most as many as there are attempts under way.
#[derive(Default)]
pub(super) struct Deferred(Mutex<Vec<Box<dyn Job>>>);

impl Deferred {
    /// Adds an operation, and returns how many wait.
    pub(super) fn put(&self, job: Box<dyn Job>) -> usize {
        let mut jobs = self.locked();
        jobs.push(job);
        jobs.len()
    }

    /// Removes one operation. Whoever takes it has to put it into a batch, which the others then join.
    pub(super) fn take_one(&self) -> Option<Box<dyn Job>> {
        self.locked().pop()
    }

    /// Moves all operations to the end of a batch.
    pub(super) fn join(&self, batch: &mut Vec<Box<dyn Job>>) {
        batch.append(&mut self.locked());
    }

    fn locked(&self) -> MutexGuard<'_, Vec<Box<dyn Job>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Deferred {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Deferred").finish_non_exhaustive()
    }
}
