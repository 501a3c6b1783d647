//! Errors of calls to DynamoDB.

use std::error::Error;

use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use countersign_api::Causes;
use countersign_domain::store::form::FormError;
use thiserror::Error;

use crate::error::ServiceError;

/// A failed operation. Contains no part of an item or a request. The SDK's own errors are not
/// stored, because their `Debug` form shows the whole response.
#[derive(Clone, Debug, Error)]
pub(super) enum Fault {
    /// A stored item cannot be read.
    #[error(transparent)]
    Record(#[from] FormError),
    #[error("a write was refused because an item does not exist")]
    NoItem,
    #[error("a request could not be built")]
    Unbuildable,
    /// DynamoDB repeatedly omitted some of the items.
    #[error("DynamoDB omitted requested items")]
    LeftOut,
    /// DynamoDB answered with an error.
    #[error("DynamoDB answered {0}")]
    Refused(ServiceError),
    /// DynamoDB did not answer, or the response cannot be read.
    #[error("{what}{cause}")]
    NoAnswer {
        /// The step that failed.
        what: &'static str,
        /// The causes, after a colon; empty if unknown.
        cause: String,
    },
}

const NO_REQUEST: &str = "the request could not be built";
const UNREADABLE: &str = "DynamoDB's answer could not be read";

impl Fault {
    /// Describes a failed call.
    pub(super) fn of_call<E>(error: &SdkError<E, HttpResponse>) -> Self
    where
        E: ProvideErrorMetadata + Error + 'static,
    {
        let no_answer = |what, cause| Self::NoAnswer { what, cause };
        match error {
            SdkError::ServiceError(refusal) => {
                Self::Refused(ServiceError::from_error(refusal.err()))
            }
            SdkError::TimeoutError(_) => {
                no_answer("DynamoDB did not answer in time", causes(error))
            }
            SdkError::DispatchFailure(_) => {
                no_answer("DynamoDB could not be reached", causes(error))
            }
            SdkError::ConstructionFailure(_) => no_answer(NO_REQUEST, causes(error)),
            // The causes may quote the response.
            _ => no_answer(UNREADABLE, String::new()),
        }
    }
}

/// Returns the causes of an error, after a colon.
fn causes(error: &dyn Error) -> String {
    error
        .source()
        .map_or_else(String::new, |cause| format!(": {}", Causes(cause)))
}
