//! Headers that every answer has, and how a problem becomes an answer.

use axum::body::Body;
use axum::response::Response;
use http::header::{
    CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, HeaderName, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderValue};

use super::request_id::RequestId;
use crate::problem::{CONTENT_TYPE as PROBLEM_JSON, Problem};

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Builds a problem's whole answer, for hosts that must answer where no router with middleware can:
/// on a connection that they refuse, or where a layer of their own panicked.
#[must_use]
pub fn problem_response(problem: &Problem, id: &RequestId) -> http::Response<Vec<u8>> {
    let mut response = http::Response::new(problem.body(id.as_str()));
    *response.status_mut() = problem.code().status();
    let headers = response.headers_mut();
    add_problem_headers(headers, problem);
    add_common_headers(headers, id);
    response
}

/// Adds the headers that every answer has.
pub(super) fn add_common_headers(headers: &mut HeaderMap, id: &RequestId) {
    headers.insert(X_REQUEST_ID, id.header());
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
}

/// Writes a problem's body and headers into its answer.
pub(super) fn write_problem(problem: &Problem, id: &RequestId, response: &mut Response) {
    *response.body_mut() = Body::from(problem.body(id.as_str()));
    let headers = response.headers_mut();
    // A layer may have set the empty body's length.
    headers.remove(CONTENT_LENGTH);
    add_problem_headers(headers, problem);
}

fn add_problem_headers(headers: &mut HeaderMap, problem: &Problem) {
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
    problem.add_headers(headers);
}
