//! `POST /confirmations/{id}/redact`: erases a confirmation's personal data.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::post;
use countersign_domain::confirmation::Status;
use countersign_domain::confirmation::transitions::RedactOutcome;
use http::StatusCode;

use super::confirmation::{ConfirmationDetails, answer};
use super::path::{self, PathId, not_found, wrong_status};
use crate::extract::api_key::{self, Caller};
use crate::extract::body::{self, WholeBody};
use crate::problem::{Problem, ProblemCode};
use crate::schema::problems::problems;
use crate::state::ApiState;

const PATH: &str = "/confirmations/{id}/redact";

problems![
    api_key::PROBLEMS,
    body::PROBLEMS,
    path::PROBLEMS,
    &[ProblemCode::ConfirmationOpen, ProblemCode::WebhookOwed],
];

pub(crate) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, post(redact))
}

/// Erase personal data
///
/// Erases the phone numbers and the metadata of a confirmation that has ended and whose webhook is no
/// longer pending. Repeating the request changes nothing.
#[utoipa::path(
    post,
    path = PATH,
    operation_id = "redactConfirmation",
    tag = "confirmations",
    params(PathId),
    responses(
        (status = 200, description = "The redacted confirmation.", body = ConfirmationDetails),
        Problems,
    ),
    security(("apiKey" = [])),
)]
pub(crate) async fn redact(
    State(state): State<ApiState>,
    caller: Caller,
    _body: WholeBody,
    PathId(id): PathId,
) -> Result<Response, Problem> {
    let now = state.clock.now();
    match state.store.redact(id, caller.scope(), now).await? {
        RedactOutcome::Redacted(item) => Ok(answer(StatusCode::OK, &item, now)),
        RedactOutcome::Open => Err(wrong_status(Status::Open)),
        RedactOutcome::WebhookPending => Err(Problem::new(ProblemCode::WebhookOwed)
            .detail("Redact the confirmation once its webhook was delivered or has failed.")),
        RedactOutcome::Unknown => Err(not_found()),
    }
}
