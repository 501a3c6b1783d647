//! Answers about a login, with their log lines.

use axum::response::{IntoResponse as _, Response};
use countersign_domain::primitives::ids::{AppId, LoginId};

use crate::middleware::log::LogFields;
use crate::problem::Problem;

/// Returns an answer whose log line identifies the login, and the app if the request specified it,
/// whether or not the answer is a problem.
pub(super) fn about(
    id: LoginId,
    app: Option<AppId>,
    answer: Result<Response, Problem>,
) -> Response {
    let mut response = answer.unwrap_or_else(Problem::into_response);
    response.extensions_mut().insert(LogFields {
        app,
        login: Some(id),
        ..LogFields::default()
    });
    response
}
