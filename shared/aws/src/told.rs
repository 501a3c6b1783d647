//! What is told of a call to AWS that went wrong.

use std::error::Error;

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::RequestId;
use countersign_api::Causes;
use countersign_domain::primitives::unavailable::Unavailable;

/// A call that went wrong, as a port tells it.
pub(crate) fn failed<E>(what: &'static str, error: &SdkError<E>) -> Unavailable
where
    E: ProvideErrorMetadata + Error + 'static,
{
    Unavailable::new(what, told(error))
}

/// What an error of a service's client says, with its causes and AWS's id of the request.
///
/// Never more: in its `Debug` form, which the SDK's `DisplayErrorContext` adds, it holds the whole
/// answer, and that may be the secret that was asked for.
#[must_use]
pub fn told<E>(error: &SdkError<E>) -> String
where
    E: ProvideErrorMetadata + Error + 'static,
{
    if let SdkError::ServiceError(refusal) = error {
        let known = refusal.err().meta();
        let code = known.code().unwrap_or("an error without a name");
        let request = known.request_id().unwrap_or("unknown");
        let message = known.message().unwrap_or("no message");
        return format!("{code} (request {request}): {message}");
    }
    // An answer that cannot be read may be quoted by what could not read it.
    if matches!(error, SdkError::ResponseError(_)) {
        return error.to_string();
    }
    Causes(error).to_string()
}
