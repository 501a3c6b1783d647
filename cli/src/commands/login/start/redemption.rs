//! Redeems a login as its browser does; the server library leaves this to browsers.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_domain::login::CheckCode;
use countersign_domain::primitives::entropy::Entropy as _;
use countersign_sdk::ServiceProblem;
use countersign_system::entropy::OsEntropy;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, StatusCode};
use serde::Deserialize;
use serde_json::json;

use super::Login;
use crate::commands::caller::Caller;
use crate::commands::web;
use crate::failure::Failure;

/// The browser of a login.
pub(super) struct Browser<'a> {
    client: Client,
    service: &'a str,
    login: &'a Login,
    /// The service returns a sealed payload again for the same receipt.
    receipt: String,
}

/// The answer to a redemption, still encrypted.
#[derive(Deserialize)]
pub(super) struct Redeemed {
    pub(super) payload: String,
    pub(super) proof: Option<String>,
}

/// The outcome of a redemption.
pub(super) enum Redemption {
    /// The payload.
    Redeemed(Redeemed),
    /// The check code is wrong.
    WrongCode {
        /// Number of further wrong codes that block the login; at least 1.
        tries_left: u8,
    },
    /// The login is blocked.
    Blocked,
}

/// The additional member of the problem `check_code_wrong`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WrongCode {
    tries_left: u8,
}

impl<'a> Browser<'a> {
    pub(super) fn new(caller: &'a Caller, login: &'a Login) -> Result<Self, Failure> {
        let mut receipt = [0; 16];
        OsEntropy.fill(&mut receipt);
        Ok(Self {
            client: web::client()?,
            service: &caller.url,
            login,
            receipt: BASE64_URL_SAFE_NO_PAD.encode(receipt),
        })
    }

    /// Redeems the payload, with the digits that the phone shows if the login needs them. The service counts the
    /// same wrong code only once.
    pub(super) async fn redeem(&self, code: Option<CheckCode>) -> Result<Redemption, Failure> {
        let mut body = json!({"receipt": self.receipt});
        if let Some(code) = code {
            body["checkCode"] = code.digits().into();
        }
        let body = body.to_string();
        let answer = match self.send(&body).await {
            // The request may be repeated, and is retried once.
            Err(_) => self.send(&body).await,
            answer => answer,
        };
        let (status, answer) = answer?;
        let not_ours = || web::not_ours(self.service, status);
        if status == StatusCode::OK {
            let redeemed = serde_json::from_str(&answer).map_err(|_| not_ours())?;
            return Ok(Redemption::Redeemed(redeemed));
        }
        let problem = ServiceProblem::read(status.as_u16(), answer.as_bytes());
        let problem = problem.ok_or_else(not_ours)?;
        match (problem.code.as_str(), serde_json::from_str(&answer)) {
            ("check_code_wrong", Ok(WrongCode { tries_left })) => {
                Ok(Redemption::WrongCode { tries_left })
            }
            ("session_blocked", _) => Ok(Redemption::Blocked),
            _ => Err(web::refused(
                "the payload is not redeemed",
                self.service,
                &problem,
            )),
        }
    }

    async fn send(&self, body: &str) -> Result<(StatusCode, String), Failure> {
        let url = format!("{}/qr-sessions/{}/redeem", self.service, self.login.id);
        let request = self.client.post(url).bearer_auth(self.login.token.reveal());
        let request = request.header(CONTENT_TYPE, "application/json");
        web::send(self.service, request.body(body.to_owned())).await
    }
}
