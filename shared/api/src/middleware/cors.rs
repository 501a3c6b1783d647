//! Lets pages of any origin read the answers of the login routes (CORS, Fetch standard, section 3.3).
//!
//! That is safe for problems too: no cookies are involved, and every credential is in a header that
//! the page must already know. Whether a page may *open* a login is decided by the app's list of
//! origins at that time.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ORIGIN,
};
use http::{HeaderValue, StatusCode};

use super::Deadline;
use crate::header::vary;

/// Headers that pages may read.
const EXPOSED_HEADERS: HeaderValue =
    HeaderValue::from_static("date, etag, retry-after, x-request-id");

/// Headers that pages may send.
const ALLOWED_HEADERS: HeaderValue =
    HeaderValue::from_static("authorization, content-type, if-none-match, x-app-key");

/// Methods that pages may use.
const ALLOWED_METHODS: HeaderValue = HeaderValue::from_static("GET, POST, DELETE");

/// The time for which browsers may cache a preflight's answer, in seconds. No browser caches it
/// longer.
const MAX_AGE: HeaderValue = HeaderValue::from_static("7200");

/// Lets the requesting page read the answer. This layer also limits the handler's time, so that the
/// page can read the answer when a handler hangs or panics.
pub(crate) async fn allow_any_origin(request: Request, next: Next) -> Response {
    let origin = request.headers().get(ORIGIN).cloned();
    let deadline = request.extensions().get::<Deadline>().copied();
    let running = next.run(request);
    let mut response = match deadline {
        Some(deadline) => deadline.limit(running).await,
        None => running.await,
    };
    let_page_read(&mut response, origin);
    response
}

/// Adds the headers that let a page of this origin read an answer of the login routes. Hosts that
/// refuse a request before it reaches the routes call this function, so that the page can read the
/// reason.
pub fn let_page_read(response: &mut Response, origin: Option<HeaderValue>) {
    let headers = response.headers_mut();
    vary(headers, "Origin");
    if let Some(origin) = origin {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED_HEADERS);
    }
}

/// Answers a preflight. Browsers send no app key with it, so it allows every origin.
pub(crate) async fn preflight() -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, ALLOWED_METHODS);
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, ALLOWED_HEADERS);
    headers.insert(ACCESS_CONTROL_MAX_AGE, MAX_AGE);
    response
}
