//! The HTTP client of the commands.

use std::time::Duration;

use countersign_api::Causes;
use reqwest::{Client, RequestBuilder, Response, StatusCode, redirect};

use crate::failure::Failure;
use crate::published_keys::PublishedKeys;

/// Time limit for an answer.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(15);

/// Returns an HTTP client for servers that the person at the terminal chose.
pub(super) fn client() -> Result<Client, Failure> {
    // Another provider may already be installed; then that one is used.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        .http1_only()
        .no_proxy()
        .redirect(redirect::Policy::none())
        .timeout(REQUEST_TIMEOUT)
        .build()
        .map_err(|error| Failure::because("cannot create an HTTP client", &error))
}

/// Maximum size of an answer, in bytes.
const MAX_ANSWER: usize = 1 << 20;

/// Sends a request and [reads](read) the answer.
pub(super) async fn send(
    url: &str,
    request: RequestBuilder,
) -> Result<(StatusCode, String), Failure> {
    let response = request.send().await.map_err(|error| explain(url, &error))?;
    read(url, response).await
}

/// Reads a whole answer, unless it is larger than any of ours.
pub(super) async fn read(
    url: &str,
    mut response: Response,
) -> Result<(StatusCode, String), Failure> {
    let status = response.status();
    let mut body = Vec::new();
    while let Some(chunk) = response
        .chunk()
        .await
        .map_err(|error| explain(url, &error))?
    {
        if body.len() + chunk.len() > MAX_ANSWER {
            return Err(Failure::new(format!(
                "{url} answers more than {MAX_ANSWER} bytes"
            )));
        }
        body.extend_from_slice(&chunk);
    }
    Ok((status, String::from_utf8_lossy(&body).into_owned()))
}

/// Fetches the keys that the server at `url` publishes.
pub(super) async fn published_keys(client: &Client, url: &str) -> Result<PublishedKeys, Failure> {
    let (status, body) = send(url, client.get(format!("{url}/.well-known/jwks.json"))).await?;
    if status != StatusCode::OK {
        return Err(Failure::new(format!(
            "{url} publishes no keys: it answered {status}"
        )));
    }
    PublishedKeys::from_jwks(&body)
        .map_err(|error| Failure::because(format!("{url} publishes no keys"), &error))
}

/// Describes a failed request and what to do about it.
pub(super) fn explain(url: &str, error: &reqwest::Error) -> Failure {
    if error.is_connect() {
        Failure::new(format!(
            "nothing answers at {url}: is the server running? Start `countersign serve` in another \
             terminal, or name its directory with --data ({})",
            Causes(error)
        ))
    } else {
        error.into()
    }
}
