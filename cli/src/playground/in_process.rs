//! Calls to the public API inside the process.

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::request::Builder;
use axum::http::{HeaderValue, Method, Request, StatusCode, header};
use axum::response::{IntoResponse, Response};
use countersign_api::viewer::PeerAddress;
use countersign_api::{Problem, ProblemCode};
use countersign_domain::primitives::time::Timestamp;
use countersign_inbound::generic;
use countersign_sdk::Header;
use serde_json::Value;
use tower::ServiceExt as _;

use super::Demo;

/// Maximum size of an answer, in bytes; the API's own answers are far smaller.
const MAX_ANSWER: usize = 1 << 20;

/// The service's URL for phones in this process, whatever the server's public name: without TLS, a phone only
/// calls services on localhost.
pub(super) const SERVICE: &str = "http://localhost";

/// The API's router with the demo app's credentials.
pub(super) struct InProcess {
    router: Router,
    demo: Demo,
}

/// The result of a call: an answer, whatever its status, unless the call itself failed.
pub(super) type CallResult = Result<ApiResponse, Problem>;

/// An API response.
pub(super) struct ApiResponse {
    pub(super) status: StatusCode,
    content_type: Option<HeaderValue>,
    body: Bytes,
}

impl ApiResponse {
    /// Parses the body, which the API sends as JSON.
    pub(super) fn json(&self) -> Result<Value, Problem> {
        serde_json::from_slice(&self.body)
            .map_err(|error| Problem::ours(ProblemCode::InternalError, error))
    }

    /// Returns the body.
    pub(super) fn text(&self) -> &[u8] {
        &self.body
    }
}

impl IntoResponse for ApiResponse {
    fn into_response(self) -> Response {
        let mut response = (self.status, self.body).into_response();
        match self.content_type {
            Some(kind) => response.headers_mut().insert(header::CONTENT_TYPE, kind),
            None => response.headers_mut().remove(header::CONTENT_TYPE),
        };
        response
    }
}

impl InProcess {
    /// Creates a caller that acts for the demo app.
    pub(super) const fn new(router: Router, demo: Demo) -> Self {
        Self { router, demo }
    }

    /// Calls the API with the demo app's API key.
    pub(super) async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> CallResult {
        let request = self
            .request(method, path)
            .header("x-api-key", self.demo.api_key.reveal());
        match body {
            Some(body) => {
                let request = request.header(header::CONTENT_TYPE, "application/json");
                self.send(request.body(body.to_string().into())).await
            }
            None => self.send(request.body(Body::empty())).await,
        }
    }

    /// Fetches the published signing keys, an RFC 7517 key set.
    pub(super) async fn keys(&self) -> CallResult {
        let request = self.request(Method::GET, "/.well-known/jwks.json");
        self.send(request.body(Body::empty())).await
    }

    /// Sends a text as an SMS provider does. `body` comes from [`generic::body`]; `id` identifies
    /// the text.
    pub(super) async fn text(&self, id: &str, now: Timestamp, body: String) -> CallResult {
        let proof = generic::sign(&self.demo.inbound_secret, id, now, body.as_bytes());
        let request = self
            .request(Method::POST, "/inbound-sms/generic")
            .header(header::CONTENT_TYPE, "application/json");
        let request = proof.into_iter().fold(request, |request, (name, value)| {
            request.header(name, value)
        });
        self.send(request.body(body.into())).await
    }

    /// Sends a phone's request, with the page's address as its source.
    pub(super) async fn phone(
        &self,
        peer: Option<PeerAddress>,
        sent: countersign_sdk::Request,
    ) -> CallResult {
        let path = sent.url.strip_prefix(SERVICE).unwrap_or(&sent.url);
        let mut request = self.request(Method::POST, path);
        for Header { name, value } in sent.headers {
            request = request.header(name, value);
        }
        if let Some(peer) = peer {
            request = request.extension(peer);
        }
        self.send(request.body(sent.body.into())).await
    }

    fn request(&self, method: Method, path: &str) -> Builder {
        let host = self.demo.url.split_once("://").map_or("", |(_, host)| host);
        Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, host)
    }

    async fn send(&self, request: Result<Request<Body>, axum::http::Error>) -> CallResult {
        let request = request.map_err(|error| Problem::ours(ProblemCode::InternalError, error))?;
        let Ok(response) = self.router.clone().oneshot(request).await;
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, MAX_ANSWER)
            .await
            .map_err(|error| Problem::ours(ProblemCode::InternalError, error))?;
        Ok(ApiResponse {
            status: parts.status,
            content_type: parts.headers.get(header::CONTENT_TYPE).cloned(),
            body,
        })
    }
}
