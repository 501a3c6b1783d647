//! `POST /acquire-phone-number`: learning a number that is not known beforehand.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::post;

use crate::call::{Caller, IdempotencyHeader, JsonBody};
use crate::openapi::{AcquireRequest, IDEMPOTENCY_KEY};
use crate::problem::Problem;
use crate::session::{self, ConfirmationSession};
use crate::state::ApiState;

const PATH: &str = "/acquire-phone-number";

/// The function's routes, ready to be served.
pub fn router(state: ApiState) -> Router {
    crate::alone(routes(), state)
}

pub(crate) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, post(acquire))
}

/// Start an acquisition
///
/// Starts a session for a person whose number is not known. The person sends `confirmationMessage`
/// to `sendTo` within five minutes; then the number is posted to `callbackUrl`. An empty body
/// counts as `{}`.
#[utoipa::path(
    post,
    path = PATH,
    operation_id = "acquirePhoneNumber",
    tag = "confirmations",
    params(("Idempotency-Key" = Option<String>, Header, description = IDEMPOTENCY_KEY,
        nullable = false, min_length = 1, max_length = 255, pattern = "^[!-~]+$")),
    request_body(content = AcquireRequest, description = "What the session is for.",
        example = json!({"callbackUrl": "https://example.com/webhooks/countersign", "metadata": {"orderId": "17"}})),
    responses((status = 200, description = "The session, which is open.",
        body = ConfirmationSession,
        headers(("idempotent-replayed" = String, description = "`true` where this is the answer to an earlier request with the same `Idempotency-Key`.")),
        links(
            ("show" = (operation_id = "getConfirmation", parameters(("id" = "$response.body#/confirmationId")))),
            ("cancel" = (operation_id = "cancelConfirmation", parameters(("id" = "$response.body#/confirmationId")))),
            ("redact" = (operation_id = "redactConfirmation", parameters(("id" = "$response.body#/confirmationId")))),
            ("redeliver" = (operation_id = "redeliverWebhook", parameters(("id" = "$response.body#/confirmationId")))),
        ))),
    security(("apiKey" = [])),
)]
pub(crate) async fn acquire(
    State(state): State<ApiState>,
    caller: Caller,
    body: JsonBody,
    idempotency: IdempotencyHeader,
) -> Result<Response, Problem> {
    session::answer(&state, &caller, PATH, idempotency, body, |_| Ok(None)).await
}
