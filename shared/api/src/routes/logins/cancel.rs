//! `DELETE /qr-sessions/{id}`: the browser cancels its login.

use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::delete;
use countersign_domain::login::BrowserToken;
use countersign_domain::use_cases::logins;
use countersign_domain::use_cases::logins::CancelError;
use http::StatusCode;

use super::answer::about;
use super::path::{PathId, identify};
use super::problems::{self, expired, not_found, wrong_status};
use crate::extract::bearer::{self, Bearer};
use crate::extract::body::{self, WholeBody};
use crate::middleware::rate_limit;
use crate::problem::Problem;
use crate::schema::problems::problems;
use crate::state::ApiState;

const PATH: &str = "/qr-sessions/{id}";

problems![
    rate_limit::PROBLEMS,
    bearer::PROBLEMS,
    problems::PROBLEMS,
    body::PROBLEMS,
    problems::ENDED,
];

/// Returns the route.
pub(super) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, delete(cancel))
}

/// Cancel a login
///
/// Ends the login: no phone can confirm it any more, and a payload that waits cannot be redeemed.
#[utoipa::path(
    delete,
    path = PATH,
    operation_id = "cancelSession",
    tag = "logins",
    params(PathId),
    responses((status = 204, description = "The login is cancelled."), Problems),
    security(("browserToken" = [])),
)]
pub(crate) async fn cancel(
    State(state): State<ApiState>,
    bearer: Bearer<BrowserToken>,
    _body: WholeBody,
    id: PathId,
) -> Result<Response, Problem> {
    let (id, token) = identify(id, bearer)?;
    let cancelled = logins::cancel(state.login_ports()?, id, &token).await;
    let answer = cancelled.map_err(problem);
    Ok(about(
        id,
        None,
        answer.map(|()| StatusCode::NO_CONTENT.into_response()),
    ))
}

fn problem(error: CancelError) -> Problem {
    match error {
        CancelError::Unknown => not_found(),
        CancelError::Ended(status) => wrong_status(status),
        CancelError::Expired => expired(),
        CancelError::Unavailable(cause) => cause.into(),
    }
}
