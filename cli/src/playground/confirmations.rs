//! Confirmations that pages started.

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::watch;

use super::receiver::{Arrival, Verdict};

/// Maximum number of webhooks kept per confirmation; beyond it, a new one evicts the oldest.
const KEPT_ARRIVALS: usize = 10;

/// A confirmation that a page started.
pub(super) struct Confirmation {
    /// The id that accepted webhooks must have.
    pub(super) id: String,
    /// The number that receives its text.
    pub(super) send_to: String,
    /// The answer that the page received to its start request.
    pub(super) start_answer: Value,
    /// The webhooks that arrived, oldest first. Also notifies watchers of other possible changes.
    arrivals: watch::Sender<Arrivals>,
}

/// Received webhooks.
#[derive(Clone, Default)]
pub(super) struct Arrivals {
    /// The latest ones, oldest first.
    pub(super) kept: VecDeque<Arc<Arrival>>,
    /// The number of all received webhooks.
    count: u32,
    /// True if one of them was accepted.
    accepted: bool,
}

impl Confirmation {
    /// Creates a confirmation without webhooks.
    pub(super) fn new(id: String, send_to: String, start_answer: Value) -> Self {
        Self {
            id,
            send_to,
            start_answer,
            arrivals: watch::Sender::default(),
        }
    }

    /// Keeps a received webhook and notifies watchers.
    pub(super) fn receive(&self, mut arrival: Arrival) {
        self.arrivals.send_modify(|arrivals| {
            arrivals.count += 1;
            arrival.number = arrivals.count;
            arrival.repeat = arrivals.accepted;
            arrivals.accepted |= arrival.verdict == Verdict::Accepted;
            arrivals.kept.push_back(Arc::new(arrival));
            if arrivals.kept.len() > KEPT_ARRIVALS {
                arrivals.kept.pop_front();
            }
        });
    }

    /// Makes watchers look for changes.
    pub(super) fn wake(&self) {
        self.arrivals.send_modify(|_| {});
    }

    /// Subscribes to received webhooks.
    pub(super) fn watch(&self) -> watch::Receiver<Arrivals> {
        self.arrivals.subscribe()
    }
}
