//! Who asks for sessions that are not theirs, again and again.
//!
//! Ids have 128 random bits and tokens 256, so that nobody guesses one; what is bounded here is
//! what trying costs us. Each instance of a function counts for itself and forgets when it ends,
//! so that on AWS the bound is one of each instance, not of the deployment.

mod counter;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use countersign_domain::qr_session::AddressBlock;
use countersign_domain::time::Timestamp;
use http::Method;

use counter::MissCounter;

use crate::problem::{Problem, ProblemCode};
use crate::state::ApiState;
use crate::viewer::Viewer;

/// How many blocks of addresses are remembered: about a megabyte.
const MOST_BLOCKS: usize = 10_000;

/// Who missed how often.
pub(crate) struct Misses(Mutex<MissCounter>);

impl Default for Misses {
    fn default() -> Self {
        Self(Mutex::new(MissCounter::new(MOST_BLOCKS)))
    }
}

impl Misses {
    fn counter(&self) -> MutexGuard<'_, MissCounter> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self, block: AddressBlock, now: Timestamp) -> Option<Duration> {
        self.counter().wait(block, now)
    }

    fn count(&self, block: AddressBlock, now: Timestamp) {
        self.counter().count(block, now);
    }
}

/// Refuses requests to the routes of login sessions from where too many missed, before anything
/// is looked up for them; counts those that miss; and leaves where a request came from for the
/// handlers. Other requests pass.
pub(crate) async fn guard(
    State(state): State<ApiState>,
    mut request: Request,
    next: Next,
) -> Response {
    if !is_about_a_session(&request) {
        return next.run(request).await;
    }
    let viewer = match state.logins() {
        Ok(_) if *request.method() == Method::OPTIONS => return next.run(request).await,
        Ok(logins) => Viewer::of(&logins.viewers, &request),
        Err(problem) => Err(problem),
    };
    let viewer = match viewer {
        Ok(viewer) => viewer,
        Err(problem) => return problem.into_response(),
    };
    let block = AddressBlock::of(viewer.address);
    if let Some(wait) = state.misses().wait(block, state.clock.now()) {
        return Problem::new(ProblemCode::TooManyMisses)
            .detail("Wait for as long as Retry-After says.")
            .retry_after(wait)
            .into_response();
    }
    request.extensions_mut().insert(viewer);
    let response = next.run(request).await;
    if response.extensions().get().is_some_and(is_miss) {
        state.misses().count(block, state.clock.now());
    }
    response
}

/// Whether the request was matched to a route of login sessions.
fn is_about_a_session(request: &Request) -> bool {
    let route = request.extensions().get().map_or("", MatchedPath::as_str);
    let route = route.strip_prefix("/v1").unwrap_or(route);
    route.starts_with("/qr-sessions")
}

/// Whether the caller has shown to belong to no session.
fn is_miss(problem: &Problem) -> bool {
    matches!(
        problem.code(),
        ProblemCode::SessionNotFound
            | ProblemCode::TokenMissing
            | ProblemCode::AppKeyMissing
            | ProblemCode::AppKeyMalformed
            | ProblemCode::AppKeyUnknown
    )
}
