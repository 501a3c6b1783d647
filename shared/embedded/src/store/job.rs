//! Operations queued for the writer's thread.

use super::batch::Batch;
use super::fault::Fault;

/// A queued operation and its caller.
pub(super) trait Job: Send {
    /// Runs the operation. An error aborts the whole batch.
    fn run(&mut self, batch: &mut Batch<'_>) -> Result<(), Fault>;

    /// Answers the caller once the result of the batch is known.
    fn answer(self: Box<Self>, batch: &Result<(), Fault>);
}
