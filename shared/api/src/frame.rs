//! What is around every request: its id, its body read, a bound in time, problems written out,
//! headers that every answer has, and one line in the log. Routes of logins are guarded here too,
//! and pages may read what they answer.

mod log;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use countersign_domain::primitives::entropy::Entropy;
use futures_util::FutureExt as _;
use http::header::{
    CACHE_CONTROL, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, EXPECT, HeaderName,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderValue};

pub(crate) use log::Noted;

use crate::body;
use crate::cors::Readable;
use crate::problem::{self, Problem, ProblemCode};
use crate::rate_limit;
use crate::request_id::RequestId;
use crate::state::ApiState;

/// How long an answer may take once the body is there. What takes longer is stuck. Less than the
/// ten seconds after which a function is ended: that would leave neither a problem nor a line in
/// the log.
const PATIENCE: Duration = Duration::from_secs(9);

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Puts around a router what every request of the API goes through. A response may be a
/// [`Problem`]; it is written out here. Handlers find the request's [`RequestId`] among its
/// extensions.
pub fn framed(router: Router, state: &ApiState) -> Router {
    let guarded = router.layer(from_fn_with_state(state.clone(), rate_limit::guard));
    around(guarded, Arc::clone(&state.entropy))
}

/// As [`framed`], where there is no whole state.
pub(crate) fn around(router: Router, entropy: Arc<dyn Entropy>) -> Router {
    router.layer(from_fn_with_state(entropy, frame))
}

async fn frame(State(entropy): State<Arc<dyn Entropy>>, request: Request, next: Next) -> Response {
    let began = Instant::now();
    let (mut parts, body) = request.into_parts();
    let id = match parts.extensions.get::<RequestId>() {
        Some(id) => id.clone(),
        None => RequestId::generate(&*entropy),
    };
    let line = log::Line::of(&parts, id.clone());
    let readable = Readable::of(&parts);

    let arrived = body::read(body, parts.headers.contains_key(EXPECT)).await;
    let cut_off = arrived.cut_off;
    let body = arrived
        .body
        .as_ref()
        .map_or_else(|_| Body::empty(), |whole| Body::from(whole.clone()));
    parts.extensions.insert(id.clone());
    parts.extensions.insert(arrived);
    let answer = next.run(Request::from_parts(parts, body));
    let mut response = within_bounds(answer).await;

    let problem = response.extensions_mut().remove::<Problem>();
    if let Some(problem) = &problem {
        write_out(problem, &id, &mut response);
    }
    let headers = response.headers_mut();
    add_usual_headers(headers, &id);
    if let Some(readable) = readable {
        readable.add_headers(headers);
    }
    if cut_off {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    line.write(&mut response, problem.as_ref(), began.elapsed());
    response
}

/// The answer, or a problem of ours where there is none in time or the handler panicked.
async fn within_bounds(answer: impl Future<Output = Response>) -> Response {
    // A panic leaves nothing of ours behind half done: what is shared is behind ports.
    let caught = AssertUnwindSafe(answer).catch_unwind();
    match tokio::time::timeout(PATIENCE, caught).await {
        Ok(Ok(response)) => response,
        Ok(Err(_)) => {
            Problem::ours(ProblemCode::InternalError, "a handler panicked").into_response()
        }
        Err(late) => Problem::ours(ProblemCode::ServiceUnavailable, late).into_response(),
    }
}

/// Returns a problem's whole answer, for hosts that have to answer where no [`framed`] router can: to
/// a connection that they refuse, or where a layer of their own panicked.
#[must_use]
pub fn unframed(problem: &Problem, id: &RequestId) -> http::Response<Vec<u8>> {
    let mut response = http::Response::new(problem.body(id));
    *response.status_mut() = problem.code().status();
    let headers = response.headers_mut();
    add_problem_headers(headers, problem);
    add_usual_headers(headers, id);
    response
}

/// Adds what every answer has.
fn add_usual_headers(headers: &mut HeaderMap, id: &RequestId) {
    headers.insert(X_REQUEST_ID, id.header());
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
}

/// Writes a problem's body and headers into its answer.
fn write_out(problem: &Problem, id: &RequestId, response: &mut Response) {
    *response.body_mut() = Body::from(problem.body(id));
    let headers = response.headers_mut();
    // The empty body's, if anybody put it there.
    headers.remove(CONTENT_LENGTH);
    add_problem_headers(headers, problem);
}

fn add_problem_headers(headers: &mut HeaderMap, problem: &Problem) {
    headers.insert(
        CONTENT_TYPE,
        HeaderValue::from_static(problem::CONTENT_TYPE),
    );
    problem.add_headers(headers);
}

/// The route that a request was matched to, ids left out.
fn route(parts: &http::request::Parts) -> Option<MatchedPath> {
    parts.extensions.get::<MatchedPath>().cloned()
}
