//! Descriptions of failed AWS calls that are safe to log.

use std::error::Error;

use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use aws_types::request_id::RequestId;
use countersign_api::Causes;
use countersign_domain::primitives::unavailable::Unavailable;
use thiserror::Error;

/// Converts a failed call into the error of a port; `what` describes the port's operation.
pub(crate) fn failed<E>(what: &'static str, error: &SdkError<E, HttpResponse>) -> Unavailable
where
    E: ProvideErrorMetadata + Error + 'static,
{
    Unavailable::new(what, describe(error))
}

/// The code of errors whose message may quote a value from the request.
const QUOTING_CODE: &str = "ValidationException";

/// An error response from a service. `Display` shows all fields.
#[derive(Clone, Debug, Error)]
#[error("{code} (request {request}){message}")]
pub(crate) struct ServiceError {
    code: String,
    /// AWS's request id.
    request: String,
    /// A colon and the message, unless it may quote the request.
    message: String,
}

impl ServiceError {
    pub(crate) fn from_error(error: &impl ProvideErrorMetadata) -> Self {
        let known = error.meta();
        let code = known.code().unwrap_or("unknown error");
        let message = known.message().filter(|_| code != QUOTING_CODE);
        Self {
            code: code.to_owned(),
            request: known.request_id().unwrap_or("unknown").to_owned(),
            message: message.map_or_else(String::new, |text| format!(": {text}")),
        }
    }
}

/// Describes a failed call: the service's error response, or the causes.
///
/// Omits the `Debug` form, which the SDK's `DisplayErrorContext` would add: that contains the whole
/// response, which may be the requested secret.
fn describe<E>(error: &SdkError<E, HttpResponse>) -> String
where
    E: ProvideErrorMetadata + Error + 'static,
{
    if let SdkError::ServiceError(refusal) = error {
        return ServiceError::from_error(refusal.err()).to_string();
    }
    // The causes of an unreadable response may quote it.
    if matches!(error, SdkError::ResponseError(_)) {
        return error.to_string();
    }
    Causes(error).to_string()
}

#[cfg(test)]
mod tests {
    use aws_smithy_types::error::ErrorMetadata;

    use super::*;

    #[test]
    fn message_that_may_quote_the_request_is_left_out() {
        let text = |code| {
            let error = ErrorMetadata::builder().code(code).message("secret");
            ServiceError::from_error(&error.build()).to_string()
        };
        assert_eq!(
            text("ValidationException"),
            "ValidationException (request unknown)"
        );
        assert_eq!(
            text("NotFoundException"),
            "NotFoundException (request unknown): secret"
        );
    }
}
