//! The state of one connection, shared by its stream and its requests.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::time::Instant;

use super::admission::{ConnectionSlot, SlotState};

/// The state of one connection.
pub(super) struct Activity {
    slot: ConnectionSlot,
    state: Mutex<State>,
}

struct State {
    phase: Phase,
    /// True if bytes of an answer are waiting for the client.
    backlog: bool,
    /// True if the connection is being closed because the client read too little.
    stalled: bool,
    /// Tasks waiting for the end of the backlog.
    held: Vec<Waker>,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    /// Has been waiting for the head of a request since this time.
    Waiting(Instant),
    /// Has read a request whose answer is not handed over yet.
    Answering,
    /// Has an answer that may not be fully written yet.
    Answered,
    /// Uses a different protocol.
    Upgraded,
}

impl Activity {
    pub(super) fn new(slot: ConnectionSlot) -> Arc<Self> {
        let state = State {
            phase: Phase::Waiting(Instant::now()),
            backlog: false,
            stalled: false,
            held: Vec::new(),
        };
        Arc::new(Self {
            slot,
            state: Mutex::new(state),
        })
    }

    /// Starts a request that was read. `None` if the connection's permit was reclaimed in the
    /// meantime.
    pub(super) fn begin(self: &Arc<Self>) -> Option<Answering> {
        match self.slot.work() {
            SlotState::Reclaimed => None,
            SlotState::Open => {
                self.locked().phase = Phase::Answering;
                Some(Answering(Arc::clone(self)))
            }
        }
    }

    /// Returns the time since which the connection has been waiting for the head of a request;
    /// `None` if it is not waiting.
    pub(super) fn waiting_since(&self) -> Option<Instant> {
        match self.locked().phase {
            Phase::Waiting(since) => Some(since),
            Phase::Answering | Phase::Answered | Phase::Upgraded => None,
        }
    }

    /// Becomes ready once no bytes are waiting for the client. The connection reads nothing before
    /// that, so a client that does not read has at most one answer in memory.
    pub(super) fn poll_no_backlog(&self, context: &Context<'_>) -> Poll<()> {
        let mut state = self.locked();
        if !state.backlog {
            return Poll::Ready(());
        }
        // Polled often, by one or two tasks.
        if !state
            .held
            .iter()
            .any(|held| held.will_wake(context.waker()))
        {
            state.held.push(context.waker().clone());
        }
        Poll::Pending
    }

    /// Records that the client is not reading the waiting bytes.
    pub(super) fn blocked(&self) {
        self.locked().backlog = true;
    }

    /// Records that all bytes were written.
    pub(super) fn flushed(&self) {
        let mut state = self.locked();
        state.backlog = false;
        let held = std::mem::take(&mut state.held);
        let answered = matches!(state.phase, Phase::Answered);
        if answered {
            state.phase = Phase::Waiting(Instant::now());
        }
        drop(state);
        if answered {
            self.slot.wait();
        }
        held.into_iter().for_each(Waker::wake);
    }

    /// Records that the client read too little for too long.
    pub(super) fn stalled(&self) {
        self.locked().stalled = true;
    }

    /// Returns whether the client read too little for too long.
    pub(super) fn has_stalled(&self) -> bool {
        self.locked().stalled
    }

    /// Records that the connection no longer speaks HTTP.
    pub(super) fn upgraded(&self) {
        self.locked().phase = Phase::Upgraded;
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        // The code under the lock cannot panic in the middle of a change.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request that was read and whose answer is not handed over yet.
pub(super) struct Answering(Arc<Activity>);

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.locked().phase = Phase::Answered;
    }
}

/// The body of an answer. An accepted request counts as being answered until the body is dropped.
pub(super) struct AnswerBody {
    body: Body,
    _answering: Option<Answering>,
}

impl AnswerBody {
    pub(super) const fn new(body: Body, answering: Option<Answering>) -> Self {
        Self {
            body,
            _answering: answering,
        }
    }
}

impl HttpBody for AnswerBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
