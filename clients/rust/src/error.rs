//! Errors. The texts contain no key, code, token or full phone number.

use std::fmt;
use std::time::Duration;

use thiserror::Error;

/// The error of a callback or of a store.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The error of a call.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// An option, a limit or an argument is wrong. The text says which one and why.
    #[error("{0}")]
    Invalid(String),
    /// The service refused the request and said why.
    #[error(transparent)]
    Problem(#[from] Box<Problem>),
    /// The service did not answer, or not in time, or the answer is not from the service.
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    /// A request is not a webhook from the service.
    #[error(transparent)]
    Webhook(#[from] WebhookRefused),
    /// The published keys cannot be fetched at the moment.
    #[error(transparent)]
    KeysUnavailable(#[from] KeysUnavailable),
    /// A login is not proven.
    #[error(transparent)]
    Login(#[from] LoginRefused),
    /// This server did not start this approval for this user, or its store no longer has it.
    #[error("this server did not start an approval {id} for this user")]
    UnknownApproval {
        /// The requested id.
        id: String,
    },
    /// A test phone refuses a login, as a phone with the app would.
    #[error(transparent)]
    PhoneRefused(#[from] PhoneRefused),
    /// A callback failed. The next call, or the next delivery of the webhook, runs it again.
    #[error("a callback failed")]
    Callback(#[source] BoxError),
    /// The store failed, or violated the contract of [`Store`](crate::Store).
    #[error("the store failed")]
    Store(#[source] BoxError),
}

impl Error {
    /// Returns the problem's code if the service refused the request.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        match self {
            Self::Problem(problem) => Some(&problem.code),
            _ => None,
        }
    }

    pub(crate) fn invalid(text: impl Into<String>) -> Self {
        Self::Invalid(text.into())
    }

    pub(crate) fn lacking(member: &str) -> Self {
        ConnectionError::answered(200, format!("the answer of the service has no {member}")).into()
    }
}

/// An error answer from the service ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)).
///
/// Decide by `code`, and handle an unknown code by its `status`. [`code`](crate::code) lists the codes that this
/// version knows.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{} ({status} {code})", title.as_deref().unwrap_or("the service refused the request"))]
#[non_exhaustive]
pub struct Problem {
    /// The HTTP status.
    pub status: u16,
    /// The stable name of the problem; `http_403` if the answer has no name.
    pub code: String,
    /// The meaning of the code in a few words, for developers.
    pub title: Option<String>,
    /// The cause and the remedy, for developers.
    pub detail: Option<String>,
    /// The invalid member of the request, as a JSON pointer.
    pub field: Option<String>,
    /// The request's id, to find it in the service's log.
    pub request_id: Option<String>,
    /// The wait that the service requests.
    pub retry_after: Option<Duration>,
}

/// The error for a call without an answer from the service. The request may have taken effect.
#[derive(Debug, Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct ConnectionError {
    message: String,
    /// The status of the last answer, if there was one.
    pub status: Option<u16>,
    /// The wait that the last answer requests.
    pub retry_after: Option<Duration>,
    #[source]
    source: Option<reqwest::Error>,
}

impl ConnectionError {
    pub(crate) fn unanswered(message: String, source: Option<reqwest::Error>) -> Self {
        // The URL is removed, because its query may contain digits of a number.
        let source = source.map(reqwest::Error::without_url);
        Self {
            message,
            status: None,
            retry_after: None,
            source,
        }
    }

    pub(crate) fn answered(status: u16, message: String) -> Self {
        Self {
            message,
            status: Some(status),
            retry_after: None,
            source: None,
        }
    }

    pub(crate) fn retry_after(mut self, wait: Option<Duration>) -> Self {
        self.retry_after = wait;
        self
    }
}

/// The error for a request that is not a webhook from the service. Answer 403, or 400 if the reason
/// is [`NotAnEvent`](WebhookReason::NotAnEvent).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("not a webhook of the service: {reason}")]
#[non_exhaustive]
pub struct WebhookRefused {
    /// Why the request was refused.
    pub reason: WebhookReason,
}

/// The reason why a request is not a webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WebhookReason {
    /// A header of the signature is missing.
    SignatureMissing,
    /// The signature does not match.
    SignatureWrong,
    /// The signature is older than five minutes, or from the future.
    TimestampOutOfRange,
    /// The body is signed, but reports no event that this library knows.
    NotAnEvent,
}

impl WebhookReason {
    /// Returns the reason as it appears in logs, such as `signature_wrong`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SignatureMissing => "signature_missing",
            Self::SignatureWrong => "signature_wrong",
            Self::TimestampOutOfRange => "timestamp_out_of_range",
            Self::NotAnEvent => "not_an_event",
        }
    }
}

impl fmt::Display for WebhookReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<WebhookReason> for Error {
    fn from(reason: WebhookReason) -> Self {
        WebhookRefused { reason }.into()
    }
}

/// The error for keys that cannot be fetched. Answer 500, so that the service sends the webhook
/// again.
#[derive(Debug, Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct KeysUnavailable {
    message: String,
    #[source]
    source: Option<Box<Error>>,
}

impl KeysUnavailable {
    pub(crate) fn because(message: &str) -> Self {
        Self {
            message: message.to_owned(),
            source: None,
        }
    }

    pub(crate) fn new(source: Error) -> Self {
        Self {
            message: "the published keys cannot be fetched".to_owned(),
            source: Some(Box::new(source)),
        }
    }
}

/// The error for a login that is not proven. The reason is for logs: give the browser the same answer for every
/// reason.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the login is not proven: {reason}")]
#[non_exhaustive]
pub struct LoginRefused {
    /// Why the login is not proven, for logs.
    pub reason: String,
}

impl LoginRefused {
    pub(crate) fn because(reason: &str) -> Self {
        Self {
            reason: reason.to_owned(),
        }
    }
}

/// Refuses a login unless the condition holds.
pub(crate) fn holds(condition: bool, reason: &str) -> Result<(), LoginRefused> {
    if condition {
        Ok(())
    } else {
        Err(LoginRefused::because(reason))
    }
}

/// Return this error from a callback if there is no record of the webhook's subject.
///
/// The handler then answers 503, and the service sends the webhook again until your record exists, for up
/// to a day.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("there is no record of {id}: write it in on_started, before anything can arrive")]
pub struct RecordMissing {
    /// The id in the webhook.
    pub id: String,
}

impl RecordMissing {
    /// Creates the error for an id.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into() }
    }
}

/// The error of a test phone that refuses a login.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the phone refuses this login: {reason}")]
#[non_exhaustive]
pub struct PhoneRefused {
    /// Why the phone refuses.
    pub reason: PhoneRefusal,
}

/// Why a phone refuses a login.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PhoneRefusal {
    /// The link is not a login link.
    LinkMalformed,
    /// The link is not encrypted.
    LinkInsecure,
    /// The link has no id.
    SessionIdMissing,
    /// The link has several ids, or a malformed one.
    SessionIdMalformed,
    /// The browser has no key, and the phone requires one.
    PlainRefused,
    /// The answer has no browser key.
    KeyMissing,
    /// The answer has a key to which the id does not commit.
    KeyUnexpected,
    /// The answer has a text to which the id does not commit.
    ContextUnexpected,
    /// The text is not one that a phone may show.
    ContextMalformed,
    /// The id does not match the app, page, text and key.
    KeyMismatch,
    /// The answer lacks data that a phone shows.
    AnswerMalformed,
}

impl PhoneRefusal {
    /// Returns the mobile SDK's name for the reason, such as `key_mismatch`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LinkMalformed => "link_malformed",
            Self::LinkInsecure => "link_insecure",
            Self::SessionIdMissing => "session_id_missing",
            Self::SessionIdMalformed => "session_id_malformed",
            Self::PlainRefused => "plain_refused",
            Self::KeyMissing => "key_missing",
            Self::KeyUnexpected => "key_unexpected",
            Self::ContextUnexpected => "context_unexpected",
            Self::ContextMalformed => "context_malformed",
            Self::KeyMismatch => "key_mismatch",
            Self::AnswerMalformed => "answer_malformed",
        }
    }
}

impl fmt::Display for PhoneRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
