//! The sessions of phone numbers that pages began.

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::watch;

use super::receiver::{Arrival, Verdict};

/// How many arrived webhooks are kept of a session, the latest.
const KEPT_ARRIVALS: usize = 10;

/// A confirmation that a page began.
pub(super) struct Session {
    /// The only confirmation whose webhook is accepted here.
    pub(super) confirmation_id: String,
    /// Where its text goes.
    pub(super) send_to: String,
    /// What the page was told when it began.
    pub(super) started: Value,
    /// The webhooks that came, oldest first. Also told when something else may have changed.
    arrivals: watch::Sender<Arrivals>,
}

/// The webhooks that came, oldest first.
#[derive(Clone, Default)]
pub(super) struct Arrivals {
    /// The latest of them.
    pub(super) kept: VecDeque<Arc<Arrival>>,
    /// How many there were.
    count: u32,
    /// Whether one of them was accepted.
    accepted: bool,
}

impl Session {
    /// A session to which nothing has come.
    pub(super) fn new(confirmation_id: String, send_to: String, started: Value) -> Self {
        Self {
            confirmation_id,
            send_to,
            started,
            arrivals: watch::Sender::default(),
        }
    }

    /// Keeps a webhook that came, and tells those who watch.
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

    /// Tells those who watch that it is worth looking.
    pub(super) fn wake(&self) {
        self.arrivals.send_modify(|_| {});
    }

    /// The webhooks that came, and word of new ones.
    pub(super) fn watch(&self) -> watch::Receiver<Arrivals> {
        self.arrivals.subscribe()
    }
}
