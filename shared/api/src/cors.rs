//! Which answers pages of other origins may read (CORS, Fetch standard, section 3.3).
//!
//! A page of any origin may read what the routes of login sessions answer, problems included: no
//! cookie is ever sent along, and what proves something is in a header that a page has to know.
//! Which pages may *open* sessions is decided by the app's list, when they try.

use axum::response::{IntoResponse as _, Response};
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ORIGIN, VARY,
};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode};

/// What pages may read besides the body.
const EXPOSED: HeaderValue = HeaderValue::from_static("date, etag, retry-after, x-request-id");

/// What pages may send.
const HEADERS: HeaderValue =
    HeaderValue::from_static("authorization, content-type, if-none-match, x-app-key");

/// How pages may ask.
const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, DELETE");

/// For how long a browser may remember that, in seconds: as long as any browser does.
const REMEMBERED: HeaderValue = HeaderValue::from_static("7200");

/// A request to a path whose answers pages may read.
pub(crate) struct Readable {
    origin: Option<HeaderValue>,
}

impl Readable {
    /// The request, if its path is one of those. It need not be a route.
    pub(crate) fn of(parts: &Parts) -> Option<Self> {
        let rest = parts.uri.path().strip_prefix("/qr-sessions")?;
        (rest.is_empty() || rest.starts_with('/')).then(|| Self {
            origin: parts.headers.get(ORIGIN).cloned(),
        })
    }

    /// Adds to the answer what lets the page read it.
    pub(crate) fn add_headers(self, headers: &mut HeaderMap) {
        headers.insert(VARY, HeaderValue::from_static("Origin"));
        if let Some(origin) = self.origin {
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
        }
    }
}

/// The answer to a browser that asks beforehand. It asks without the app key, so that nothing can
/// be decided here.
pub(crate) async fn preflight() -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HEADERS);
    headers.insert(ACCESS_CONTROL_MAX_AGE, REMEMBERED);
    response
}
