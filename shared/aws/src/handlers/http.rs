//! HTTP requests from API Gateway, a function URL or a load balancer, answered by a router.
//!
//! `lambda_http` parses the events and writes the answers. Its mistakes with valid requests are
//! corrected here, each with a test that fails once the crate is fixed.

mod event;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use countersign_api::viewer::PeerAddress;
use countersign_api::{RequestId, Unreadable};
use http::{HeaderMap, HeaderName, HeaderValue, Response, Uri};
use lambda_http::request::RequestContext;
use lambda_http::{Adapter, LambdaEvent, Request, RequestExt as _};
use lambda_runtime::{Diagnostic, service_fn};
use serde::Serialize;
use serde_json::value::RawValue;
use thiserror::Error;
use tower::{Service, ServiceBuilder};

use self::event::HttpEvent;
use super::failed;
use crate::metrics::EmbeddedMetrics;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The error for events of any other kind.
#[derive(Debug, Error)]
#[error("the event is not an HTTP request")]
struct NotHttp;

/// Answers requests with this router, and counts unsuccessful answers. An event that cannot be converted into a
/// request is a malformed request (400).
pub fn http(
    router: Router,
    metrics: Arc<EmbeddedMetrics>,
) -> impl Service<
    LambdaEvent<Box<RawValue>>,
    Response = impl Serialize + use<>,
    Error = Diagnostic,
    Future: Send,
> + use<> {
    service_fn(move |event: LambdaEvent<Box<RawValue>>| {
        let (router, metrics) = (router.clone(), Arc::clone(&metrics));
        async move {
            let LambdaEvent { payload, context } = event;
            let Some(HttpEvent { request, is_whole }) = HttpEvent::read(&payload) else {
                return Err(failed(&context.request_id, &NotHttp));
            };
            let answering = ServiceBuilder::new()
                .map_request(move |mut request| {
                    if !is_whole {
                        Request::extensions_mut(&mut request).insert(Unreadable);
                    }
                    as_received(request)
                })
                .map_response(move |mut response: Response<Body>| {
                    metrics.count_answer(response.status());
                    join_repeated(response.headers_mut());
                    response
                })
                .service(router);
            let answer = Adapter::from(answering).call(LambdaEvent::new(request, context));
            let Ok(answer) = answer.await;
            Ok(answer)
        }
    })
}

/// Joins repeated header values into one, because `lambda_http` keeps only the first value for
/// event types without multi-value headers. Answers have no cookies, which could not be joined.
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
/// platform reports about the call: the caller's address and the request id.
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
    // A target that begins with a slash is not changed.
    rest.unwrap_or(target).parse().unwrap_or_default()
}

/// Returns the address that the load balancer itself appended, which is the last one.
fn last_forwarded(headers: &HeaderMap) -> Option<&str> {
    let last = headers.get_all(FORWARDED_FOR).iter().next_back()?;
    Some(last.to_str().ok()?.rsplit(',').next()?.trim())
}

/// Parses an address. Load balancers can be configured to add the port.
fn address(text: &str) -> Option<IpAddr> {
    let with_port = || text.parse::<SocketAddr>().map(|address| address.ip());
    text.parse().or_else(|_| with_port()).ok()
}
