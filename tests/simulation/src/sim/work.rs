//! The pieces of work that a run waits for before it ends.

use std::sync::Arc;

use tokio::sync::Notify;

use super::Sim;

/// The pieces of work that are not done.
#[derive(Default)]
pub(super) struct Pieces {
    count: u64,
    changed: Arc<Notify>,
}

/// A piece of work, which is done when this is dropped.
pub struct Work(Sim);

impl Sim {
    /// Begins a piece of work.
    #[must_use]
    pub fn work(&self) -> Work {
        self.state.with(|state| state.work.count += 1);
        Work(self.clone())
    }

    /// Returns whether no work is left.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.state.with(|state| state.work.count == 0)
    }

    /// Notifies the schedule that there may be something to do, or nothing any more.
    pub fn changed(&self) {
        self.state.with(|state| state.work.changed.notify_one());
    }

    /// Waits for [`Sim::changed`]. Returns immediately if it was called since the last time.
    pub async fn change(&self) {
        let changed = self.state.with(|state| Arc::clone(&state.work.changed));
        changed.notified().await;
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        self.0.state.with(|state| state.work.count -= 1);
        if self.0.is_idle() {
            self.0.changed();
        }
    }
}
