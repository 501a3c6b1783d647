//! A handler that hangs or panics is answered for.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use axum::response::{IntoResponse as _, Response};
use futures_util::FutureExt as _;
use tokio::time::{Instant, timeout_at};

use crate::problem::{Problem, ProblemCode};

/// The time limit of a handler, from the end of the body on. Below the ten seconds after which a
/// function is ended, which would leave neither an answer nor a line in the log.
const HANDLER_TIMEOUT: Duration = Duration::from_secs(9);

/// The time by which a handler must answer: an extension of its request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline(Instant);

impl Deadline {
    /// Returns the deadline of a handler that starts now.
    pub(super) fn for_handler() -> Self {
        Self(Instant::now() + HANDLER_TIMEOUT)
    }

    /// Returns the handler's answer, or a problem if it panics or does not answer in time.
    pub(super) async fn limit(self, answer: impl Future<Output = Response>) -> Response {
        // A panic leaves no state half changed: everything shared is behind ports.
        let caught = AssertUnwindSafe(answer).catch_unwind();
        match timeout_at(self.0, caught).await {
            Ok(Ok(response)) => response,
            Ok(Err(_)) => {
                Problem::ours(ProblemCode::InternalError, "a handler panicked").into_response()
            }
            Err(late) => Problem::ours(ProblemCode::ServiceUnavailable, late).into_response(),
        }
    }
}
