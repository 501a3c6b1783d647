//! The sessions that pages began, in memory.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_domain::ports::Entropy;
use serde_json::Value;
use tokio::sync::watch;

use super::receiver::{Arrival, Verdict};

/// How many arrived webhooks are kept of a session, the latest.
const KEPT_ARRIVALS: usize = 10;

/// A random name that cannot be guessed: 128 bits, base64url.
pub(super) fn token(entropy: &dyn Entropy) -> String {
    let mut bytes = [0; 16];
    entropy.fill(&mut bytes);
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

/// A confirmation that a page began.
pub(super) struct Session {
    /// What the page names it by, and the last part of its callback URL.
    pub(super) token: String,
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
    pub(super) fn new(
        token: String,
        confirmation_id: String,
        send_to: String,
        started: Value,
    ) -> Self {
        Self {
            token,
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

/// The latest sessions.
pub(super) struct Sessions {
    most: usize,
    kept: Mutex<VecDeque<Arc<Session>>>,
}

impl Sessions {
    /// None yet, and never more than `most`.
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            kept: Mutex::default(),
        }
    }

    /// Keeps a session. The oldest makes room.
    pub(super) fn keep(&self, session: Session) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == self.most {
            kept.pop_front();
        }
        kept.push_back(Arc::new(session));
    }

    /// The session with this token.
    pub(super) fn find(&self, token: &str) -> Option<Arc<Session>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|session| session.token == token).cloned()
    }
}
