//! Answers to requests that are not executed.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};

use crate::admin::socket::Refusal;

/// Answers with the reason, in a sentence.
pub(super) fn refuse(status: StatusCode, message: impl Into<String>) -> Response {
    let message = message.into();
    let refusal = Refusal {
        message,
        now: None,
        code: None,
    };
    (status, Json(refusal)).into_response()
}
