//! Problems: the format of every error answer (RFC 9457).

mod code;
pub(crate) mod paragraphs;

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use axum::response::{IntoResponse, Response};
use countersign_domain::app::quota::{QuotaExceeded, QuotaLimit};
use countersign_domain::primitives::unavailable::Unavailable;
use http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, StatusCode};
use serde::Serialize;
use utoipa::ToSchema;

pub use code::ProblemCode;

/// The media type of problems.
pub const CONTENT_TYPE: &str = "application/problem+json";

/// An error answer.
///
/// As a response it has no body yet. [`with_middleware`](crate::with_middleware) writes the body,
/// since only the middleware knows the request's id.
#[derive(Clone)]
pub struct Problem {
    code: ProblemCode,
    detail: Option<Cow<'static, str>>,
    field: Option<Cow<'static, str>>,
    cause: Option<Arc<dyn Error + Send + Sync>>,
    wait: Option<Duration>,
    tries_left: Option<u8>,
    /// Whether to show the detail of an internal error.
    shows_detail: bool,
}

impl Problem {
    /// Creates a problem whose title says enough.
    #[must_use]
    pub const fn new(code: ProblemCode) -> Self {
        Self {
            code,
            detail: None,
            field: None,
            cause: None,
            wait: None,
            tries_left: None,
            shows_detail: false,
        }
    }

    /// Adds a detail: what happened and what to change. The only caller input that it may contain is a page's
    /// origin and the request's host, both parsed.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<Cow<'static, str>>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// Adds a detail to an internal error. Unauthenticated callers see it too.
    #[must_use]
    pub fn public_detail(self, detail: impl Into<Cow<'static, str>>) -> Self {
        Self {
            shows_detail: true,
            ..self.detail(detail)
        }
    }

    /// Adds the invalid member of the body, as a JSON pointer (RFC 6901).
    #[must_use]
    pub fn at(mut self, pointer: impl Into<Cow<'static, str>>) -> Self {
        self.field = Some(pointer.into());
        self
    }

    /// Adds the time to wait before a retry: header `Retry-After`, rounded up to whole seconds.
    #[must_use]
    pub const fn retry_after(mut self, wait: Duration) -> Self {
        self.wait = Some(wait);
        self
    }

    /// Adds the number of remaining tries: member `triesLeft`.
    #[must_use]
    pub const fn tries_left(mut self, tries: u8) -> Self {
        self.tries_left = Some(tries);
        self
    }

    /// Creates a problem for an internal error. The cause is logged and not sent to the caller.
    #[must_use]
    pub fn ours(code: ProblemCode, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        let cause: Box<dyn Error + Send + Sync> = cause.into();
        Self {
            cause: Some(cause.into()),
            ..Self::new(code)
        }
    }

    #[must_use]
    pub const fn code(&self) -> ProblemCode {
        self.code
    }

    /// Returns the cause for the log, if the error is internal.
    pub(crate) fn cause(&self) -> Option<Causes<'_>> {
        self.cause.as_deref().map(|cause| Causes(cause))
    }

    /// Writes the body of the answer to the request with this id.
    pub(crate) fn body(&self, request_id: &str) -> Vec<u8> {
        let status = self.code.status();
        // An internal error shows only the identifiers needed to find it.
        let outside = !status.is_server_error();
        let body = ProblemBody {
            kind: self.code.path(),
            title: self.code.title(),
            status: status.as_u16(),
            detail: self
                .detail
                .as_deref()
                .filter(|_| outside || self.shows_detail),
            code: self.code.as_str(),
            field: self.field.as_deref().filter(|_| outside),
            tries_left: self.tries_left,
            request_id,
        };
        serde_json::to_vec(&body).unwrap_or_default()
    }

    /// Adds the headers that the problem's status requires.
    pub(crate) fn add_headers(&self, headers: &mut HeaderMap) {
        let challenge = match self.code {
            ProblemCode::InboundNotAuthentic | ProblemCode::InboundTooOld => "WebhookSignature",
            ProblemCode::TokenMissing => "Bearer",
            ProblemCode::AppKeyMissing
            | ProblemCode::AppKeyMalformed
            | ProblemCode::AppKeyUnknown => "AppKey header=\"x-app-key\"",
            _ => "ApiKey header=\"x-api-key\"",
        };
        match self.code.status() {
            StatusCode::UNAUTHORIZED => {
                headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
            }
            StatusCode::SERVICE_UNAVAILABLE => {
                headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
            }
            _ => {}
        }
        if let Some(wait) = self.wait {
            let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
            headers.insert(RETRY_AFTER, seconds.into());
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.code.status().into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl From<Unavailable> for Problem {
    fn from(cause: Unavailable) -> Self {
        Self::ours(ProblemCode::ServiceUnavailable, cause)
    }
}

impl From<QuotaExceeded> for Problem {
    fn from(exceeded: QuotaExceeded) -> Self {
        let problem = match exceeded.limit {
            QuotaLimit::Rate => Self::new(ProblemCode::AppRateExceeded).detail(
                "Wait as long as Retry-After says, or ask the operator to raise the quota.",
            ),
            QuotaLimit::Open => Self::new(ProblemCode::AppOpenExceeded).detail(
                "Cancel sessions that you do not need, or ask the operator to raise the quota.",
            ),
        };
        problem.retry_after(exceeded.retry_after)
    }
}

impl fmt::Debug for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Problem({})", self.code.as_str())
    }
}

/// Formats an error and its causes on one line, omitting causes that the text already quotes.
pub struct Causes<'a>(pub &'a dyn Error);

impl fmt::Display for Causes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = self.0.to_string();
        let mut next = self.0.source();
        while let Some(cause) = next {
            let words = cause.to_string();
            if !text.contains(&words) {
                text.push_str(": ");
                text.push_str(&words);
            }
            next = cause.source();
        }
        f.write_str(&text)
    }
}

/// An error answer (RFC 9457). docs/problems.md explains every `code` and what to do about it. New
/// codes may be added at any time.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Problem)]
pub(crate) struct ProblemBody<'a> {
    /// `/problems/` and the code: a relative reference (RFC 9457, section 3.1.1) to what the service says about
    /// the problem.
    #[serde(rename = "type")]
    #[schema(value_type = String, format = "uri-reference", examples("/problems/callback_url_not_https"))]
    kind: String,
    /// The meaning of `code` in a few words.
    #[schema(examples("The callback URL is not https"))]
    title: &'static str,
    /// The HTTP status.
    #[schema(examples(422))]
    status: u16,
    /// Explains what happened and what to change. Absent where the title is enough, and on 5xx.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    detail: Option<&'a str>,
    /// The stable name of the problem, to be compared by programs.
    #[schema(examples("callback_url_not_https"))]
    code: &'static str,
    /// The invalid member of the request's body, as a JSON pointer (RFC 6901).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples("/callbackUrl"))]
    field: Option<&'a str>,
    /// The number of different wrong check codes that still block the session. Present only with
    /// `check_code_wrong`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 2, examples(2))]
    tries_left: Option<u8>,
    /// The request's id, which is also in the service's log.
    #[schema(examples("req_5b0c8a41f2d94e6b7a13c0de"))]
    request_id: &'a str,
}
