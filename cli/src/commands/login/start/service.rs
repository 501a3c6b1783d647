//! The service, as the app's server calls it.

use countersign_domain::app::api_key::PresentedApiKey;
use countersign_domain::login::BrowserToken;
use countersign_domain::primitives::ids::LoginId;
use reqwest::{Client, Method, RequestBuilder, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::commands::web;
use crate::failure::Failure;

/// A service, with the API key of an app.
pub(super) struct Service {
    client: Client,
    url: String,
    api_key: PresentedApiKey,
}

#[derive(Deserialize)]
struct Created {
    url: String,
}

#[derive(Deserialize)]
struct Status {
    state: String,
}

/// The answer to a redemption, still encrypted.
#[derive(Deserialize)]
pub(super) struct Redeemed {
    pub(super) payload: String,
    pub(super) proof: Option<String>,
}

/// The parts of a problem (RFC 9457) that people see.
#[derive(Deserialize)]
struct ProblemBody {
    title: String,
    detail: Option<String>,
    code: String,
}

impl Service {
    /// Connects to the service at a URL without a trailing slash.
    pub(super) fn at(url: String, api_key: PresentedApiKey) -> Result<Self, Failure> {
        Ok(Self {
            client: web::client()?,
            url,
            api_key,
        })
    }

    /// Opens a login and returns its link. The id follows from the request, so this can be repeated.
    pub(super) async fn create(
        &self,
        token: &BrowserToken,
        body: &Value,
    ) -> Result<String, Failure> {
        let request = self
            .request(Method::POST, "/qr-sessions", token)
            .header("x-api-key", self.api_key.reveal());
        let created: Created = self
            .ask("the login is not opened", with(request, body))
            .await?;
        Ok(created.url)
    }

    /// Returns the state of a login.
    pub(super) async fn state(&self, id: LoginId, token: &BrowserToken) -> Result<String, Failure> {
        let request = self.request(Method::GET, &format!("/qr-sessions/{id}"), token);
        let status: Status = self.ask("the login cannot be seen", request).await?;
        Ok(status.state)
    }

    /// Redeems the payload. A sealed one is answered again to the same receipt.
    pub(super) async fn redeem(
        &self,
        id: LoginId,
        token: &BrowserToken,
        receipt: &str,
    ) -> Result<Redeemed, Failure> {
        let path = format!("/qr-sessions/{id}/redeem");
        let body = json!({"receipt": receipt});
        let request = with(self.request(Method::POST, &path, token), &body);
        self.ask("the payload is not redeemed", request).await
    }

    fn request(&self, method: Method, path: &str, token: &BrowserToken) -> RequestBuilder {
        let url = format!("{}{path}", self.url);
        self.client.request(method, url).bearer_auth(token.reveal())
    }

    /// Sends a request that is safe to repeat, repeats it once if there is no answer, and parses the
    /// answer of a granted one.
    async fn ask<T: DeserializeOwned>(
        &self,
        tried: &str,
        request: RequestBuilder,
    ) -> Result<T, Failure> {
        let again = request.try_clone();
        let answer = match (web::send(&self.url, request).await, again) {
            (Err(_), Some(again)) => web::send(&self.url, again).await,
            (answer, _) => answer,
        };
        let (status, body) = answer?;
        let not_ours = || {
            Failure::new(format!(
                "{} answered {status}, so it is not a Countersign service; choose another with --service",
                self.url
            ))
        };
        if status == StatusCode::OK {
            return serde_json::from_str(&body).map_err(|_| not_ours());
        }
        let problem: ProblemBody = serde_json::from_str(&body).map_err(|_| not_ours())?;
        let ProblemBody {
            title,
            detail,
            code,
        } = problem;
        let detail = detail.map_or(String::new(), |detail| format!(". {detail}"));
        Err(Failure::new(format!("{tried}: {title}{detail} ({code})")))
    }
}

fn with(request: RequestBuilder, body: &Value) -> RequestBuilder {
    request
        .header(reqwest::header::CONTENT_TYPE, "application/json")
        .body(body.to_string())
}
