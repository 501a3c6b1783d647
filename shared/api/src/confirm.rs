//! `POST /make-confirmation`: verifying a number that is known.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::post;

use crate::call::{Caller, Fields, IdempotencyHeader, JsonBody};
use crate::problem::Problem;
use crate::session;
use crate::state::ApiState;

const PATH: &str = "/make-confirmation";

/// The function's routes, ready to be served.
pub fn router(state: ApiState) -> Router {
    crate::alone(routes(), state)
}

pub(crate) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, post(confirm))
}

async fn confirm(
    State(state): State<ApiState>,
    caller: Caller,
    idempotency: IdempotencyHeader,
    body: JsonBody,
) -> Result<Response, Problem> {
    let number = |fields: &Fields<'_>| fields.phone_number().map(Some);
    session::answer(&state, &caller, PATH, idempotency, body, number).await
}
