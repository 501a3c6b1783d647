//! Middleware: everything that runs around the handlers.
//!
//! [`with_middleware_of`] wraps every route: it gives the request an id, reads its body, limits how long
//! the handler may take, writes problems into answers, adds the common headers and logs one line.
//! [`cors`] and [`rate_limit`] apply only to the login routes.

mod body;
pub(crate) mod cors;
pub(crate) mod log;
pub(crate) mod rate_limit;
pub(crate) mod request_id;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::web::address_block::AddressBlock;
use futures_util::FutureExt as _;
use http::header::{
    CACHE_CONTROL, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, EXPECT, HeaderName,
    X_CONTENT_TYPE_OPTIONS,
};
use http::request::Parts;
use http::{HeaderMap, HeaderValue};
use tokio::time::timeout_at;

use crate::extract::body::MAX_BODY;
use crate::problem::{CONTENT_TYPE as PROBLEM_JSON, Problem, ProblemCode};
use crate::state::ApiState;
use crate::viewer::{PeerAddress, Viewer};
use request_id::RequestId;

/// Adds the middleware to a router whose routes accept bodies of up to [`MAX_BODY`] bytes. A
/// handler may answer with a [`Problem`], which this middleware serializes, and finds its
/// [`RequestId`] among the request's extensions.
pub fn with_middleware(router: Router, entropy: Arc<dyn Entropy>) -> Router {
    let host = Host { entropy, api: None };
    router.layer(from_fn_with_state(host, handle))
}

/// Adds the middleware to a router like [`with_middleware`], and lets enabled providers send bodies
/// of their maximum size.
pub fn with_middleware_of(router: Router, state: &ApiState) -> Router {
    let host = Host {
        entropy: Arc::clone(&state.entropy),
        api: Some(state.clone()),
    };
    router.layer(from_fn_with_state(host, handle))
}

/// An extension of a request whose target or headers the host could not read. The host substitutes valid ones, and
/// the answer is a problem.
#[derive(Clone, Copy, Debug)]
pub struct Unreadable;

/// Ports and settings of the middleware.
#[derive(Clone)]
struct Host {
    entropy: Arc<dyn Entropy>,
    api: Option<ApiState>,
}

impl Host {
    async fn max_body(&self, path: &str) -> usize {
        match &self.api {
            Some(api) => api.inbound.max_body(path).await.unwrap_or(MAX_BODY),
            None => MAX_BODY,
        }
    }

    /// Returns the sender of a request, if known.
    fn sender(&self, parts: &Parts) -> Option<AddressBlock> {
        let PeerAddress(peer) = parts.extensions.get()?;
        let logins = self.api.as_ref().and_then(|api| api.logins.as_ref());
        let address = logins.map_or(*peer, |logins| {
            Viewer::new(&logins.viewers, *peer, &parts.headers).address
        });
        Some(AddressBlock::from_address(address))
    }
}

async fn handle(State(host): State<Host>, request: Request, next: Next) -> Response {
    let began = Instant::now();
    let (mut parts, body) = request.into_parts();
    let id = match parts.extensions.get::<RequestId>() {
        Some(id) => id.clone(),
        None => RequestId::generate(&*host.entropy),
    };
    let line = log::Line::new(&parts, id.clone());

    let max = host.max_body(parts.uri.path()).await;
    let expects = parts.headers.contains_key(EXPECT);
    let sender = (max > MAX_BODY).then(|| host.sender(&parts)).flatten();
    let mut permit = body::BodyPermit::new(sender);
    let (received, rest) = body::receive(body, max, expects, &mut permit).await;
    let body = received
        .0
        .as_ref()
        .map_or_else(|_| Body::empty(), |whole| Body::from(whole.clone()));
    let deadline = Deadline::for_handler();
    parts.extensions.insert(id.clone());
    parts.extensions.insert(received);
    parts.extensions.insert(deadline);
    let mut response = if parts.extensions.get::<Unreadable>().is_some() {
        Problem::new(ProblemCode::MalformedRequest).into_response()
    } else {
        let running = next.run(Request::from_parts(parts, body));
        deadline.limit(running).await
    };
    drop(permit);

    let problem = response.extensions_mut().remove::<Problem>();
    if let Some(problem) = &problem {
        write_problem(problem, &id, &mut response);
    }
    let headers = response.headers_mut();
    add_common_headers(headers, &id);
    if rest == body::Rest::Unread {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    line.write(&mut response, problem.as_ref(), began.elapsed());
    response
}

/// The time limit of a handler, counted from the end of the body. Shorter than the ten seconds
/// after which a function is killed, which would leave neither an answer nor a log line.
const HANDLER_TIMEOUT: Duration = Duration::from_secs(9);

/// The deadline of a handler: an extension of its request.
#[derive(Clone, Copy, Debug)]
struct Deadline(tokio::time::Instant);

impl Deadline {
    /// Returns the deadline of a handler that starts now.
    fn for_handler() -> Self {
        Self(tokio::time::Instant::now() + HANDLER_TIMEOUT)
    }

    /// Returns the handler's answer, or a problem if it panics or does not answer in time.
    async fn limit(self, answer: impl Future<Output = Response>) -> Response {
        // A panic leaves no half-changed state: everything shared is behind ports.
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

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Builds the complete answer for a problem, for hosts that must answer outside any router with
/// middleware: on a connection that they refuse, or where their own layer panicked.
#[must_use]
pub fn problem_response(problem: &Problem, id: &RequestId) -> http::Response<Vec<u8>> {
    let mut response = http::Response::new(problem.body(id.as_str()));
    *response.status_mut() = problem.code().status();
    let headers = response.headers_mut();
    add_problem_headers(headers, problem);
    add_common_headers(headers, id);
    response
}

/// Adds the headers that every answer has.
fn add_common_headers(headers: &mut HeaderMap, id: &RequestId) {
    headers.insert(X_REQUEST_ID, id.header());
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
}

/// Writes a problem's body and headers into its answer.
fn write_problem(problem: &Problem, id: &RequestId, response: &mut Response) {
    *response.body_mut() = Body::from(problem.body(id.as_str()));
    let headers = response.headers_mut();
    // A layer may have set the empty body's length.
    headers.remove(CONTENT_LENGTH);
    add_problem_headers(headers, problem);
}

fn add_problem_headers(headers: &mut HeaderMap, problem: &Problem) {
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
    problem.add_headers(headers);
}
