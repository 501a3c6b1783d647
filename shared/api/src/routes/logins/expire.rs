//! `POST /qr-sessions/{id}/expire`: the app's own tests expire a test login.

use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use countersign_domain::use_cases::logins;
use http::StatusCode;

use super::answer::about;
use super::path::PathId;
use super::problems;
use crate::extract::api_key::{self, Caller};
use crate::extract::body::{self, WholeBody};
use crate::middleware::rate_limit;
use crate::problem::{Problem, ProblemCode};
use crate::schema::problems::problems;
use crate::state::ApiState;

const PATH: &str = "/qr-sessions/{id}/expire";

problems![
    rate_limit::PROBLEMS,
    api_key::PROBLEMS,
    problems::PROBLEMS,
    body::PROBLEMS,
    &[
        ProblemCode::TestKeyNeeded,
        ProblemCode::SessionConsumed,
        ProblemCode::SessionDenied,
        ProblemCode::SessionBlocked,
        ProblemCode::SessionCancelled,
    ],
];

pub(super) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, post(expire))
}

/// Expire a test login
///
/// Expires a login that a test key opened, so that the app's own tests can cover late requests: a phone that confirms
/// the login gets the same answer as after a real expiry. Repeating the request succeeds again. Live logins are unknown
/// here.
#[utoipa::path(
    post,
    path = PATH,
    operation_id = "expireSession",
    tag = "logins",
    params(PathId),
    responses((status = 204, description = "The time of the test is over."), Problems),
    security(("apiKey" = [])),
)]
pub(crate) async fn expire(
    State(state): State<ApiState>,
    caller: Caller,
    _body: WholeBody,
    id: PathId,
) -> Result<Response, Problem> {
    caller.only_test()?;
    let (id, app) = (id.known()?, caller.app.id.clone());
    let expired = logins::expire(state.login_ports()?, id, &app).await;
    let answer = expired.map_err(Problem::from);
    Ok(about(
        id,
        Some(app),
        answer.map(|()| StatusCode::NO_CONTENT.into_response()),
    ))
}
