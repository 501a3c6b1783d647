//! `POST /acquire-phone-number`: learning a number that is not known beforehand.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::post;

use crate::call::{Caller, IdempotencyHeader, JsonBody};
use crate::problem::Problem;
use crate::session;
use crate::state::ApiState;

const PATH: &str = "/acquire-phone-number";

/// The function's routes, ready to be served.
pub fn router(state: ApiState) -> Router {
    crate::alone(routes(), state)
}

pub(crate) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, post(acquire))
}

async fn acquire(
    State(state): State<ApiState>,
    caller: Caller,
    idempotency: IdempotencyHeader,
    body: JsonBody,
) -> Result<Response, Problem> {
    session::answer(&state, &caller, PATH, idempotency, body, |_| Ok(None)).await
}
