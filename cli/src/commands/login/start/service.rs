//! The service, as the app's server calls it.

use countersign_domain::app::api_key::PresentedApiKey;
use countersign_domain::login::{BrowserToken, CheckCode};
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

/// A login that the service opened.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Created {
    pub(super) url: String,
    /// True if it is redeemed only with the digits that the phone shows.
    #[serde(default)]
    pub(super) check_code_required: bool,
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

/// The answer to a redemption.
pub(super) enum Redemption {
    /// The payload.
    Redeemed(Redeemed),
    /// The check code is wrong; this many more wrong ones block the login.
    WrongCode {
        /// At least 1.
        tries_left: u8,
    },
    /// The login is blocked.
    Blocked,
}

/// The parts of a problem (RFC 9457) that are used here.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ProblemBody {
    title: String,
    detail: Option<String>,
    code: String,
    tries_left: Option<u8>,
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

    /// Opens a login. The id follows from the request, so this can be repeated.
    pub(super) async fn create(
        &self,
        token: &BrowserToken,
        body: &Value,
    ) -> Result<Created, Failure> {
        let request = self
            .request(Method::POST, "/qr-sessions", token)
            .header("x-api-key", self.api_key.reveal());
        self.ask("the login is not opened", with(request, body))
            .await
    }

    pub(super) async fn state(&self, id: LoginId, token: &BrowserToken) -> Result<String, Failure> {
        let request = self.request(Method::GET, &format!("/qr-sessions/{id}"), token);
        let status: Status = self.ask("the login cannot be seen", request).await?;
        Ok(status.state)
    }

    /// Redeems the payload, with the digits that the phone shows if the login needs them. A sealed
    /// payload is answered again to the same receipt, and the same wrong code counts once.
    pub(super) async fn redeem(
        &self,
        id: LoginId,
        token: &BrowserToken,
        receipt: &str,
        check_code: Option<CheckCode>,
    ) -> Result<Redemption, Failure> {
        let path = format!("/qr-sessions/{id}/redeem");
        let mut body = json!({"receipt": receipt});
        if let Some(code) = check_code {
            body["checkCode"] = code.digits().into();
        }
        let request = with(self.request(Method::POST, &path, token), &body);
        let problem = match self.attempt(request).await? {
            Ok(redeemed) => return Ok(Redemption::Redeemed(redeemed)),
            Err(problem) => problem,
        };
        match (problem.code.as_str(), problem.tries_left) {
            ("check_code_wrong", Some(tries_left)) => Ok(Redemption::WrongCode { tries_left }),
            ("session_blocked", _) => Ok(Redemption::Blocked),
            _ => Err(self.refused("the payload is not redeemed", problem)),
        }
    }

    fn request(&self, method: Method, path: &str, token: &BrowserToken) -> RequestBuilder {
        let url = format!("{}{path}", self.url);
        self.client.request(method, url).bearer_auth(token.reveal())
    }

    /// Sends a request like [`attempt`](Self::attempt). A refusal is a failure.
    async fn ask<T: DeserializeOwned>(
        &self,
        tried: &str,
        request: RequestBuilder,
    ) -> Result<T, Failure> {
        let answer = self.attempt(request).await?;
        answer.map_err(|problem| self.refused(tried, problem))
    }

    /// Sends a request that is safe to repeat, repeats it once without an answer, and parses the
    /// answer.
    async fn attempt<T: DeserializeOwned>(
        &self,
        request: RequestBuilder,
    ) -> Result<Result<T, ProblemBody>, Failure> {
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
        let read = if status == StatusCode::OK {
            serde_json::from_str(&body).map(Ok)
        } else {
            serde_json::from_str(&body).map(Err)
        };
        read.map_err(|_| not_ours())
    }

    fn refused(&self, tried: &str, problem: ProblemBody) -> Failure {
        let ProblemBody {
            title,
            detail,
            code,
            tries_left: _,
        } = problem;
        let detail = detail.map_or(String::new(), |detail| format!(". {detail}"));
        let link = web::problem_link(&self.url, &code);
        let link = link.map_or(String::new(), |link| format!(", see {link}"));
        Failure::new(format!("{tried}: {title}{detail} ({code}){link}"))
    }
}

fn with(request: RequestBuilder, body: &Value) -> RequestBuilder {
    request
        .header(reqwest::header::CONTENT_TYPE, "application/json")
        .body(body.to_string())
}
