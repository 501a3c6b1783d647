//! `POST /make-confirmation`: verifying a number that is known.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::post;

use crate::call::{Caller, Fields, IdempotencyHeader, JsonBody};
use crate::openapi::{ConfirmRequest, IDEMPOTENCY_KEY};
use crate::problem::Problem;
use crate::session::{self, ConfirmationSession};
use crate::state::ApiState;

const PATH: &str = "/make-confirmation";

/// The function's routes, ready to be served.
pub fn router(state: ApiState) -> Router {
    crate::alone(routes(), state)
}

pub(crate) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, post(confirm))
}

/// Start a confirmation
///
/// Starts a session for a person whose number is known. Only a text from that number completes
/// it. The person sends `confirmationMessage` to `sendTo` within five minutes; then it is posted to
/// `callbackUrl`.
#[utoipa::path(
    post,
    path = PATH,
    operation_id = "makeConfirmation",
    tag = "confirmations",
    params(("Idempotency-Key" = Option<String>, Header, description = IDEMPOTENCY_KEY,
        nullable = false, min_length = 1, max_length = 255, pattern = "^[!-~]+$")),
    request_body(content = ConfirmRequest, description = "What the session is for.",
        example = json!({"phoneNumber": "+12025550100", "callbackUrl": "https://example.com/webhooks/countersign", "metadata": {"orderId": "17"}})),
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
pub(crate) async fn confirm(
    State(state): State<ApiState>,
    caller: Caller,
    body: JsonBody,
    idempotency: IdempotencyHeader,
) -> Result<Response, Problem> {
    let number = |fields: &Fields<'_>| fields.phone_number().map(Some);
    session::answer(&state, &caller, PATH, idempotency, body, number).await
}
