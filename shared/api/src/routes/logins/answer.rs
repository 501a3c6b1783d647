//! Answers about a login, with its line in the log.

use axum::response::{IntoResponse as _, Response};
use countersign_domain::primitives::ids::{AppId, LoginId};

use crate::middleware::log::LogFields;
use crate::problem::Problem;

/// Returns an answer whose line in the log names the login, and the app if the request named it,
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
