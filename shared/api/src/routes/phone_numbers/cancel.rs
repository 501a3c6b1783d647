//! `DELETE /confirmations/{id}`: cancels an open confirmation.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::delete;
use countersign_domain::confirmation::transitions::{self, CancelOutcome};
use http::StatusCode;

use super::confirmation::{ConfirmationDetails, answer};
use super::path::{self, PathId, not_found, wrong_status};
use crate::extract::api_key::{self, Caller};
use crate::extract::body::{self, WholeBody};
use crate::problem::{Problem, ProblemCode};
use crate::schema::problems::problems;
use crate::state::ApiState;

const PATH: &str = "/confirmations/{id}";

problems![
    api_key::PROBLEMS,
    body::PROBLEMS,
    path::PROBLEMS,
    &[
        ProblemCode::ConfirmationVerified,
        ProblemCode::ConfirmationExpired,
        ProblemCode::ConfirmationCancelled,
    ],
];

pub(crate) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, delete(cancel))
}

/// Cancel a confirmation
///
/// Ends an open confirmation: its text no longer has any effect, and no webhook is sent.
#[utoipa::path(
    delete,
    path = PATH,
    operation_id = "cancelConfirmation",
    tag = "confirmations",
    params(PathId),
    responses(
        (status = 200, description = "The cancelled confirmation.", body = ConfirmationDetails),
        Problems,
    ),
    security(("apiKey" = [])),
)]
pub(crate) async fn cancel(
    State(state): State<ApiState>,
    caller: Caller,
    _body: WholeBody,
    PathId(id): PathId,
) -> Result<Response, Problem> {
    let now = state.clock.now();
    let decide = |current| transitions::cancel(current, caller.scope(), now);
    match state.store.change(id, decide).await? {
        CancelOutcome::Cancelled(item) => Ok(answer(StatusCode::OK, &item, now)),
        CancelOutcome::Ended(status) => Err(wrong_status(status)),
        CancelOutcome::Unknown => Err(not_found()),
    }
}
