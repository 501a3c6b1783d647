//! The state of one connection, which its stream and its requests share.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::time::Instant;

use super::admission::{Seat, Standing};

/// State of one connection.
pub(super) struct Activity {
    seat: Seat,
    state: Mutex<State>,
}

struct State {
    phase: Phase,
    /// Whether bytes of an answer wait for the client to take them.
    backlog: bool,
    /// Whether the client took so little that the connection is closed.
    stalled: bool,
    /// Tasks that wait until there is no backlog.
    held: Vec<Waker>,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    /// It waits for the head of a request since then.
    Waiting(Instant),
    /// It has read a request whose answer is not handed over yet.
    Answering,
    /// It has an answer that the system may not have taken yet.
    Answered,
    /// It speaks another protocol by now.
    Upgraded,
}

impl Activity {
    pub(super) fn new(seat: Seat) -> Arc<Self> {
        let state = State {
            phase: Phase::Waiting(Instant::now()),
            backlog: false,
            stalled: false,
            held: Vec::new(),
        };
        Arc::new(Self {
            seat,
            state: Mutex::new(state),
        })
    }

    /// Begins a request that was read. `None` where the connection's place was given away meanwhile.
    pub(super) fn begin(self: &Arc<Self>) -> Option<Answering> {
        match self.seat.work() {
            Standing::Reclaimed => None,
            Standing::Open => {
                self.locked().phase = Phase::Answering;
                Some(Answering(Arc::clone(self)))
            }
        }
    }

    /// Returns since when the connection waits for the head of a request, if it does.
    pub(super) fn waiting_since(&self) -> Option<Instant> {
        match self.locked().phase {
            Phase::Waiting(since) => Some(since),
            Phase::Answering | Phase::Answered | Phase::Upgraded => None,
        }
    }

    /// Becomes ready once no bytes wait for the client. A connection reads and begins nothing before
    /// that, so a client that does not read has one answer in memory at most.
    pub(super) fn poll_no_backlog(&self, context: &Context<'_>) -> Poll<()> {
        let mut state = self.locked();
        if !state.backlog {
            return Poll::Ready(());
        }
        // Polled often, by one task or two.
        if !state
            .held
            .iter()
            .any(|held| held.will_wake(context.waker()))
        {
            state.held.push(context.waker().clone());
        }
        Poll::Pending
    }

    /// Notes that the client does not take what there is.
    pub(super) fn blocked(&self) {
        self.locked().backlog = true;
    }

    /// Notes that the system has taken all that there was.
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
            self.seat.wait();
        }
        held.into_iter().for_each(Waker::wake);
    }

    /// Notes that the client took too little for too long.
    pub(super) fn stalled(&self) {
        self.locked().stalled = true;
    }

    /// Returns whether the client took too little for too long.
    pub(super) fn has_stalled(&self) -> bool {
        self.locked().stalled
    }

    /// Notes that the connection speaks no HTTP any more.
    pub(super) fn upgraded(&self) {
        self.locked().phase = Phase::Upgraded;
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        // Nothing that holds the lock can panic half-way through a change.
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

/// The body of an answer: as long as it is there, the request is being answered.
pub(super) struct Answer {
    body: Body,
    _answering: Answering,
}

impl Answer {
    pub(super) const fn new(body: Body, answering: Answering) -> Self {
        Self {
            body,
            _answering: answering,
        }
    }
}

impl HttpBody for Answer {
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
