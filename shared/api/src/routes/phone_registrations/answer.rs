//! Answers about a phone registration, with their log lines.

use axum::response::{IntoResponse as _, Response};
use countersign_domain::primitives::ids::{AppId, PhoneRegistrationId};

use crate::middleware::log::LogFields;
use crate::problem::Problem;

/// Returns an answer whose log line identifies the registration, and the app if the caller is its server, whether or
/// not the answer is a problem.
pub(super) fn about(
    id: Option<PhoneRegistrationId>,
    app: Option<AppId>,
    answer: Result<Response, Problem>,
) -> Response {
    let mut response = answer.unwrap_or_else(Problem::into_response);
    response.extensions_mut().insert(LogFields {
        app,
        registration: id,
        ..LogFields::default()
    });
    response
}
