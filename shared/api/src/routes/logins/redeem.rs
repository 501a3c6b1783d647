//! `POST /qr-sessions/{id}/redeem`: hands the payload to the browser.

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::{Json, Router};
use countersign_domain::login::{
    BrowserBinding, BrowserToken, PhonePayload, Proof, Receipt, ReturnToken,
};
use countersign_domain::use_cases::logins;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::answer::about;
use super::path::PathId;
use super::problems;
use crate::extract::bearer::{self, Bearer};
use crate::extract::body;
use crate::extract::fields;
use crate::extract::json_body::{self, JsonBody};
use crate::middleware::rate_limit;
use crate::problem::{Problem, ProblemCode};
use crate::schema::problems::problems;
use crate::state::ApiState;

pub(super) const PATH: &str = "/qr-sessions/{id}/redeem";

problems![
    rate_limit::PROBLEMS,
    bearer::PROBLEMS,
    problems::PROBLEMS,
    body::PROBLEMS,
    json_body::PROBLEMS,
    fields::PROBLEMS,
    &[
        ProblemCode::FieldMissing,
        ProblemCode::ReceiptMalformed,
        ProblemCode::CheckCodeMalformed,
        ProblemCode::CheckCodeRequired,
        ProblemCode::CheckCodeWrong,
        ProblemCode::ReturnTokenMalformed,
        ProblemCode::ReturnTokenRequired,
        ProblemCode::SessionNotConfirmed,
        ProblemCode::SessionRedeemed,
    ],
    problems::ENDED_PROBLEMS,
];

/// The body of `POST /qr-sessions/{id}/redeem`.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RedeemSessionRequest {
    /// A receipt: 16 to 32 random bytes in base64url without padding, generated once for each
    /// redemption. With the same receipt, an encrypted payload can be fetched again if the answer
    /// was lost.
    #[schema(
        min_length = 22,
        max_length = 43,
        pattern = "^([A-Za-z0-9_-]{4}){5,10}([A-Za-z0-9_-][AQgw]|[A-Za-z0-9_-]{2}[AEIMQUYcgkosw048])?$",
        examples("nW0tT1kX1c0m7Q2bq8Xh5A"),
        value_type = String
    )]
    receipt: Option<String>,
    /// The two digits that the phone shows. Required if the session's `checkCodeRequired` is true,
    /// ignored if not.
    #[schema(pattern = "^[0-9]{2}$", examples("42"))]
    check_code: Option<String>,
    /// The token with which the app reopened the page: the part of its address after `#countersign=`, the session's id
    /// and the dot. Required if the app returned.
    #[schema(
        pattern = "^[A-Za-z0-9_-]{43}$",
        examples("mBq7wPKQ8DPZJ9x0R0R4l0bZ0s2mC1Xy5b3lYH2T7kE")
    )]
    return_token: Option<String>,
}

/// The data that the phone sent with its confirmation.
#[derive(Serialize, ToSchema)]
pub(crate) struct RedeemedPayload<'a> {
    /// The payload. If `encrypted` is true: base64url of HPKE's `enc || ciphertext`, for the key that
    /// the browser sent.
    #[schema(examples("session-token"))]
    payload: &'a str,
    /// Whether only the browser can read the payload. If so, the salt is encrypted with it.
    encrypted: bool,
    /// The salt of the proof of a readable payload, in base64url. Absent if the phone sent none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples("UUFMXVgyWm5rQ1ZKc0tXUQ"))]
    salt: Option<String>,
    /// The proof of who confirmed: a JWT, or five parts if a passkey signed it. Absent if the phone sent none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    proof: Option<&'a str>,
}

impl<'a> From<&'a PhonePayload> for RedeemedPayload<'a> {
    fn from(said: &'a PhonePayload) -> Self {
        Self {
            payload: said.payload().as_str(),
            encrypted: said.is_encrypted(),
            salt: said.salt().map(ToString::to_string),
            proof: said.proof().map(Proof::as_str),
        }
    }
}

pub(super) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, post(redeem))
}

/// Redeem the payload
///
/// Returns the payload of a confirmed login within a minute after the confirmation. A payload that
/// the service can read is returned once and erased. An encrypted payload is returned again to the
/// same receipt until the minute is over.
///
/// If the app wants it, the user types the two digits that the phone shows, and the page sends them as `checkCode`. If
/// the app returned to the page, the page sends `returnToken` instead. The third different wrong code blocks the login.
#[utoipa::path(
    post,
    path = PATH,
    operation_id = "redeemSession",
    tag = "logins",
    params(PathId),
    request_body(content = RedeemSessionRequest, description = "The receipt of this redemption; the digits that the user typed.",
        example = json!({"receipt": "nW0tT1kX1c0m7Q2bq8Xh5A"})),
    responses(
        (status = 200, description = "The payload, which no other receipt can redeem.",
            body = RedeemedPayload),
        Problems,
    ),
    security(("browserToken" = [])),
)]
pub(crate) async fn redeem(
    State(state): State<ApiState>,
    bearer: Bearer<BrowserToken>,
    JsonBody(body): JsonBody,
    id: PathId,
) -> Result<Response, Problem> {
    let RedeemSessionRequest {
        receipt,
        check_code,
        return_token,
    } = fields::read(&body)?;
    let (at, code) = ("/receipt", ProblemCode::ReceiptMalformed);
    let detail = "Send receipt: 16 to 32 random bytes in base64url, chosen for this redemption.";
    let receipt = fields::parsed::<Receipt>(receipt.as_deref(), at, code)?;
    let receipt = fields::required(receipt, at, detail)?;
    let (at, code) = ("/checkCode", ProblemCode::CheckCodeMalformed);
    let check_code = fields::parsed(check_code.as_deref(), at, code)?;
    let (at, code) = ("/returnToken", ProblemCode::ReturnTokenMalformed);
    let returned = fields::parsed::<ReturnToken>(return_token.as_deref(), at, code)?;
    let returned = returned.map(|token| BrowserBinding::Return(token.hash()));
    let shown = returned.or(check_code.map(BrowserBinding::CheckCode));
    let (id, token) = id.with_token(bearer)?;
    let redeemed = logins::redeem(state.login_ports()?, id, &token, &receipt, shown).await;
    let answer = redeemed
        .map_err(Problem::from)
        .map(|said| Json(RedeemedPayload::from(&said)).into_response());
    Ok(about(id, None, answer))
}
