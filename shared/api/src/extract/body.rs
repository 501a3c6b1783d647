//! The request's body, which the middleware reads before any handler runs.

use std::time::Duration;

use axum::extract::FromRequestParts;
use bytes::Bytes;
use http::request::Parts;

use crate::problem::{Problem, ProblemCode};

/// The largest body that is accepted, in bytes.
pub const MAX_BODY: usize = 16 * 1024;

/// Maximum number of bytes of a larger body that are read and discarded before the connection is
/// closed.
pub const MAX_DRAINED: usize = 256 * 1024;

/// Time limit for receiving a body.
pub(crate) const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// `Retry-After` when the memory for large bodies is full.
const BUSY_RETRY: Duration = Duration::from_secs(5);

/// Problems of a request whose body is read, even if it is then ignored.
pub(crate) const PROBLEMS: &[ProblemCode] = &[
    ProblemCode::BodyTooLarge,
    ProblemCode::BodyTimeout,
    ProblemCode::BodyIncomplete,
];

/// A body as it was received: an extension that the middleware adds to each request.
#[derive(Clone, Debug)]
pub(crate) struct ReceivedBody(pub(crate) Result<Bytes, BodyError>);

/// Why a body cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyError {
    /// The body has more than [`MAX_BODY`] bytes.
    TooLarge,
    /// The body took longer than [`BODY_TIMEOUT`].
    TimedOut,
    /// The body ended early.
    Incomplete,
    /// Too many large bodies are in memory.
    Busy,
}

impl From<BodyError> for Problem {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::TooLarge => Self::new(ProblemCode::BodyTooLarge)
                .detail(format!("Send at most {MAX_BODY} bytes.")),
            BodyError::TimedOut => Self::new(ProblemCode::BodyTimeout).detail(format!(
                "The whole body must arrive within {} seconds.",
                BODY_TIMEOUT.as_secs()
            )),
            BodyError::Incomplete => Self::new(ProblemCode::BodyIncomplete),
            BodyError::Busy => Self::new(ProblemCode::ServiceUnavailable).retry_after(BUSY_RETRY),
        }
    }
}

pub(crate) struct WholeBody(pub(crate) Bytes);

impl<S: Send + Sync> FromRequestParts<S> for WholeBody {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        match parts.extensions.get() {
            Some(ReceivedBody(body)) => Ok(Self(body.clone()?)),
            None => Err(Problem::ours(
                ProblemCode::InternalError,
                "the router has no middleware that reads bodies",
            )),
        }
    }
}
