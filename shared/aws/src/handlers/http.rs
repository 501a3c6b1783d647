//! HTTP requests, answered by a router.

#[cfg(test)]
mod tests;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use countersign_api::RequestId;
use countersign_api::viewer::PeerAddress;
use countersign_domain::primitives::time::Clock as _;
use countersign_system::clock::SystemClock;
use http::header::SET_COOKIE;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, Uri};
use lambda_http::RequestExt as _;
use lambda_http::request::RequestContext;
use lambda_runtime::{Diagnostic, LambdaInvocation, Service};
use thiserror::Error;
use tower::ServiceExt as _;
use tower::util::MapRequestLayer;

use super::{Function, failed};
use crate::events;
use crate::metrics::EmbeddedMetrics;

/// Largest answer in bytes: larger than any of ours, smaller than what Lambda carries (6 MB).
const MAX_ANSWER: usize = 4 * 1024 * 1024;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

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

    /// Answers a request.
    ///
    /// # Errors
    /// Fails if the router's answer cannot be read.
    pub async fn handle(
        &self,
        request: lambda_http::Request,
    ) -> Result<Response<lambda_http::Body>, UnreadableAnswer> {
        let request = for_router(request);
        let response = match self.router.clone().oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        };
        if response.status().is_server_error() {
            self.metrics.count_server_error();
        }
        for_lambda(response).await
    }

    /// The service that `lambda_http` calls for each request.
    fn service(
        self,
    ) -> impl Service<
        lambda_http::Request,
        Response = Response<lambda_http::Body>,
        Error = Diagnostic,
        Future: Send + 'static,
    > + Send {
        tower::service_fn(move |request: lambda_http::Request| {
            let handler = self.clone();
            async move {
                let invocation = request
                    .lambda_context_ref()
                    .map(|context| context.request_id.clone());
                let answer = handler.handle(request).await;
                handler.metrics.flush(SystemClock.now());
                answer.map_err(|error| failed(&invocation.unwrap_or_default(), &error))
            }
        })
    }
}

impl Function for HttpHandler {
    async fn serve(self, _: &EmbeddedMetrics) -> Result<(), lambda_runtime::Error> {
        let judge = MapRequestLayer::new(|invocation: LambdaInvocation| LambdaInvocation {
            body: events::http::judge(&invocation.body),
            ..invocation
        });
        lambda_http::runtime(self.service())
            .layer(judge)
            .run()
            .await
    }
}

/// Prepares a request for the router: adds the caller's address and the platform's id, and removes
/// the host from the target, where only a proxy's request has one.
fn for_router(request: lambda_http::Request) -> Request<Body> {
    let (peer, id) = match request.request_context_ref() {
        Some(RequestContext::ApiGatewayV1(context)) => (
            context.identity.source_ip.as_deref(),
            context.request_id.as_deref(),
        ),
        Some(RequestContext::ApiGatewayV2(context)) => (
            context.http.source_ip.as_deref(),
            context.request_id.as_deref(),
        ),
        Some(RequestContext::Alb(_)) => (last_forwarded(request.headers()), None),
        _ => (None, None),
    };
    let peer = peer.and_then(address).map(PeerAddress);
    let id = id.and_then(RequestId::of_platform);
    let mut request = request.map(Body::new);
    let target = request.uri().path_and_query().cloned();
    *request.uri_mut() = target.map(Uri::from).unwrap_or_default();
    if let Some(peer) = peer {
        request.extensions_mut().insert(peer);
    }
    if let Some(id) = id {
        request.extensions_mut().insert(id);
    }
    request
}

/// Returns the address that the load balancer itself added, which is the last one.
fn last_forwarded(headers: &HeaderMap) -> Option<&str> {
    let last = headers.get_all(FORWARDED_FOR).iter().next_back()?;
    last.to_str().ok()?.rsplit(',').next().map(str::trim)
}

/// Parses an address. Load balancers can be set to add the port.
fn address(text: &str) -> Option<IpAddr> {
    let with_port = || text.parse::<SocketAddr>().map(|address| address.ip());
    text.parse().or_else(|_| with_port()).ok()
}

/// Prepares a response for `lambda_http`: reads the body, whose errors it would unwrap, and joins
/// repeated headers.
async fn for_lambda(
    response: Response<Body>,
) -> Result<Response<lambda_http::Body>, UnreadableAnswer> {
    let (mut parts, body) = response.into_parts();
    parts.headers = joined(&parts.headers);
    let body = to_bytes(body, MAX_ANSWER).await.map_err(UnreadableAnswer)?;
    // The content type decides whether it is sent as text or in Base64.
    Ok(Response::from_parts(
        parts,
        lambda_http::Body::Binary(body.into()),
    ))
}

/// Joins the values of each header with commas, as HTTP allows for all but cookies: payload 2.0
/// carries one value of each. Makes values UTF-8, since a function that answers with others ends.
fn joined(headers: &HeaderMap) -> HeaderMap {
    let mut joined = HeaderMap::with_capacity(headers.keys_len());
    for name in headers.keys() {
        let values = headers.get_all(name).iter();
        let values: Vec<_> = values
            .map(|value| String::from_utf8_lossy(value.as_bytes()))
            .collect();
        let values = if name == SET_COOKIE {
            values.iter().map(ToString::to_string).collect()
        } else {
            vec![values.join(", ")]
        };
        for value in values {
            if let Ok(value) = HeaderValue::try_from(value) {
                joined.append(name, value);
            }
        }
    }
    joined
}
