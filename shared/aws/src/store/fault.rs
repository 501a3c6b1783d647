//! What a call to DynamoDB can come to grief over.

use std::error::Error;
use std::fmt::Write as _;

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::RequestId;
use countersign_records::RecordError;
use thiserror::Error;

/// Why an operation did not work. It never holds an item, or anything that was sent: the SDK's own
/// errors do (in their `Debug` form the whole answer), and stay behind.
#[derive(Clone, Debug, Error)]
pub(super) enum Fault {
    /// An item is unusable.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Something is there that chance cannot have put there twice.
    #[error("{0} is there already")]
    Collision(&'static str),
    /// A condition was refused that the item fulfils.
    #[error("a write was refused for no reason that {0} shows")]
    Contradiction(&'static str),
    /// Others changed the item each time before this could.
    #[error("others changed the item {0} times meanwhile")]
    Contended(usize),
    /// DynamoDB refused.
    #[error("DynamoDB answered {code} (request {request}){message}")]
    Refused {
        /// The error's name.
        code: String,
        /// By which AWS knows the request.
        request: String,
        /// What it says, where that cannot quote an item.
        message: String,
    },
    /// No answer came, or none that can be read.
    #[error("{what}{cause}")]
    NoAnswer {
        /// At which stage.
        what: &'static str,
        /// Why.
        cause: String,
    },
}

/// Errors whose message may quote a value out of a request.
const QUOTES: &str = "ValidationException";

impl<E> From<SdkError<E>> for Fault
where
    E: ProvideErrorMetadata + Error + 'static,
{
    fn from(error: SdkError<E>) -> Self {
        let no_answer = |what, cause| Self::NoAnswer { what, cause };
        match &error {
            SdkError::ServiceError(refusal) => {
                let known = refusal.err().meta();
                let code = known.code().unwrap_or("an error without a name");
                let message = known.message().filter(|_| code != QUOTES);
                Self::Refused {
                    code: code.to_owned(),
                    request: known.request_id().unwrap_or("unknown").to_owned(),
                    message: message.map_or_else(String::new, |text| format!(": {text}")),
                }
            }
            SdkError::TimeoutError(_) => {
                no_answer("DynamoDB did not answer in time", causes(&error))
            }
            SdkError::DispatchFailure(_) => {
                no_answer("DynamoDB could not be reached", causes(&error))
            }
            SdkError::ConstructionFailure(_) => {
                no_answer("the request could not be made", causes(&error))
            }
            _ => no_answer("DynamoDB's answer could not be read", String::new()),
        }
    }
}

/// What an error says is behind it.
fn causes(error: &dyn Error) -> String {
    let mut text = String::new();
    let mut cause = error.source();
    while let Some(error) = cause {
        // Writing to a string does not fail.
        let _ = write!(text, ": {error}");
        cause = error.source();
    }
    text
}
