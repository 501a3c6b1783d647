//! Fetching a document under the same rules as webhooks.

use bytes::{Bytes, BytesMut};
use countersign_domain::web::callback_url::CallbackUrl;
use http::header::ACCEPT_ENCODING;
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

    async fn in_time(
        &self,
        fetched: impl Future<Output = Result<Bytes, FetchError>>,
    ) -> Result<Bytes, FetchError> {
        let fetched = tokio::time::timeout(self.limits.total, fetched).await;
        fetched.unwrap_or(Err(FetchError::NoAnswer(Failure::Timeout)))
    }
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
