//! The results of transitions: what a store is to write, and what it answers.

use super::DeliveryPointer;

/// A decision about an item of type `T`: the store writes `write`, where there is something to
/// write, and answers `outcome`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision<T, O> {
    /// The answer.
    pub outcome: O,
    /// The item after the transition; `None` leaves it as it is.
    pub write: Option<T>,
}

impl<T, O> Decision<T, O> {
    /// Answers without a write.
    pub const fn refuse(outcome: O) -> Self {
        Self {
            outcome,
            write: None,
        }
    }
}

/// What a settlement did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettleOutcome {
    /// It is written down.
    Settled {
        /// The next attempt, where one follows.
        pointer: Option<DeliveryPointer>,
    },
    /// Another attempt had taken its place meanwhile.
    Superseded,
}

/// What a postponement did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostponeOutcome {
    /// The sweep may put this pointer into the queue.
    Postponed(DeliveryPointer),
    /// The delivery moved on, or another sweep has it.
    Superseded,
}
