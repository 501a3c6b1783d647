//! `POST /qr-sessions/{id}/confirm`: the person confirms the login on the phone.

mod request;

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::{Json, Router};
use countersign_domain::login::MobileToken;
use countersign_domain::use_cases::logins;
use countersign_domain::use_cases::logins::ConfirmError;

use super::answer::about;
use super::decision;
use super::path::{PathId, identify};
use super::problems::{self, expired, not_found, wrong_status};
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
    problems::ENDED,
];

/// Returns the route.
pub(super) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, post(confirm))
}

/// Confirm a login
///
/// For the phone that opened the code, once the person has said yes. A payload for an id that begins
/// with `qrs_` must be encrypted, one for `qrp_` must not. Repeating the same confirmation returns the
/// same answer. If `riskStatus` was `deny`, the confirmation is refused and the login is
/// blocked. A proof by a registered key is verified, and required if the app requires proofs.
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
    let encrypted = payload.is_encrypted();
    let (id, token) = identify(id, bearer)?;
    let confirmed = logins::confirm(state.login_ports()?, id, &token, payload).await;
    let answer = confirmed.map_err(|error| problem(error, encrypted));
    Ok(about(id, None, answer.map(|()| Json(true).into_response())))
}

fn problem(error: ConfirmError, encrypted: bool) -> Problem {
    match error {
        ConfirmError::Unknown => not_found(),
        ConfirmError::Forbidden => Problem::new(ProblemCode::RiskDenied),
        ConfirmError::Unsuitable => Problem::new(ProblemCode::PayloadUnsuitable)
            .detail(if encrypted {
                "The browser has no key, so it could not decrypt the payload: do not encrypt it."
            } else {
                "The browser has a key: encrypt the payload for it."
            })
            .at("/payload"),
        ConfirmError::ProofRequired => Problem::new(ProblemCode::ProofRequired)
            .detail(
                "Sign what the person approved. If the app requires it, the key must be registered.",
            )
            .at("/proof"),
        ConfirmError::ProofInvalid => Problem::new(ProblemCode::ProofInvalid)
            .detail(
                "The key must be registered and not revoked, and the proof must agree with app, \
                 origin, session, payload and time.",
            )
            .at("/proof"),
        ConfirmError::ProofMismatch => Problem::new(ProblemCode::ProofMismatch)
            .detail("Sign with a key of the user whom initiate named.")
            .at("/proof"),
        ConfirmError::Ended(status) => wrong_status(status),
        ConfirmError::Expired => expired(),
        ConfirmError::Unavailable(cause) => cause.into(),
    }
}
