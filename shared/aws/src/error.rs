//! Text for failed calls to AWS that is safe to log.

use std::error::Error;

use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use aws_types::request_id::RequestId;
use countersign_api::Causes;
use countersign_domain::primitives::unavailable::Unavailable;

/// Turns a failed call into the error of a port; `what` names the port's operation.
pub(crate) fn failed<E>(what: &'static str, error: &SdkError<E, HttpResponse>) -> Unavailable
where
    E: ProvideErrorMetadata + Error + 'static,
{
    Unavailable::new(what, describe(error))
}

/// Describes a failed call: the error's code, AWS's request id and the message, or the causes.
///
/// It leaves the `Debug` form out, which the SDK's `DisplayErrorContext` adds: that holds the whole
/// response, and the response may be the secret that was asked for.
fn describe<E>(error: &SdkError<E, HttpResponse>) -> String
where
    E: ProvideErrorMetadata + Error + 'static,
{
    if let SdkError::ServiceError(refusal) = error {
        let known = refusal.err().meta();
        let code = known.code().unwrap_or("unknown error");
        let request = known.request_id().unwrap_or("unknown");
        let message = known.message().unwrap_or("no message");
        return format!("{code} (request {request}): {message}");
    }
    // The causes of an unreadable response may quote it.
    if matches!(error, SdkError::ResponseError(_)) {
        return error.to_string();
    }
    Causes(error).to_string()
}
