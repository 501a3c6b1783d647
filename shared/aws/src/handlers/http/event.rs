//! Events of HTTP requests, reduced to those that can become a request.
//!
//! A gateway passes on targets and headers that the `http` crate rejects, such as `/?a=<b`. `lambda_http` panics on
//! such an event or refuses it, and Lambda counts that as a function error, which anyone could cause at will.

use aws_lambda_events::query_map::QueryMap;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::HOST;
use http::{HeaderName, Uri};
use lambda_http::request::LambdaRequest;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use url::Url;

const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// The request in an event.
pub(super) struct HttpEvent {
    pub(super) request: LambdaRequest,
    /// True if everything could be read; if not, the unreadable parts are blank.
    pub(super) is_whole: bool,
}

impl HttpEvent {
    /// Reads an event; returns `None` if it is not an HTTP request.
    pub(super) fn read(event: &RawValue) -> Option<Self> {
        if let Ok(request) = serde_json::from_str(event.get()) {
            let request = with_repeated_headers(request);
            if is_readable(&request) {
                return Some(Self {
                    request,
                    is_whole: true,
                });
            }
        }
        let blank = blank(serde_json::from_str(event.get()).ok()?).to_string();
        Some(Self {
            request: serde_json::from_str(&blank).ok()?,
            is_whole: false,
        })
    }
}

/// Keeps all values of a header in payload 1.0, of which `lambda_http` would keep only the last.
fn with_repeated_headers(mut event: LambdaRequest) -> LambdaRequest {
    if let LambdaRequest::ApiGatewayV1(request) = &mut event
        && !request.multi_value_headers.is_empty()
    {
        let host = request.headers.remove(HOST);
        request.headers = host.into_iter().map(|host| (HOST, host)).collect();
    }
    event
}

/// Returns whether `lambda_http` can build a request from the event: it joins the parts of the target and decodes the
/// body, and panics if they are malformed.
fn is_readable(request: &LambdaRequest) -> bool {
    let (headers, path, query, body, is_encoded) = match request {
        LambdaRequest::ApiGatewayV1(it) => (
            &it.headers,
            &it.path,
            joined(
                &it.multi_value_query_string_parameters,
                &it.query_string_parameters,
            ),
            &it.body,
            it.is_base64_encoded,
        ),
        LambdaRequest::ApiGatewayV2(it) => (
            &it.headers,
            &it.raw_path,
            it.raw_query_string.clone().unwrap_or_default(),
            &it.body,
            it.is_base64_encoded,
        ),
        LambdaRequest::Alb(it) => (
            &it.headers,
            &it.path,
            joined(
                &it.multi_value_query_string_parameters,
                &it.query_string_parameters,
            ),
            &it.body,
            it.is_base64_encoded,
        ),
        _ => return false,
    };
    let header = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let scheme = header(FORWARDED_PROTO).unwrap_or("https");
    let host = header(HOST).unwrap_or("localhost");
    let path = path.as_deref().unwrap_or_default();
    let url = Url::parse(&format!("{scheme}://{host}{path}"));
    let has_target = url.is_ok_and(|url| Uri::try_from(format!("{url}?{query}")).is_ok());
    let body = body.as_deref().filter(|_| is_encoded);
    has_target && body.is_none_or(|body| STANDARD.decode(body).is_ok())
}

/// Returns the query that `lambda_http` builds from the parameters.
fn joined(many: &QueryMap, one: &QueryMap) -> String {
    let query = if many.is_empty() { one } else { many };
    query.to_query_string()
}

/// Returns an event of the same kind without any caller-controlled parts.
fn blank(mut event: Map<String, Value>) -> Value {
    let blanks = json!({
        "path": "/",
        "rawPath": "/",
        "rawQueryString": "",
        "queryStringParameters": {},
        "multiValueQueryStringParameters": {},
        "headers": {},
        "multiValueHeaders": {},
        "cookies": [],
        "httpMethod": "GET",
        "body": null,
    });
    for (member, blank) in blanks.as_object().into_iter().flatten() {
        if let Some(value) = event.get_mut(member) {
            value.clone_from(blank);
        }
    }
    if let Some(context) = event.get_mut("requestContext") {
        for method in ["/httpMethod", "/http/method"] {
            if let Some(method) = context.pointer_mut(method) {
                *method = json!("GET");
            }
        }
    }
    event.into()
}
