//! Middleware: what happens around the handlers.
//!
//! [`with_middleware_of`] goes around every route: it names the request, reads its body, limits how long
//! the handler may take, writes problems into answers, adds the common headers and writes one line
//! into the log. [`cors`] and [`rate_limit`] are layers of the routes of logins alone.

pub(crate) mod answer;
mod body;
pub(crate) mod cors;
pub(crate) mod log;
pub(crate) mod rate_limit;
pub(crate) mod request_id;
mod time_limit;

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::web::address_block::AddressBlock;
use http::HeaderValue;
use http::header::{CONNECTION, EXPECT};
use http::request::Parts;

use crate::extract::body::MAX_BODY;
use crate::problem::Problem;
use crate::state::ApiState;
use crate::viewer::{PeerAddress, Viewer};
use request_id::RequestId;
use time_limit::Deadline;

/// Puts the middleware around a router whose routes take bodies of [`MAX_BODY`] at most. A handler
/// may answer with a [`Problem`], which is written out here, and finds its [`RequestId`] among the
/// request's extensions.
pub fn with_middleware(router: Router, entropy: Arc<dyn Entropy>) -> Router {
    let host = Host { entropy, api: None };
    router.layer(from_fn_with_state(host, handle))
}

/// Puts the middleware around a router as [`with_middleware`] does, and lets the providers that are
/// on send bodies of their own size.
pub fn with_middleware_of(router: Router, state: &ApiState) -> Router {
    let host = Host {
        entropy: Arc::clone(&state.entropy),
        api: Some(state.clone()),
    };
    router.layer(from_fn_with_state(host, handle))
}

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

    /// Returns who sent a request, as far as it is known.
    fn sender(&self, parts: &Parts) -> Option<AddressBlock> {
        let PeerAddress(peer) = parts.extensions.get()?;
        let logins = self.api.as_ref().and_then(|api| api.logins.as_ref());
        let address = logins.map_or(*peer, |logins| {
            Viewer::new(&logins.viewers, *peer, &parts.headers).address
        });
        Some(AddressBlock::of(address))
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
    let mut place = body::BodyPermit::of(sender);
    let (received, rest) = body::receive(body, max, expects, &mut place).await;
    let body = received
        .0
        .as_ref()
        .map_or_else(|_| Body::empty(), |whole| Body::from(whole.clone()));
    let deadline = Deadline::for_handler();
    parts.extensions.insert(id.clone());
    parts.extensions.insert(received);
    parts.extensions.insert(deadline);
    let running = next.run(Request::from_parts(parts, body));
    let mut response = deadline.limit(running).await;
    drop(place);

    let problem = response.extensions_mut().remove::<Problem>();
    if let Some(problem) = &problem {
        answer::write_problem(problem, &id, &mut response);
    }
    let headers = response.headers_mut();
    answer::add_common_headers(headers, &id);
    if rest == body::Rest::Unread {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    line.write(&mut response, problem.as_ref(), began.elapsed());
    response
}
