//! `POST /qr-sessions/{id}/confirm`: the user confirms the login on the phone.

mod request;

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::{Json, Router};
use countersign_domain::login::MobileToken;
use countersign_domain::use_cases::logins;

use super::answer::about;
use super::decision;
use super::path::PathId;
use super::problems;
use crate::extract::bearer::{self, Bearer};
use crate::extract::json_body::{self, JsonBody};
use crate::extract::{body, fields};
use crate::middleware::rate_limit;
use crate::problem::{Problem, ProblemCode};
use crate::schema::problems::problems;
use crate::state::ApiState;
use request::ConfirmSessionRequest;

pub(super) const PATH: &str = "/qr-sessions/{id}/confirm";

problems![
    rate_limit::PROBLEMS,
    bearer::PROBLEMS,
    problems::PROBLEMS,
    body::PROBLEMS,
    json_body::PROBLEMS,
    fields::PROBLEMS,
    decision::PROBLEMS,
    request::PROBLEMS,
    &[
        ProblemCode::PayloadUnsuitable,
        ProblemCode::RiskDenied,
        ProblemCode::ProofRequired,
        ProblemCode::ProofInvalid,
        ProblemCode::ProofMismatch,
        ProblemCode::SessionConfirmed,
    ],
    problems::ENDED_PROBLEMS,
];

pub(super) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, post(confirm))
}

/// Confirm a login
///
/// For the phone that opened the code, once the user has agreed. A payload for an id that begins with
/// `qrs_` must be encrypted, one for `qrp_` must not. Repeating the same confirmation returns the same
/// answer. If `riskStatus` was `deny`, the confirmation is refused and the login is blocked. A proof
/// by a registered key is verified, and required if the app requires proofs.
#[utoipa::path(
    post,
    path = PATH,
    operation_id = "confirmSession",
    tag = "logins",
    params(PathId),
    request_body(content = ConfirmSessionRequest, description = "The payload for the browser.", examples(
        ("encrypted" = (summary = "Encrypted for the browser's key", value = json!({"payload": "BAswVXqfxOkOM1h9osfsETZbgKXK7xQ5XoOozfIXPGGGq9D1Gj9kia7T-B1CZ4yx1vsgRWqPtNn-I0htkrfcASYk0pD-qv8QZ1m6F0cWvT3uYw2nJc5kRaLh", "encrypted": true}))),
        ("readable" = (summary = "Not encrypted, for a browser without a key", value = json!({"payload": "session-token"}))),
    )),
    responses(
        (status = 200, description = "`true`: the payload waits for the browser.",
            body = bool, content_type = "application/json"),
        Problems,
    ),
    security(("mobileToken" = [])),
)]
pub(crate) async fn confirm(
    State(state): State<ApiState>,
    bearer: Bearer<MobileToken>,
    JsonBody(body): JsonBody,
    id: PathId,
) -> Result<Response, Problem> {
    let payload = request::parse(&body)?;
    let (id, token) = id.with_token(bearer)?;
    let confirmed = logins::confirm(state.login_ports()?, id, &token, payload).await;
    let answer = confirmed.map_err(Problem::from);
    Ok(about(id, None, answer.map(|()| Json(true).into_response())))
}
