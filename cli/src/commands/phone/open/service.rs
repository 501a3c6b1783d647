//! The service that a phone calls.

use countersign_domain::app::AppKey;
use countersign_domain::login::{ClaimedUserId, DenyReason, MobileToken, PhonePayload};
use countersign_domain::primitives::ids::LoginId;
use reqwest::{Client, RequestBuilder, StatusCode};
use serde::Deserialize;
use serde_json::Value;

use super::screen::plain;
use crate::commands::web;
use crate::failure::Failure;
use crate::phone::calls::{self, Call};
use crate::phone::opened::{Opened, Unusable};

/// Maximum size of an answer, in bytes. The link names the service, so its answers are untrusted.
const MAX_ANSWER: usize = 64 << 10;

/// A service.
pub(super) struct Service {
    client: Client,
    url: String,
}

/// A phone that scanned a code.
pub(super) struct Phone {
    /// The service that the code belongs to.
    pub(super) service: Service,
    /// The login's id in the code.
    pub(super) id: LoginId,
    /// Identifies this phone to the service.
    pub(super) token: MobileToken,
}

/// The parts of a problem (RFC 9457) that people see.
#[derive(Deserialize)]
struct ProblemBody {
    title: String,
    detail: Option<String>,
    code: String,
}

/// Why there is no answer.
enum NoAnswer {
    Failed(reqwest::Error),
    TooLong,
}

impl NoAnswer {
    /// Whether the request may have arrived and only its answer is lost.
    fn is_lost(&self) -> bool {
        match self {
            Self::Failed(error) => !error.is_connect() && !error.is_builder(),
            Self::TooLong => false,
        }
    }
}

impl Service {
    /// Connects to the service at a URL without a trailing slash.
    pub(super) fn at(url: String) -> Result<Self, Failure> {
        Ok(Self {
            client: web::client()?,
            url,
        })
    }

    /// Sends a request that is safe to repeat, repeats it once if its answer is lost, and parses
    /// the answer of a granted one.
    async fn ask(&self, tried: &str, request: RequestBuilder) -> Result<Value, Failure> {
        let again = request.try_clone();
        let answer = match (exchange(request).await, again) {
            (Err(lost), Some(again)) if lost.is_lost() => exchange(again).await,
            (answer, _) => answer,
        };
        let (status, body) = answer.map_err(|error| match error {
            NoAnswer::Failed(error) => web::explain(&self.url, &error),
            NoAnswer::TooLong => self.not_ours("more than a Countersign service sends"),
        })?;
        let read: Option<Value> = serde_json::from_slice(&body).ok();
        match read {
            Some(value) if status == StatusCode::OK => Ok(value),
            Some(value) => match serde_json::from_value(value) {
                Ok(problem) => Err(refused(tried, problem)),
                Err(_) => Err(self.not_ours(status)),
            },
            None => Err(self.not_ours(status)),
        }
    }

    fn not_ours(&self, answer: impl std::fmt::Display) -> Failure {
        let url = &self.url;
        Failure::new(format!(
            "{url} answered {answer}, so it is not a Countersign service; choose another with --service"
        ))
    }
}

impl Phone {
    /// Opens the login. If the id in the code does not vouch for what the service answers, blocks
    /// the login, so that the browser need not wait, and fails.
    pub(super) async fn open(
        &self,
        app: &AppKey,
        user: Option<&ClaimedUserId>,
    ) -> Result<Opened, Failure> {
        let request = self.request(&calls::initiate(self.id, user));
        let request = request.header("x-app-key", app.as_str());
        let answer = self
            .service
            .ask("the login cannot be opened", request)
            .await?;
        let opened = Opened::read(answer, self.id, app);
        if let Err(Unusable::Mismatch(_)) = opened {
            let reason = Some(DenyReason::KeyMismatch);
            let denial = self.request(&calls::deny(self.id, "", reason));
            // The service may be the one that cheats, so its answer changes nothing.
            let _ = self.service.ask("the login is not denied", denial).await;
        }
        opened.map_err(|error| Failure::new(error.to_string()))
    }

    /// Confirms the login.
    pub(super) async fn confirm(&self, said: &PhonePayload) -> Result<(), Failure> {
        let call = calls::confirm(self.id, said);
        self.decide("the login is not confirmed", &call).await
    }

    /// Denies the login for the person.
    pub(super) async fn deny(&self, payload: &str) -> Result<(), Failure> {
        let call = calls::deny(self.id, payload, None);
        self.decide("the login is not denied", &call).await
    }

    async fn decide(&self, tried: &str, call: &Call) -> Result<(), Failure> {
        let answer = self.service.ask(tried, self.request(call)).await?;
        if answer == true {
            Ok(())
        } else {
            Err(self.service.not_ours("something other than true"))
        }
    }

    fn request(&self, Call { path, body }: &Call) -> RequestBuilder {
        let Service { client, url } = &self.service;
        client
            .post(format!("{url}{path}"))
            .bearer_auth(self.token.reveal())
            .header(reqwest::header::CONTENT_TYPE, "application/json")
            .body(body.to_string())
    }
}

async fn exchange(request: RequestBuilder) -> Result<(StatusCode, Vec<u8>), NoAnswer> {
    let mut response = request.send().await.map_err(NoAnswer::Failed)?;
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(NoAnswer::Failed)? {
        if body.len() + chunk.len() > MAX_ANSWER {
            return Err(NoAnswer::TooLong);
        }
        body.extend_from_slice(&chunk);
    }
    Ok((response.status(), body))
}

fn refused(tried: &str, problem: ProblemBody) -> Failure {
    let ProblemBody {
        title,
        detail,
        code,
    } = problem;
    let detail = detail.map_or(String::new(), |detail| format!(". {}", plain(&detail)));
    let (title, code) = (plain(&title), plain(&code));
    Failure::new(format!("{tried}: {title}{detail} ({code})"))
}
