//! `/confirmations/{id}`: what became of a session, and what its owner may still do with it.

mod representation;

use std::time::Duration;

use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequestParts, Path, State};
use axum::response::Response;
use axum::routing::{get, post};
use countersign_domain::confirmation::Status;
use countersign_domain::confirmation::transitions::{
    CancelOutcome, RedactOutcome, RedeliverOutcome,
};
use countersign_domain::primitives::ids::ConfirmationId;
use countersign_domain::use_cases::wake_dispatcher;
use http::StatusCode;
use http::request::Parts;

use representation::{ConfirmationDetails, answer};

use crate::call::{Caller, WholeBody};
use crate::openapi::CONFIRMATION_ID;
use crate::problem::{Problem, ProblemCode};
use crate::state::ApiState;

/// The function's routes, ready to be served.
pub fn router(state: ApiState) -> Router {
    crate::alone(routes(), state)
}

pub(crate) fn routes() -> Router<ApiState> {
    Router::new()
        .route("/confirmations/{id}", get(show).delete(cancel))
        .route("/confirmations/{id}/redact", post(redact))
        .route("/confirmations/{id}/redeliver", post(redeliver))
}

/// The id in the path. One that is malformed is unknown.
pub(crate) struct Id(ConfirmationId);

impl<S: Send + Sync> FromRequestParts<S> for Id {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let path: Result<Path<String>, PathRejection> =
            Path::from_request_parts(parts, state).await;
        path.ok()
            .and_then(|Path(text)| text.parse::<ConfirmationId>().ok())
            .map(Self)
            .ok_or(Problem::new(ProblemCode::ConfirmationNotFound))
    }
}

/// Look a confirmation up
///
/// Where it stands, what came of it, and every attempt to deliver its webhook.
#[utoipa::path(
    get,
    path = "/confirmations/{id}",
    operation_id = "getConfirmation",
    tag = "confirmations",
    params(("id" = String, Path, description = CONFIRMATION_ID, pattern = "^cfm_[0-9a-f]{32}$")),
    responses((status = 200, description = "The confirmation.", body = ConfirmationDetails)),
    security(("apiKey" = [])),
)]
pub(crate) async fn show(
    State(state): State<ApiState>,
    caller: Caller,
    _body: WholeBody,
    Id(id): Id,
) -> Result<Response, Problem> {
    let now = state.clock.now();
    let found = state.confirmations.find(id, now).await?;
    match found.filter(|item| item.app == caller.app.id) {
        Some(item) => Ok(answer(StatusCode::OK, &item, now)),
        None => Err(Problem::new(ProblemCode::ConfirmationNotFound)),
    }
}

/// Cancel a confirmation
///
/// Ends an open session: its text no longer does anything, and no webhook is sent.
#[utoipa::path(
    delete,
    path = "/confirmations/{id}",
    operation_id = "cancelConfirmation",
    tag = "confirmations",
    params(("id" = String, Path, description = CONFIRMATION_ID, pattern = "^cfm_[0-9a-f]{32}$")),
    responses((status = 200, description = "The confirmation, cancelled.", body = ConfirmationDetails)),
    security(("apiKey" = [])),
)]
pub(crate) async fn cancel(
    State(state): State<ApiState>,
    caller: Caller,
    _body: WholeBody,
    Id(id): Id,
) -> Result<Response, Problem> {
    let now = state.clock.now();
    match state.confirmations.cancel(id, &caller.app.id, now).await? {
        CancelOutcome::Cancelled(item) => Ok(answer(StatusCode::OK, &item, now)),
        CancelOutcome::Ended(status) => Err(is(status)),
        CancelOutcome::Unknown => Err(Problem::new(ProblemCode::ConfirmationNotFound)),
    }
}

/// Erase personal data
///
/// Erases numbers and metadata of a session that has ended and whose webhook is no longer owed. To
/// do it again changes nothing.
#[utoipa::path(
    post,
    path = "/confirmations/{id}/redact",
    operation_id = "redactConfirmation",
    tag = "confirmations",
    params(("id" = String, Path, description = CONFIRMATION_ID, pattern = "^cfm_[0-9a-f]{32}$")),
    responses((status = 200, description = "The confirmation, redacted.", body = ConfirmationDetails)),
    security(("apiKey" = [])),
)]
pub(crate) async fn redact(
    State(state): State<ApiState>,
    caller: Caller,
    _body: WholeBody,
    Id(id): Id,
) -> Result<Response, Problem> {
    let now = state.clock.now();
    match state.confirmations.redact(id, &caller.app.id, now).await? {
        RedactOutcome::Redacted(item) => Ok(answer(StatusCode::OK, &item, now)),
        RedactOutcome::Open => Err(is(Status::Open)),
        RedactOutcome::WebhookOwed => Err(Problem::new(ProblemCode::WebhookOwed)
            .detail("Redact it once the webhook was delivered or has failed.")),
        RedactOutcome::Unknown => Err(Problem::new(ProblemCode::ConfirmationNotFound)),
    }
}

/// Send the webhook again
///
/// Begins a new round of attempts at once, with the same `webhook-id`, whether or not the webhook
/// was delivered before.
#[utoipa::path(
    post,
    path = "/confirmations/{id}/redeliver",
    operation_id = "redeliverWebhook",
    tag = "confirmations",
    params(("id" = String, Path, description = CONFIRMATION_ID, pattern = "^cfm_[0-9a-f]{32}$")),
    responses((status = 202, description = "The confirmation; its webhook is owed.", body = ConfirmationDetails)),
    security(("apiKey" = [])),
)]
pub(crate) async fn redeliver(
    State(state): State<ApiState>,
    caller: Caller,
    _body: WholeBody,
    Id(id): Id,
) -> Result<Response, Problem> {
    let now = state.clock.now();
    let retention = state.times.retention;
    let app = &caller.app.id;
    match state
        .confirmations
        .redeliver(id, app, now, retention)
        .await?
    {
        RedeliverOutcome::Owed {
            confirmation,
            pointer,
        } => {
            let (queue, metrics) = (&*state.queue, &*state.metrics);
            wake_dispatcher(queue, metrics, pointer, Duration::ZERO).await;
            Ok(answer(StatusCode::ACCEPTED, &confirmation, now))
        }
        RedeliverOutcome::NotVerified(status) => Err(is(status)),
        RedeliverOutcome::InFlight => Err(Problem::new(ProblemCode::DeliveryInFlight)
            .detail("Wait for the attempt to end, half a minute at most.")),
        RedeliverOutcome::Redacted => Err(Problem::new(ProblemCode::ConfirmationRedacted)
            .detail("What the webhook would carry was erased.")),
        RedeliverOutcome::Unknown => Err(Problem::new(ProblemCode::ConfirmationNotFound)),
    }
}

/// The session's status does not allow it.
fn is(status: Status) -> Problem {
    Problem::new(match status {
        Status::Open => ProblemCode::ConfirmationOpen,
        Status::Verified => ProblemCode::ConfirmationVerified,
        Status::Expired => ProblemCode::ConfirmationExpired,
        Status::Cancelled => ProblemCode::ConfirmationCancelled,
    })
}
