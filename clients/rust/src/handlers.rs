//! Handlers without a framework: they take a request's method, headers and raw body, and return a response.
//!
//! `body` must be the unmodified bytes. Read at most one byte more than [`MAX_BODY`]: larger bodies are
//! refused.

use std::error::Error as _;

use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use http::{Method, Response, StatusCode};

use crate::error::{BoxError, Error};
use crate::webhooks::Headers;

mod login;
mod webhook;

pub use login::{LoginHandler, LoginHandlerBuilder};
pub use webhook::{WebhookHandler, WebhookHandlerBuilder};

/// Maximum size of a body, in bytes.
pub const MAX_BODY: usize = 64 * 1024;

/// A handler's answer.
pub type Reply = Response<String>;

/// Why a request is refused. Only the log contains the reason.
enum Refusal {
    /// An error of the caller, or one after which the service has to retry.
    Answer {
        status: StatusCode,
        text: &'static str,
        reason: Option<String>,
    },
    /// Ours.
    Failed(Error),
    /// Another layer or extractor read the body before the handler.
    BodyTaken,
}

impl Refusal {
    fn new(status: StatusCode, text: &'static str) -> Self {
        Self::because(status, text, None)
    }

    fn because(status: StatusCode, text: &'static str, reason: impl Into<Option<String>>) -> Self {
        let reason = reason.into();
        Self::Answer {
            status,
            text,
            reason,
        }
    }

    /// Writes the log, and returns the answer.
    fn reply(self) -> Reply {
        match self {
            Self::Answer {
                status,
                text,
                reason,
            } => {
                if matches!(status.as_u16(), 403 | 503) {
                    let reason = reason.as_deref().unwrap_or(text);
                    tracing::warn!(target: "countersign", %reason, "refused");
                }
                reply(status, text)
            }
            Self::Failed(error @ Error::KeysUnavailable(_)) => {
                tracing::warn!(target: "countersign", error = chain(&error), "cannot verify");
                reply(StatusCode::INTERNAL_SERVER_ERROR, "cannot verify just now")
            }
            Self::Failed(error) => {
                tracing::error!(target: "countersign", error = chain(&error), "a request cannot be answered");
                reply(StatusCode::INTERNAL_SERVER_ERROR, "internal error")
            }
            Self::BodyTaken => {
                tracing::error!(
                    target: "countersign",
                    "the raw body is gone: pass the raw body, and let nothing read the request before this handler"
                );
                reply(StatusCode::INTERNAL_SERVER_ERROR, "internal error")
            }
        }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Returns an error's message with its causes.
fn chain(error: &Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

fn reply(status: StatusCode, text: &str) -> Reply {
    let mut reply = Response::new(text.to_owned());
    *reply.status_mut() = status;
    let headers = reply.headers_mut();
    headers.insert(
        CONTENT_TYPE,
        HeaderValue::from_static("text/plain; charset=utf-8"),
    );
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if status == StatusCode::METHOD_NOT_ALLOWED {
        headers.insert(ALLOW, HeaderValue::from_static("POST"));
    }
    reply
}

fn check(method: &str, headers: &Headers, body: &[u8]) -> Result<(), Refusal> {
    if method != Method::POST.as_str() {
        return Err(Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "POST only"));
    }
    if body.len() > MAX_BODY {
        return Err(Refusal::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "body too large",
        ));
    }
    let is_announced = !matches!(headers.get("content-length"), None | Some("" | "0"));
    if body.is_empty() && (is_announced || headers.get("transfer-encoding").is_some()) {
        return Err(Refusal::BodyTaken);
    }
    Ok(())
}

/// Returns a callback's error if it has this type.
fn callback_error<T: std::error::Error + 'static>(error: &Error) -> Option<&T> {
    let Error::Callback(error) = error else {
        return None;
    };
    let error: &BoxError = error;
    error.downcast_ref::<T>()
}
