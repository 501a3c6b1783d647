//! `POST /qr-sessions/{id}/check-code`: the page of a login that the app's server opened sends the digits.

use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use countersign_domain::login::{CheckCode, LoginPageToken};
use countersign_domain::use_cases::logins;
use http::StatusCode;
use serde::Deserialize;
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

pub(super) const PATH: &str = "/qr-sessions/{id}/check-code";

const CHECK_CODE: &str = "/checkCode";

problems![
    rate_limit::PROBLEMS,
    bearer::PROBLEMS,
    problems::PROBLEMS,
    body::PROBLEMS,
    json_body::PROBLEMS,
    fields::PROBLEMS,
    &[
        ProblemCode::FieldMissing,
        ProblemCode::CheckCodeMalformed,
        ProblemCode::CheckCodeWrong,
        ProblemCode::ReturnTokenRequired,
        ProblemCode::SessionNotConfirmed,
        ProblemCode::SessionConfirmed,
    ],
    problems::ENDED_PROBLEMS,
];

/// The body of `POST /qr-sessions/{id}/check-code`.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CheckSessionRequest {
    /// The two digits that the phone shows.
    #[schema(pattern = "^[0-9]{2}$", examples("42"), value_type = String)]
    check_code: Option<String>,
}

pub(super) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, post(check_code))
}

/// Send the check code
///
/// For the page of a login that the app's server opened and controls, with the watch-only token: the user types the two
/// digits that the phone shows. If they are right, the login is consumed: the app's server reads the proof, and no
/// payload is left to redeem. Sending them again gets the same answer. The third different wrong code blocks the login.
///
/// A server that redeems the payload itself sends the digits with `POST /qr-sessions/{id}/redeem` instead.
#[utoipa::path(
    post,
    path = PATH,
    operation_id = "checkSession",
    tag = "logins",
    params(PathId),
    request_body(content = CheckSessionRequest, description = "The digits that the user typed.",
        example = json!({"checkCode": "42"})),
    responses((status = 204, description = "The digits are right."), Problems),
    security(("pageToken" = [])),
)]
pub(crate) async fn check_code(
    State(state): State<ApiState>,
    bearer: Bearer<LoginPageToken>,
    JsonBody(body): JsonBody,
    id: PathId,
) -> Result<Response, Problem> {
    let CheckSessionRequest { check_code } = fields::read(&body)?;
    let code = ProblemCode::CheckCodeMalformed;
    let check_code = fields::parsed::<CheckCode>(check_code.as_deref(), CHECK_CODE, code)?;
    let detail = "Send the two digits that the phone shows as checkCode.";
    let check_code = fields::required(check_code, CHECK_CODE, detail)?;
    let (id, token) = id.with_token(bearer)?;
    let checked = logins::check_code(state.login_ports()?, id, &token, check_code).await;
    let answer = checked.map_err(Problem::from);
    Ok(about(
        id,
        None,
        answer.map(|()| StatusCode::NO_CONTENT.into_response()),
    ))
}
