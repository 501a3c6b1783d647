//! Responses other than 200.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use thiserror::Error;

/// An answer that ends the handling of a request.
#[derive(Debug, Error)]
pub(crate) enum Refusal {
    /// No signature, or no key id with it.
    #[error("signature missing")]
    SignatureMissing,
    /// The signature is invalid, or its key is unknown.
    #[error("signature refused")]
    SignatureRefused,
    /// The signature could not be verified. The service will retry.
    #[error("cannot verify just now")]
    CannotVerify,
    /// The body is signed, but is not a webhook.
    #[error("not a confirmation")]
    NotAConfirmation,
    /// Not a confirmation that we started.
    #[error("unknown confirmation")]
    UnknownConfirmation,
    /// The body is too large or incomplete.
    #[error("body not read")]
    BodyNotRead(StatusCode),
    /// The body took too long to arrive.
    #[error("body too slow")]
    TooSlow,
    /// The service could not be reached to start a confirmation.
    #[error("the service did not answer")]
    NoAnswer,
    /// The service refused to start a confirmation.
    #[error("the service said {0}: {1}")]
    Said(u16, String),
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = match self {
            Self::SignatureMissing | Self::SignatureRefused => StatusCode::FORBIDDEN,
            Self::CannotVerify => StatusCode::INTERNAL_SERVER_ERROR,
            Self::NotAConfirmation => StatusCode::BAD_REQUEST,
            Self::UnknownConfirmation => StatusCode::NOT_FOUND,
            Self::BodyNotRead(status) => status,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::NoAnswer | Self::Said(..) => StatusCode::BAD_GATEWAY,
        };
        (status, self.to_string()).into_response()
    }
}
