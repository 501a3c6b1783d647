//! Requests to the whole API: extractors, limits, routes and answers.
//!
//! An input contains up to four requests, separated by lines of three hyphens. Each request begins
//! with a line that contains the method and the path. `{key}` in a header stands for the app's API
//! key, and calls of the generic provider are signed. All random bytes are the same in each run, so a
//! saved input can contain the code that an earlier request returned.

mod host;

use axum::Router;
use axum::body::Body;
use countersign_api::viewer::PeerAddress;
use countersign_api::{ApiState, router, socket};
use countersign_domain::primitives::time::Clock as _;
use countersign_inbound::generic;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderMap, Method, Request, StatusCode, Uri};
use http_body_util::BodyExt as _;
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt as _;

use crate::call::Incoming;
use host::Host;

const MAX_REQUESTS: usize = 4;

fn runtime() -> Runtime {
    let runtime = Builder::new_current_thread().enable_time().build();
    runtime.expect("a runtime")
}

/// No request causes an internal error, and every refusal is a problem.
pub(crate) fn requests(input: &[u8]) {
    runtime().block_on(async {
        let host = Host::new().await;
        let router = router(&ApiState::from(host.parts()));
        for request in split(input).into_iter().take(MAX_REQUESTS) {
            if let Some(request) = read(&host, request) {
                send(router.clone(), request).await;
            }
        }
    });
}

/// The first message on a socket subscribes only clients that know a login's token.
pub(crate) fn socket(input: &[u8]) {
    runtime().block_on(async {
        let host = Host::new().await;
        let state = ApiState::from(host.parts());
        let watcher = "watcher".parse().expect("a watcher's id");
        assert!(socket::subscribe(&state, input, watcher).await.is_err());
    });
}

fn split(input: &[u8]) -> Vec<&[u8]> {
    const BETWEEN: &[u8] = b"\n---\n";
    let mut requests = Vec::new();
    let mut rest = input;
    while let Some(at) = rest.windows(BETWEEN.len()).position(|part| part == BETWEEN) {
        requests.push(&rest[..at]);
        rest = &rest[at + BETWEEN.len()..];
    }
    requests.push(rest);
    requests
}

/// Parses a request; `None` if it is not valid HTTP.
fn read(host: &Host, input: &[u8]) -> Option<Request<Body>> {
    let end = input.iter().position(|byte| *byte == b'\n');
    let first = std::str::from_utf8(&input[..end.unwrap_or(input.len())]).ok()?;
    let (method, path) = first.split_once(' ')?;
    let method = Method::from_bytes(method.as_bytes()).ok()?;
    let uri: Uri = path.parse().ok()?;
    uri.path().starts_with('/').then_some(())?;
    let incoming = Incoming::read(input);
    let mut headers = HeaderMap::new();
    for (name, value) in &incoming.headers {
        let value = match value.to_str() {
            Ok(text) if text.contains("{key}") => {
                let text = text.replace("{key}", host.key.reveal());
                text.parse().ok()?
            }
            _ => value.clone(),
        };
        headers.append(name, value);
    }
    if uri.path() == "/inbound-sms/generic" {
        let now = host.clock.now();
        for (name, value) in generic::sign(&host.secret, "text-1", now, &incoming.body) {
            headers.insert(name, value.parse().ok()?);
        }
    }
    let mut request = Request::new(Body::from(incoming.body));
    *request.method_mut() = method;
    *request.uri_mut() = uri;
    *request.headers_mut() = headers;
    let peer = "203.0.113.7".parse().expect("an address");
    request.extensions_mut().insert(PeerAddress(peer));
    Some(request)
}

async fn send(router: Router, request: Request<Body>) {
    let shown = format!("{} {}", request.method(), request.uri());
    let is_head = request.method() == Method::HEAD;
    let path = request.uri().path().to_owned();
    let answer = router.oneshot(request).await.expect("an answer");
    let (parts, body) = answer.into_parts();
    let body = body.collect().await.expect("a body").to_bytes();
    let status = parts.status;
    let allowed = !status.is_server_error()
        // Unsigned calls of providers that retry, and a subscription without an HTTP client.
        || (status == StatusCode::SERVICE_UNAVAILABLE && path.starts_with("/inbound-sms/"));
    assert!(allowed, "{shown}: {status}");
    assert!(parts.headers.contains_key("x-request-id"), "{shown}");
    let is_for_provider = path.starts_with("/inbound-sms/") && path != "/inbound-sms/generic";
    if !status.is_client_error() || is_for_provider || is_head {
        return;
    }
    let is = |name, value: &str| parts.headers.get(name).is_some_and(|other| other == value);
    assert!(is(CONTENT_TYPE, "application/problem+json"), "{shown}");
    assert!(is(CACHE_CONTROL, "no-store"), "{shown}");
    let problem: Value = serde_json::from_slice(&body).expect("a problem");
    assert_eq!(problem["status"], status.as_u16(), "{shown}");
    assert!(problem["code"].is_string(), "{shown}");
}
