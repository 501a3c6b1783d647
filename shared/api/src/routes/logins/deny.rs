//! `POST /qr-sessions/{id}/deny`: the person denies the login on the phone.

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::{Json, Router};
use countersign_domain::login::token::Mobile;
use countersign_domain::use_cases::logins;
use countersign_domain::use_cases::logins::DenyError;

use super::answer::about;
use super::decision::{self, DecisionRequest};
use super::path::{PathId, identify};
use super::problems::{self, expired, not_found, wrong_status};
use crate::extract::bearer::{self, Bearer};
use crate::extract::json_body::{self, JsonBody};
use crate::extract::{body, fields};
use crate::middleware::rate_limit;
use crate::problem::{Problem, ProblemCode};
use crate::schema::problems::problems;
use crate::state::ApiState;

pub(super) const PATH: &str = "/qr-sessions/{id}/deny";

problems![
    rate_limit::PROBLEMS,
    bearer::PROBLEMS,
    problems::PROBLEMS,
    body::PROBLEMS,
    json_body::PROBLEMS,
    fields::PROBLEMS,
    decision::PROBLEMS,
    &[ProblemCode::SessionConfirmed],
    problems::ENDED,
];

/// Returns the route.
pub(super) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, post(deny))
}

/// Deny a login
///
/// For the phone that opened the code, once the person has said no. Repeating the request returns the
/// same answer.
#[utoipa::path(
    post,
    path = PATH,
    operation_id = "denySession",
    tag = "logins",
    params(PathId),
    request_body(content = DecisionRequest, description = "A message for the app's server, which gets it in the webhook.", examples(
        ("empty" = (summary = "No message", value = json!({"payload": ""}))),
        ("reason" = (summary = "With a message", value = json!({"payload": "not me"}))),
    )),
    responses(
        (status = 200, description = "`true`: the login is denied.",
            body = bool, content_type = "application/json"),
        Problems,
    ),
    security(("mobileToken" = [])),
)]
pub(crate) async fn deny(
    State(state): State<ApiState>,
    bearer: Bearer<Mobile>,
    JsonBody(body): JsonBody,
    id: PathId,
) -> Result<Response, Problem> {
    let payload = decision::payload(&body)?;
    let (id, token) = identify(id, bearer)?;
    let denied = logins::deny(state.login_ports()?, id, &token, payload).await;
    let answer = denied.map_err(problem);
    Ok(about(id, None, answer.map(|()| Json(true).into_response())))
}

fn problem(error: DenyError) -> Problem {
    match error {
        DenyError::Unknown => not_found(),
        DenyError::Ended(status) => wrong_status(status),
        DenyError::Expired => expired(),
        DenyError::Unavailable(cause) => cause.into(),
    }
}
