//! Fetching a document under the same rules as webhooks.

use bytes::{Bytes, BytesMut};
use countersign_domain::web::callback_url::CallbackUrl;
use http::header::{ACCEPT_ENCODING, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue};
use reqwest::RequestBuilder;
use thiserror::Error;

use super::{Failure, WebhookClient};

/// Why a document could not be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FetchError {
    /// No answer arrived.
    #[error(transparent)]
    NoAnswer(#[from] Failure),
    /// The answer's status is not 200.
    #[error("answered {0}")]
    Status(u16),
    /// The document is larger than allowed.
    #[error("the document is too large")]
    TooLarge,
}

impl WebhookClient {
    /// Fetches a document of at most `max` bytes with GET, on a new connection.
    ///
    /// # Errors
    ///
    /// Fails if the URL or an address is refused, the whole document does not arrive in time, the
    /// status is not 200, or the document is larger than `max`.
    pub async fn get(&self, url: &CallbackUrl, max: usize) -> Result<Bytes, FetchError> {
        url.check(&self.policy).map_err(Failure::RefusedUrl)?;
        let request = self.unpooled.get(url.as_url().clone());
        self.in_time(read_whole(request, max)).await
    }

    /// Calls an API on a pooled connection: with POST if there is a body, with GET otherwise.
    /// Returns the answer, of at most `max` bytes.
    ///
    /// # Errors
    ///
    /// Fails like [`get`](Self::get).
    pub async fn call(
        &self,
        url: &CallbackUrl,
        headers: HeaderMap,
        body: Option<Bytes>,
        max: usize,
    ) -> Result<Bytes, FetchError> {
        url.check(&self.policy).map_err(Failure::RefusedUrl)?;
        let (http, to) = (self.http_for(url), url.as_url().clone());
        let request = match body {
            None => http.get(to),
            Some(body) => http.post(to).body(body),
        };
        let request = request
            .headers(headers)
            .header(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        self.in_time(read_whole(request, max)).await
    }

    /// Asks for a file with GET, on a new connection, and returns whatever the server answers. Of the body, at most
    /// `max` bytes are read.
    ///
    /// # Errors
    ///
    /// Fails if the URL or an address is refused, or the answer does not arrive in time.
    pub async fn look(&self, url: &CallbackUrl, max: usize) -> Result<SeenFile, Failure> {
        url.check(&self.policy).map_err(Failure::RefusedUrl)?;
        let request = self.unpooled.get(url.as_url().clone());
        let seen = tokio::time::timeout(self.limits.total, read_any(request, max)).await;
        seen.unwrap_or(Err(Failure::Timeout))
    }

    async fn in_time(
        &self,
        fetched: impl Future<Output = Result<Bytes, FetchError>>,
    ) -> Result<Bytes, FetchError> {
        let fetched = tokio::time::timeout(self.limits.total, fetched).await;
        fetched.unwrap_or(Err(FetchError::NoAnswer(Failure::Timeout)))
    }
}

/// A server's answer to a request for a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenFile {
    pub status: u16,
    /// The media type, in lower case and without parameters.
    pub media_type: Option<String>,
    /// The first bytes of the body; `None` if there are more than asked for.
    pub body: Option<Bytes>,
}

/// Sends a request and reads any answer.
async fn read_any(request: RequestBuilder, max: usize) -> Result<SeenFile, Failure> {
    let failed = |error: reqwest::Error| Failure::from_reqwest(&error);
    let mut response = request.send().await.map_err(failed)?;
    let media_type = response.headers().get(CONTENT_TYPE);
    let media_type = media_type.and_then(|value| value.to_str().ok());
    let media_type = media_type.and_then(|value| value.split(';').next());
    let mut seen = SeenFile {
        status: response.status().as_u16(),
        media_type: media_type.map(|name| name.trim().to_ascii_lowercase()),
        body: None,
    };
    let mut body = BytesMut::new();
    while let Some(chunk) = response.chunk().await.map_err(failed)? {
        if body.len() + chunk.len() > max {
            return Ok(seen);
        }
        body.extend_from_slice(&chunk);
    }
    seen.body = Some(body.freeze());
    Ok(seen)
}

/// Sends a request and reads the whole answer.
async fn read_whole(request: RequestBuilder, max: usize) -> Result<Bytes, FetchError> {
    let failed = |error: reqwest::Error| Failure::from_reqwest(&error);
    let mut response = request.send().await.map_err(failed)?;
    if response.status() != http::StatusCode::OK {
        return Err(FetchError::Status(response.status().as_u16()));
    }
    let mut document = BytesMut::new();
    while let Some(chunk) = response.chunk().await.map_err(failed)? {
        if document.len() + chunk.len() > max {
            return Err(FetchError::TooLarge);
        }
        document.extend_from_slice(&chunk);
    }
    Ok(document.freeze())
}
