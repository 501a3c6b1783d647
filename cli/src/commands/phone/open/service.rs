//! The service that a phone calls.

use async_trait::async_trait;
use countersign_sdk::{
    AnswerFault, Header, Http, MAX_ANSWER_BYTES, NetworkError, Request, Response, SdkError,
};
use reqwest::Client;

use crate::commands::web;
use crate::failure::Failure;

pub(super) struct Service {
    client: Client,
    name: String,
    url: String,
}

impl Service {
    /// Connects to the service at `url`; the phone addresses it by `name`. Both are URLs without a trailing
    /// slash.
    pub(super) fn at(name: String, url: String) -> Result<Self, Failure> {
        let client = web::client()?;
        Ok(Self { client, name, url })
    }

    async fn exchange(&self, request: Request) -> Result<Response, NetworkError> {
        let url = match request.url.strip_prefix(&self.name) {
            Some(path) => format!("{}{path}", self.url),
            None => request.url,
        };
        let mut sent = self.client.post(url).body(request.body);
        for Header { name, value } in request.headers {
            sent = sent.header(name, value);
        }
        let mut response = sent.send().await.map_err(|error| self.no_answer(&error))?;
        let mut body = Vec::new();
        loop {
            let chunk = response.chunk().await;
            let Some(chunk) = chunk.map_err(|error| self.no_answer(&error))? else {
                break;
            };
            if body.len() + chunk.len() > MAX_ANSWER_BYTES {
                return Err(NetworkError::AnswerTooLong);
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Response {
            status: response.status().as_u16(),
            headers: Vec::new(),
            body,
        })
    }

    /// A request that did not reach the service is not retried: on a terminal, the user sees why.
    fn no_answer(&self, error: &reqwest::Error) -> NetworkError {
        let detail = web::explain(&self.url, error).to_string();
        if error.is_connect() || error.is_builder() {
            NetworkError::Permanent { detail }
        } else {
            NetworkError::Temporary { detail }
        }
    }
}

#[async_trait]
impl Http for Service {
    async fn send(&self, request: Request) -> Result<Response, NetworkError> {
        self.exchange(request).await
    }
}

/// Describes why an action on a login of this service failed.
pub(super) fn explain(tried: &str, url: &str, error: &SdkError) -> Failure {
    if let Some(problem) = error.problem() {
        return web::refused(tried, url, problem);
    }
    match error {
        SdkError::MalformedAnswer(AnswerFault::NotALogin) => {
            Failure::new("the service did not answer with a login; is it a Countersign service?")
        }
        SdkError::MalformedAnswer(what @ AnswerFault::WrongTime) => {
            Failure::new(format!("{url} answered {what}"))
        }
        SdkError::MalformedAnswer(what) => web::not_ours(url, what),
        SdkError::KeyMismatch(mismatch) => Failure::new(format!(
            "{mismatch}: somebody may be trying to read along. The payload was not sent; do not log \
             in this way"
        )),
        SdkError::PlainRefused => Failure::new(
            "the page's browser has no key, so the service could read the payload; add \
             --allow-unencrypted if the app is meant to allow that",
        ),
        SdkError::Network { detail } => Failure::new(detail.as_str()),
        error => Failure::because("the payload was not sent", error),
    }
}
