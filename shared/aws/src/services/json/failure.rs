//! Failed calls of services that speak AWS JSON.

use std::error::Error;
use std::fmt;

use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_runtime_api::http::Headers;
use aws_smithy_types::error::ErrorMetadata;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use aws_types::request_id::apply_request_id;
use countersign_domain::primitives::unavailable::Unavailable;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use thiserror::Error;

use crate::error::failed;

/// Why a call has no result. `Display` shows nothing of the request or its answer.
#[derive(Debug, Error)]
pub enum CallError {
    /// The service refused the call, or did not answer.
    #[error("the call failed")]
    Failed(#[source] Box<SdkError<Refusal, HttpResponse>>),
    /// The service's answer is not what the operation answers.
    #[error("the service's answer cannot be read")]
    Unreadable,
    /// The input cannot be written as JSON.
    #[error("the call's input cannot be written")]
    Input,
}

impl CallError {
    pub(super) fn of_call(error: SdkError<Refusal, HttpResponse>) -> Self {
        Self::Failed(Box::new(error))
    }

    pub(super) fn of_input(_: serde_json::Error) -> Self {
        Self::Input
    }

    /// Returns the name of the service's error, if it refused the call.
    pub(crate) fn code(&self) -> Option<&str> {
        self.refusal()?.code()
    }

    /// Returns the service's refusal, if that is what it is.
    pub(crate) fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Failed(error) => error.as_service_error(),
            Self::Unreadable | Self::Input => None,
        }
    }

    /// Returns the error of a port; `what` names the port's operation.
    pub(crate) fn unavailable(self, what: &'static str) -> Unavailable {
        match self {
            Self::Failed(error) => failed(what, &error),
            error @ (Self::Unreadable | Self::Input) => Unavailable::new(what, error),
        }
    }
}

/// A service's refusal of a call. `Debug` and `Display` show its name and message, and nothing else of its
/// body, which may hold an item.
pub struct Refusal {
    known: ErrorMetadata,
    body: Vec<u8>,
}

impl Refusal {
    /// Reads an error response: its name from the header `x-amzn-errortype` or the body, and its message.
    pub(super) fn read(headers: &Headers, body: &[u8]) -> Self {
        Self {
            known: known(headers, body),
            body: body.to_vec(),
        }
    }

    /// Reads what else the body holds.
    ///
    /// # Errors
    /// Fails if it does not hold that.
    pub(crate) fn details<T: DeserializeOwned>(&self) -> Result<T, CallError> {
        serde_json::from_slice(&self.body).map_err(|_| CallError::Unreadable)
    }
}

impl ProvideErrorMetadata for Refusal {
    fn meta(&self) -> &ErrorMetadata {
        &self.known
    }
}

impl fmt::Debug for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.known.fmt(f)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.known.fmt(f)
    }
}

impl Error for Refusal {}

/// An error's body. Services spell the message's name in both ways, and some send both. Whatever the
/// message is, the name of the error decides whether a call is repeated.
#[derive(Default, Deserialize)]
struct Body {
    #[serde(rename = "__type")]
    kind: Option<String>,
    message: Option<Value>,
    #[serde(rename = "Message")]
    other_message: Option<Value>,
}

fn known(headers: &Headers, body: &[u8]) -> ErrorMetadata {
    let body: Body = serde_json::from_slice(body).unwrap_or_default();
    let mut refusal = ErrorMetadata::builder();
    if let Some(kind) = headers.get("x-amzn-errortype").or(body.kind.as_deref()) {
        refusal = refusal.code(name(kind));
    }
    let messages = [&body.message, &body.other_message];
    let mut messages = messages.into_iter().flatten().filter_map(Value::as_str);
    if let Some(message) = messages.next() {
        refusal = refusal.message(message);
    }
    apply_request_id(refusal, headers).build()
}

/// Returns an error's name without its namespace and the address of its description.
fn name(kind: &str) -> &str {
    let kind = kind.split_once(':').map_or(kind, |(kind, _)| kind);
    kind.rsplit_once('#').map_or(kind, |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_has_no_namespace_and_no_address() {
        for kind in [
            "NotFoundException",
            "NotFoundException:http://internal.amazon.com/coral/com.amazon.coral.validate/",
            "aws.protocoltests.restjson#NotFoundException",
            "aws.protocoltests.restjson#NotFoundException:http://internal.amazon.com/coral/",
        ] {
            assert_eq!(name(kind), "NotFoundException");
        }
    }

    #[test]
    fn refusal_is_read_from_the_header_or_the_body() {
        let mut headers = Headers::new();
        let body = br#"{"__type":"com.amazonaws.sqs#QueueDoesNotExist","message":"no such queue"}"#;
        let read = known(&headers, body);
        assert_eq!(read.code(), Some("QueueDoesNotExist"));
        assert_eq!(read.message(), Some("no such queue"));
        headers.insert("x-amzn-errortype", "ThrottlingException:");
        let read = known(&headers, br#"{"__type":"Other","Message":"slow down"}"#);
        assert_eq!(read.code(), Some("ThrottlingException"));
        assert_eq!(read.message(), Some("slow down"));
        let both = br#"{"__type":"ThrottlingException","Message":"slow down","message":null}"#;
        let read = known(&Headers::new(), both);
        assert_eq!(read.code(), Some("ThrottlingException"));
        assert_eq!(read.message(), Some("slow down"));
        let read = known(&Headers::new(), br#"{"__type":"Other","message":{"a":1}}"#);
        assert_eq!((read.code(), read.message()), (Some("Other"), None));
        let read = known(&Headers::new(), b"<html>");
        assert_eq!((read.code(), read.message()), (None, None));
    }
}
