//! HTTP requests from API Gateway, a function URL or a load balancer, answered by a router.
//!
//! `lambda_http` reads the events and writes the answers. What it gets wrong for a fair request is
//! mended here, with a test that fails once the crate does it right. A request that makes it panic
//! costs its sender an error: the runtime catches the panic.

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use countersign_api::RequestId;
use countersign_api::viewer::PeerAddress;
use http::header::HOST;
use http::{HeaderMap, HeaderName, HeaderValue, Response, Uri};
use lambda_http::request::{LambdaRequest, RequestContext};
use lambda_http::{Adapter, LambdaEvent, Request, RequestExt as _};
use serde::Serialize;
use tower::{Service, ServiceBuilder};

use crate::metrics::EmbeddedMetrics;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Answers requests with this router, and counts the answers that are no success.
pub fn http(
    router: Router,
    metrics: Arc<EmbeddedMetrics>,
) -> impl Service<
    LambdaEvent<LambdaRequest>,
    Response = impl Serialize + use<>,
    Error = Infallible,
    Future: Send,
> + use<> {
    let answering = ServiceBuilder::new()
        .map_request(as_received)
        .map_response(move |mut response: Response<Body>| {
            metrics.count_answer(response.status());
            join_repeated(response.headers_mut());
            response
        })
        .service(router);
    ServiceBuilder::new()
        .map_request(with_repeated_headers)
        .service(Adapter::from(answering))
}

/// Keeps all values of a header of payload 1.0, of which `lambda_http` keeps the last.
fn with_repeated_headers(mut event: LambdaEvent<LambdaRequest>) -> LambdaEvent<LambdaRequest> {
    if let LambdaRequest::ApiGatewayV1(request) = &mut event.payload
        && !request.multi_value_headers.is_empty()
    {
        let host = request.headers.remove(HOST);
        request.headers = host.into_iter().map(|host| (HOST, host)).collect();
    }
    event
}

/// Keeps all values of an answer's header, of which `lambda_http` keeps the first unless the kind of event
/// has lists. No answer has cookies, which could not be joined.
fn join_repeated(headers: &mut HeaderMap) {
    let repeated: Vec<_> = headers
        .keys()
        .filter(|name| headers.get_all(*name).iter().nth(1).is_some())
        .cloned()
        .collect();
    for name in repeated {
        let values: Vec<_> = headers
            .get_all(&name)
            .iter()
            .map(HeaderValue::as_bytes)
            .collect();
        if let Ok(joined) = HeaderValue::from_bytes(&values.join(&b", "[..])) {
            headers.insert(name, joined);
        }
    }
}

/// Removes the host and the API's stage from the target, where `lambda_http` puts them, and adds what the
/// platform says about the call: the caller's address and the id.
fn as_received(mut request: Request) -> Request {
    let (stage, peer, id) = match request.request_context_ref() {
        Some(RequestContext::ApiGatewayV1(context)) => (
            context.stage.as_deref(),
            context.identity.source_ip.as_deref(),
            context.request_id.as_deref(),
        ),
        Some(RequestContext::ApiGatewayV2(context)) => (
            context.stage.as_deref(),
            context.http.source_ip.as_deref(),
            context.request_id.as_deref(),
        ),
        _ => (None, last_forwarded(request.headers()), None),
    };
    let target = without_stage(request.uri(), stage);
    let peer = peer.and_then(address).map(PeerAddress);
    let id = id.and_then(RequestId::of_platform);
    *request.uri_mut() = target;
    let extensions = request.extensions_mut();
    peer.and_then(|peer| extensions.insert(peer));
    id.and_then(|id| extensions.insert(id));
    request
}

fn without_stage(uri: &Uri, stage: Option<&str>) -> Uri {
    let target = uri.path_and_query().map_or("/", |target| target.as_str());
    let rest = stage
        .and_then(|stage| target.strip_prefix('/')?.strip_prefix(stage))
        .filter(|rest| rest.starts_with('/'));
    // What begins with a slash stays a target.
    rest.unwrap_or(target).parse().unwrap_or_default()
}

/// Returns the address that the load balancer itself added, which is the last one.
fn last_forwarded(headers: &HeaderMap) -> Option<&str> {
    let last = headers.get_all(FORWARDED_FOR).iter().next_back()?;
    Some(last.to_str().ok()?.rsplit(',').next()?.trim())
}

/// Parses an address. Load balancers can be set to add the port.
fn address(text: &str) -> Option<IpAddr> {
    let with_port = || text.parse::<SocketAddr>().map(|address| address.ip());
    text.parse().or_else(|_| with_port()).ok()
}
