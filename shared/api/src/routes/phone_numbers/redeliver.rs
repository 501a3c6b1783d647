//! `POST /confirmations/{id}/redeliver`: sends a confirmation's webhook again.

use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::post;
use countersign_domain::confirmation::transitions::{self, RedeliverOutcome};
use countersign_domain::use_cases::wake_dispatcher;
use http::StatusCode;

use super::confirmation::{ConfirmationDetails, answer};
use super::path::{self, PathId, not_found, wrong_status};
use crate::extract::api_key::{self, Caller};
use crate::extract::body::{self, WholeBody};
use crate::problem::{Problem, ProblemCode};
use crate::schema::problems::problems;
use crate::state::ApiState;

const PATH: &str = "/confirmations/{id}/redeliver";

problems![
    api_key::PROBLEMS,
    body::PROBLEMS,
    path::PROBLEMS,
    &[
        ProblemCode::ConfirmationOpen,
        ProblemCode::ConfirmationExpired,
        ProblemCode::ConfirmationCancelled,
        ProblemCode::ConfirmationRedacted,
        ProblemCode::ConfirmationWithoutWebhook,
        ProblemCode::DeliveryInFlight,
        ProblemCode::AppRateExceeded,
    ],
];

pub(crate) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, post(redeliver))
}

/// Send the webhook again
///
/// Starts a new round of attempts at once, with the same `webhook-id`, whether or not the webhook was
/// delivered before.
#[utoipa::path(
    post,
    path = PATH,
    operation_id = "redeliverWebhook",
    tag = "confirmations",
    params(PathId),
    responses(
        (status = 202, description = "The confirmation, whose webhook is pending again.",
            body = ConfirmationDetails),
        Problems,
    ),
    security(("apiKey" = [])),
)]
pub(crate) async fn redeliver(
    State(state): State<ApiState>,
    caller: Caller,
    _body: WholeBody,
    PathId(id): PathId,
) -> Result<Response, Problem> {
    let now = state.clock.now();
    let retention = state.times.retention;
    state.count_redelivery(&caller.app, now)?;
    let decide = |current| transitions::redeliver(current, caller.scope(), now, retention);
    match state.store.change_delivery(id, decide).await? {
        RedeliverOutcome::Pending {
            confirmation,
            pointer,
        } => {
            wake_dispatcher(state.ports(), pointer, Duration::ZERO).await;
            Ok(answer(StatusCode::ACCEPTED, &confirmation, now))
        }
        RedeliverOutcome::NotVerified(status) => Err(wrong_status(status)),
        RedeliverOutcome::InFlight => Err(Problem::new(ProblemCode::DeliveryInFlight)
            .detail("Wait until the attempt ends, half a minute at most.")),
        RedeliverOutcome::Redacted => Err(Problem::new(ProblemCode::ConfirmationRedacted)
            .detail("The data that the webhook would carry was erased.")),
        RedeliverOutcome::NoWebhook => Err(Problem::new(ProblemCode::ConfirmationWithoutWebhook)
            .detail("The OpenID provider started the confirmation, and tells the client itself.")),
        RedeliverOutcome::Unknown => Err(not_found()),
    }
}
