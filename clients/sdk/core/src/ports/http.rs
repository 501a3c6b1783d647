//! The port of HTTP.

use std::fmt;

use async_trait::async_trait;
use thiserror::Error;

/// Maximum size of an answer's body that the core reads, in bytes. An implementation should stop
/// reading there, because a service that cheats may never stop sending.
pub const MAX_ANSWER_BYTES: usize = 64 << 10;

/// A header of a request or an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "uniffi", derive(uniffi::Record))]
pub struct Header {
    /// The name, in lower case in requests.
    pub name: String,
    /// The value.
    pub value: String,
}

impl Header {
    pub(crate) fn new(name: &str, value: impl Into<String>) -> Self {
        let (name, value) = (name.to_owned(), value.into());
        Self { name, value }
    }
}

/// A POST request. `Debug` hides headers and body, which contain the phone's token and the payload.
#[derive(Clone, PartialEq, Eq)]
#[cfg_attr(feature = "uniffi", derive(uniffi::Record))]
pub struct Request {
    /// The absolute URL, of the configured service.
    pub url: String,
    /// The headers, to be sent unmodified.
    pub headers: Vec<Header>,
    /// The body.
    pub body: Vec<u8>,
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

/// An answer, whatever its status.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "uniffi", derive(uniffi::Record))]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// The headers. The core only reads `retry-after`.
    pub headers: Vec<Header>,
    /// The body, decoded if it was compressed.
    pub body: Vec<u8>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[cfg_attr(feature = "uniffi", derive(uniffi::Error))]
pub enum NetworkError {
    /// The service was not reached, or its answer was lost; a retry may succeed. The request may
    /// have taken effect; all requests of the core can be repeated.
    #[error("{detail}")]
    Temporary {
        /// The cause, for logs.
        detail: String,
    },
    /// A retry would fail too, for example because of an invalid certificate.
    #[error("{detail}")]
    Permanent {
        /// The cause, for logs.
        detail: String,
    },
    /// The answer is longer than [`MAX_ANSWER_BYTES`].
    #[error("the answer is too long")]
    AnswerTooLong,
}

/// Sends HTTP requests.
#[cfg_attr(feature = "uniffi", uniffi::export(with_foreign))]
#[async_trait]
pub trait Http: Send + Sync {
    /// Sends a POST request and returns the whole answer, whatever its status.
    ///
    /// Implementations MUST verify the server's certificate, MUST NOT follow redirects, and MUST NOT
    /// retry a request themselves. The future may be dropped; the request may or may not have been
    /// sent by then.
    async fn send(&self, request: Request) -> Result<Response, NetworkError>;
}
