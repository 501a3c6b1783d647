//! An HTTP API's event (payload format 2.0) as a request for a router, and the router's answer as
//! what the API expects.
//!
//! Source: "Create AWS Lambda proxy integrations for HTTP APIs", API Gateway Developer Guide. No
//! event makes this panic: a panic ends the function's process, and events are what callers sent.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use countersign_api::RequestId;
use countersign_api::viewer::PeerAddress;
use http::header::{HeaderName, HeaderValue};
use http::{HeaderMap, Method, Request, Response, Uri};
use serde::{Deserialize, Serialize};
use thiserror::Error;
use tower::ServiceExt as _;

use crate::metrics::EmbeddedMetrics;
use crate::start::Handler;

/// The longest answer, in bytes: far beyond any of ours, within what Lambda carries (6 MB).
const MAX_ANSWER: usize = 4 * 1024 * 1024;

/// As much of the event as a router has use for.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpEvent {
    raw_path: String,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    body: Option<String>,
    #[serde(default)]
    is_base64_encoded: bool,
    request_context: RequestContext,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RequestContext {
    request_id: String,
    http: HttpContext,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct HttpContext {
    method: String,
    #[serde(default)]
    source_ip: Option<String>,
}

/// What the API makes its answer of.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpAnswer {
    status_code: u16,
    headers: BTreeMap<String, String>,
    body: String,
    is_base64_encoded: bool,
}

/// An event or an answer that cannot be carried over. Neither happens with the real API.
#[derive(Debug, Error)]
pub enum HttpEventError {
    /// The event says that its body is Base64, and it is not.
    #[error("the event's body is not the Base64 that it says it is")]
    Body,
    /// The router's answer is too long or broke off.
    #[error("the answer cannot be read")]
    Answer,
}

/// Answers HTTP events with a router, and counts the answers of 500 and above.
#[derive(Clone, Debug)]
pub struct HttpHandler {
    router: Router,
    metrics: Arc<EmbeddedMetrics>,
}

impl HttpHandler {
    /// Answers with this router.
    #[must_use]
    pub fn new(router: Router, metrics: Arc<EmbeddedMetrics>) -> Self {
        Self { router, metrics }
    }
}

impl Handler for HttpHandler {
    type Event = HttpEvent;
    type Answer = HttpAnswer;
    type Error = HttpEventError;

    async fn handle(&self, event: HttpEvent, _: &str) -> Result<HttpAnswer, HttpEventError> {
        let request = event.into_request()?;
        let response = match self.router.clone().oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        };
        if response.status().is_server_error() {
            self.metrics.count_server_error();
        }
        HttpAnswer::of(response).await
    }
}

impl HttpEvent {
    /// The request that the event tells of.
    pub fn into_request(self) -> Result<Request<Body>, HttpEventError> {
        let body = match self.body {
            None => Bytes::new(),
            Some(text) if self.is_base64_encoded => BASE64_STANDARD
                .decode(text)
                .map_err(|_| HttpEventError::Body)?
                .into(),
            Some(text) => text.into(),
        };
        let mut request = Request::new(Body::from(body));
        // What cannot be a request of ours goes to a path that is no route, for a plain 404.
        let method = Method::from_bytes(self.request_context.http.method.as_bytes());
        *request.uri_mut() = match &method {
            Ok(_) => path(&self.raw_path).unwrap_or_default(),
            Err(_) => Uri::default(),
        };
        *request.method_mut() = method.unwrap_or_default();
        *request.headers_mut() = headers(self.headers);
        let peer = self.request_context.http.source_ip;
        if let Some(address) = peer.and_then(|text| text.parse().ok()) {
            request.extensions_mut().insert(PeerAddress(address));
        }
        if let Some(id) = RequestId::of_platform(&self.request_context.request_id) {
            request.extensions_mut().insert(id);
        }
        Ok(request)
    }
}

/// The path. The API may have decoded it, so what a URI cannot hold is encoded again.
fn path(raw: &str) -> Option<Uri> {
    let mut path = String::with_capacity(raw.len());
    for byte in raw.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~!$&'()*+,;=:@%".contains(&byte) {
            path.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(path, "%{byte:02X}");
        }
    }
    // Without this a path such as `//host/x` would be read as an authority.
    let uri = Uri::builder().path_and_query(path).build().ok()?;
    uri.path().starts_with('/').then_some(uri)
}

fn headers(event: BTreeMap<String, String>) -> HeaderMap {
    event
        .into_iter()
        .filter_map(|(name, value)| {
            let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
            let value = HeaderValue::from_bytes(value.as_bytes()).ok()?;
            Some((name, value))
        })
        .collect()
}

impl HttpAnswer {
    /// What the API answers the caller with.
    pub async fn of(response: Response<Body>) -> Result<Self, HttpEventError> {
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, MAX_ANSWER)
            .await
            .map_err(|_| HttpEventError::Answer)?;
        let mut headers = BTreeMap::<String, String>::new();
        for (name, value) in &parts.headers {
            let value = String::from_utf8_lossy(value.as_bytes());
            headers
                .entry(name.as_str().to_owned())
                .and_modify(|all| {
                    all.push_str(", ");
                    all.push_str(&value);
                })
                .or_insert_with(|| value.clone().into_owned());
        }
        let (body, is_base64_encoded) = match String::from_utf8(body.into()) {
            Ok(text) => (text, false),
            Err(bytes) => (BASE64_STANDARD.encode(bytes.as_bytes()), true),
        };
        Ok(Self {
            status_code: parts.status.as_u16(),
            headers,
            body,
            is_base64_encoded,
        })
    }
}
