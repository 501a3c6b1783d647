//! The HTTP client of the commands.

use std::fmt::Display;
use std::time::Duration;

use countersign_api::Causes;
use countersign_sdk::ServiceProblem;
use reqwest::{Client, RequestBuilder, StatusCode, redirect};

use crate::failure::Failure;
use crate::published_keys::PublishedKeys;
use crate::terminal::plain;

/// Timeout for an answer.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(15);

/// Returns an HTTP client for servers that the command's user chose.
pub(crate) fn client() -> Result<Client, Failure> {
    // Fails if another provider is already installed; that one is used then.
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

/// Sends a request and reads the answer.
pub(crate) async fn send(
    url: &str,
    request: RequestBuilder,
) -> Result<(StatusCode, String), Failure> {
    let mut response = request.send().await.map_err(|error| explain(url, &error))?;
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

/// Returns a service's refusal in one line, with a link to the service's documentation if the answer is a
/// problem.
pub(crate) fn refusal(url: &str, status: StatusCode, answer: &str) -> String {
    let problem = ServiceProblem::read(status.as_u16(), answer.as_bytes());
    let link = problem.and_then(|problem| problem_link(url, &problem.code));
    let answer = answer.trim();
    link.map_or_else(|| answer.to_owned(), |link| format!("{answer} See {link}"))
}

/// Describes the attempted action, and why the service at `url` refused it.
pub(crate) fn refused(tried: &str, url: &str, problem: &ServiceProblem) -> Failure {
    let detail = problem.detail.as_ref();
    let detail = detail.map_or(String::new(), |detail| format!(". {}", plain(detail)));
    let (title, code) = (plain(&problem.title), plain(&problem.code));
    let link = problem_link(url, &code);
    let link = link.map_or(String::new(), |link| format!(", see {link}"));
    Failure::new(format!("{tried}: {title}{detail} ({code}){link}"))
}

/// Describes an answer that no Countersign service would give.
pub(crate) fn not_ours(url: &str, answer: impl Display) -> Failure {
    Failure::new(format!(
        "{url} answered {answer}, so it is not a Countersign service; choose another with --service"
    ))
}

/// Returns the link to the documentation of a problem at `url`; `None` if the code is malformed.
fn problem_link(url: &str, code: &str) -> Option<String> {
    let form = |c: u8| c.is_ascii_lowercase() || c == b'_';
    let well_formed = (1..=64).contains(&code.len()) && code.bytes().all(form);
    well_formed.then(|| format!("{url}/problems/{code}"))
}

/// Fetches the keys published by the server at `url`.
pub(crate) async fn published_keys(client: &Client, url: &str) -> Result<PublishedKeys, Failure> {
    let (status, body) = send(url, client.get(format!("{url}/.well-known/jwks.json"))).await?;
    if status != StatusCode::OK {
        return Err(Failure::new(format!(
            "{url} publishes no keys: it answered {status}"
        )));
    }
    PublishedKeys::from_jwks(&body)
        .map_err(|error| Failure::because(format!("{url} publishes no keys"), &error))
}

/// Describes a failed request and suggests a remedy.
pub(crate) fn explain(url: &str, error: &reqwest::Error) -> Failure {
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
        let problem = r#"{"type":"/problems/not_found","title":"Not found","code":"not_found"}"#;
        let refusal = |answer: &str| refusal(url, StatusCode::NOT_FOUND, answer);
        let link = "https://text.example.com/problems/not_found";
        assert_eq!(refusal(problem), format!("{problem} See {link}"));
        for other in [
            "Bad Gateway",
            r#"{"title":"","code":"../x"}"#,
            r#"{"title":"","code":""}"#,
            "{}",
        ] {
            assert_eq!(refusal(&format!("{other}\n")), other);
        }
    }
}
