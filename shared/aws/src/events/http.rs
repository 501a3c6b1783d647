//! Events of HTTP requests, and the answers to them.
//!
//! They come as payload 1.0 from a REST API, as payload 2.0 from an HTTP API or a function URL, or
//! from an Application Load Balancer. Each is read once, without copying what no route reads. A
//! request that cannot be ours becomes `GET /` without a host, and gets the not-found answer.
//!
//! Source: "Lambda proxy integrations" in the API Gateway Developer Guide, "Lambda functions as
//! targets" in the guide for load balancers. docs/adr/0087-http-events-are-read-once.md

mod answer;
mod fields;
mod json;
#[cfg(test)]
pub(crate) mod samples;
mod target;
#[cfg(test)]
mod tests;

use std::net::{IpAddr, SocketAddr};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use countersign_api::RequestId;
use countersign_api::viewer::PeerAddress;
use http::header::HOST;
use http::{HeaderMap, HeaderName, Method, Request, Uri};
use serde::de::{Deserialize, Deserializer, Error as _};
use serde_json::value::RawValue;

pub use answer::HttpAnswer;
use json::Json;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// A request that an event tells of.
#[derive(Debug)]
pub struct HttpEvent {
    /// The request. Its extensions hold the caller's address and the platform's id, if the event has
    /// them.
    pub request: Request<Bytes>,
    /// The kind of event, which decides the form of the answer.
    pub payload: Payload,
}

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// Payload 1.0: a REST API, or an HTTP API that is set to it.
    V1,
    /// Payload 2.0: an HTTP API, or a function URL.
    V2,
    /// A target group of an Application Load Balancer.
    LoadBalancer,
}

impl Payload {
    /// Returns the kind of an event whose `requestContext` has the members of that kind.
    fn of(event: &Json<'_>) -> Option<Self> {
        let context = event.get("requestContext");
        if context.get("http").is_object() {
            Some(Self::V2)
        } else if context.get("elb").is_object() {
            Some(Self::LoadBalancer)
        } else {
            context.get("httpMethod").text().map(|_| Self::V1)
        }
    }
}

impl<'de> Deserialize<'de> for HttpEvent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The runtime wants events that borrow nothing, so the text is copied once.
        let event = Box::<RawValue>::deserialize(deserializer)?;
        let event = serde_json::from_str(event.get()).map_err(D::Error::custom)?;
        Self::of(&event).ok_or_else(|| D::Error::custom("the event is no HTTP request"))
    }
}

impl HttpEvent {
    /// Makes the request of an event, or returns `None` if it is an event of another kind.
    fn of(event: &Json<'_>) -> Option<Self> {
        let payload = Payload::of(event)?;
        let mut request = Request::new(body(event));
        let forwarded = match parts(payload, event) {
            Some((method, target, headers)) => {
                *request.method_mut() = method;
                *request.uri_mut() = target;
                *request.headers_mut() = headers;
                last_forwarded(request.headers())
            }
            None => None,
        };
        let context = event.get("requestContext");
        let (peer, id) = match payload {
            Payload::V1 => (
                context.get("identity").get("sourceIp").text(),
                context.get("requestId"),
            ),
            Payload::V2 => (
                context.get("http").get("sourceIp").text(),
                context.get("requestId"),
            ),
            Payload::LoadBalancer => (forwarded.as_deref(), &Json::Other),
        };
        if let Some(peer) = peer.and_then(address) {
            request.extensions_mut().insert(PeerAddress(peer));
        }
        if let Some(id) = id.text().and_then(RequestId::of_platform) {
            request.extensions_mut().insert(id);
        }
        Some(Self { request, payload })
    }
}

/// Returns method, target and headers, or `None` if the request cannot be ours.
fn parts(payload: Payload, event: &Json<'_>) -> Option<(Method, Uri, HeaderMap)> {
    let method = fields::method(payload, event)?;
    let headers = fields::headers(payload, event)?;
    let host = match headers.get(HOST) {
        Some(host) => host.to_str().ok()?,
        None => "localhost",
    };
    let target = target::target(payload, event, host)?;
    Some((method, target, headers))
}

/// Returns the body. One that is not the Base64 that it is said to be is taken as text, which the route
/// refuses.
fn body(event: &Json<'_>) -> Bytes {
    let text = event.get("body").text().unwrap_or_default();
    let decoded = match event.get("isBase64Encoded") {
        Json::True => BASE64_STANDARD.decode(text).ok(),
        _ => None,
    };
    Bytes::from(decoded.unwrap_or_else(|| text.as_bytes().to_vec()))
}

/// Returns the address that the load balancer itself added, which is the last one.
fn last_forwarded(headers: &HeaderMap) -> Option<String> {
    let last = headers.get_all(FORWARDED_FOR).iter().next_back()?;
    let last = last.to_str().ok()?.rsplit(',').next()?;
    Some(last.trim().to_owned())
}

/// Parses an address. Load balancers can be set to add the port.
fn address(text: &str) -> Option<IpAddr> {
    let with_port = || text.parse::<SocketAddr>().map(|address| address.ip());
    text.parse().or_else(|_| with_port()).ok()
}
