//! Sending a browser back to a client.

use axum::response::{IntoResponse as _, Response};
use http::header::{LOCATION, REFERRER_POLICY};
use http::{HeaderValue, StatusCode};

use crate::problem::{Problem, ProblemCode};

/// Redirects with 303, after which a browser never sends a form again (RFC 9700, section 4.12).
pub(super) fn see_other(location: &str) -> Result<Response, Problem> {
    let location = HeaderValue::try_from(location);
    let location = location.map_err(|error| Problem::ours(ProblemCode::InternalError, error))?;
    let mut response = StatusCode::SEE_OTHER.into_response();
    response.headers_mut().extend([
        (LOCATION, location),
        (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    ]);
    Ok(response)
}
