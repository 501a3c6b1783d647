//! The confirmations that we started.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Result of a webhook about a confirmation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Accepted for the first time.
    Accepted,
    /// Accepted before.
    Repeated,
    /// Not ours.
    Unknown,
}

#[derive(Clone, Copy)]
enum State {
    Pending,
    Accepted,
}

/// The confirmations that we started. In a real service this is a table, so that it survives a
/// restart: `accept` is `UPDATE ... SET state = 'accepted' WHERE id = ? AND state = 'pending'`, in
/// one transaction with everything that your service does about it.
#[derive(Default)]
pub(crate) struct Confirmations {
    states: Mutex<HashMap<String, State>>,
}

impl Confirmations {
    /// Stores a confirmation. Call this when the service has answered, before a user sees the message.
    pub(crate) fn remember(&self, confirmation_id: &str) {
        let mut states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        states
            .entry(confirmation_id.to_owned())
            .or_insert(State::Pending);
    }

    /// Returns `Accepted` the first time, `Repeated` after that, and `Unknown` if it is not ours.
    pub(crate) fn accept(&self, confirmation_id: &str) -> Outcome {
        let mut states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        match states.get_mut(confirmation_id) {
            Some(state @ State::Pending) => {
                *state = State::Accepted;
                Outcome::Accepted
            }
            Some(State::Accepted) => Outcome::Repeated,
            None => Outcome::Unknown,
        }
    }
}
