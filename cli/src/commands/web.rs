//! The HTTP client of the commands.

use std::time::Duration;

use countersign_api::Causes;
use reqwest::header::RETRY_AFTER;
use reqwest::{Client, RequestBuilder, Response, StatusCode, redirect};
use serde::Deserialize;

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

/// Sends a request as [`send`] does, again and again until the app's quota allows it.
pub(super) async fn send_within_quota(
    url: &str,
    request: impl Fn() -> RequestBuilder,
) -> Result<(StatusCode, String), Failure> {
    loop {
        let response = request().send().await;
        let response = response.map_err(|error| explain(url, &error))?;
        if response.status() != StatusCode::TOO_MANY_REQUESTS {
            return read(url, response).await;
        }
        let wait = response.headers().get(RETRY_AFTER);
        let wait = wait.and_then(|wait| wait.to_str().ok()?.parse().ok());
        tokio::time::sleep(Duration::from_secs(wait.unwrap_or(1))).await;
    }
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

/// Returns the answer of a service that refused, in one line, with the link to what the service says about the
/// problem, if it is one.
pub(super) fn refusal(url: &str, answer: &str) -> String {
    #[derive(Deserialize)]
    struct Problem {
        code: String,
    }
    let answer = answer.trim();
    let problem = serde_json::from_str::<Problem>(answer).ok();
    let link = problem.and_then(|problem| problem_link(url, &problem.code));
    link.map_or_else(|| answer.to_owned(), |link| format!("{answer} See {link}"))
}

/// Returns the link to what the service at `url` says about a problem; `None` if the code has not the form of one.
pub(super) fn problem_link(url: &str, code: &str) -> Option<String> {
    let form = |c: u8| c.is_ascii_lowercase() || c == b'_';
    let well_formed = (1..=64).contains(&code.len()) && code.bytes().all(form);
    well_formed.then(|| format!("{url}/problems/{code}"))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusal_names_the_link_of_a_problem_and_nothing_else() {
        let url = "https://text.example.com";
        let problem = r#"{"type":"/problems/not_found","code":"not_found"}"#;
        let link = "https://text.example.com/problems/not_found";
        assert_eq!(refusal(url, problem), format!("{problem} See {link}"));
        for other in ["Bad Gateway", r#"{"code":"../x"}"#, r#"{"code":""}"#, "{}"] {
            assert_eq!(refusal(url, &format!("{other}\n")), other);
        }
    }
}
