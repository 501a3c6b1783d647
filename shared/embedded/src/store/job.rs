//! Operations on their way to the writer's thread.

use super::batch::Batch;
use super::fault::Fault;

/// An operation on its way.
pub(super) trait Job: Send {
    /// Runs it. An error concerns the whole batch, which is given up.
    fn run(&mut self, batch: &mut Batch<'_>) -> Result<(), Fault>;

    /// Answers the caller, when it is known what became of the batch.
    fn answer(self: Box<Self>, batch: &Result<(), Fault>);
}
