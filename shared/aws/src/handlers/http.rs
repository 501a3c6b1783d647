//! HTTP requests, answered by a router.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use http::Response;
use thiserror::Error;
use tower::ServiceExt as _;

use super::Handler;
use crate::events::http::{HttpAnswer, HttpEvent};
use crate::metrics::EmbeddedMetrics;

/// Largest answer in bytes: larger than any of ours, smaller than what Lambda carries (6 MB).
const MAX_ANSWER: usize = 4 * 1024 * 1024;

/// The router's answer is larger than 4 MiB, or its body ended early.
#[derive(Debug, Error)]
#[error("the answer cannot be read")]
pub struct UnreadableAnswer(#[source] axum::Error);

/// Answers HTTP requests with a router, and counts the answers of 500 and above.
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
    type Error = UnreadableAnswer;

    async fn handle(&self, event: HttpEvent, _: &str) -> Result<HttpAnswer, UnreadableAnswer> {
        let HttpEvent { request, payload } = event;
        let response = match self.router.clone().oneshot(request.map(Body::from)).await {
            Ok(response) => response,
            Err(never) => match never {},
        };
        if response.status().is_server_error() {
            self.metrics.count_server_error();
        }
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, MAX_ANSWER).await.map_err(UnreadableAnswer)?;
        Ok(HttpAnswer::new(payload, Response::from_parts(parts, body)))
    }
}
