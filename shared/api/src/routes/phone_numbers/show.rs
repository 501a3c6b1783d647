//! `GET /confirmations/{id}`: shows a confirmation and the attempts to deliver its webhook.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use countersign_domain::confirmation::Confirmation;
use http::StatusCode;

use super::confirmation::{ConfirmationDetails, answer};
use super::path::{self, PathId, not_found};
use crate::extract::api_key::{self, Caller};
use crate::extract::body::{self, WholeBody};
use crate::problem::Problem;
use crate::schema::problems::problems;
use crate::state::ApiState;

const PATH: &str = "/confirmations/{id}";

problems![api_key::PROBLEMS, body::PROBLEMS, path::PROBLEMS];

pub(crate) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, get(show))
}

/// Show a confirmation
///
/// Returns its status, its result, its near misses, and every attempt to deliver its webhook.
#[utoipa::path(
    get,
    path = PATH,
    operation_id = "getConfirmation",
    tag = "confirmations",
    params(PathId),
    responses(
        (status = 200, description = "The confirmation.", body = ConfirmationDetails),
        Problems,
    ),
    security(("apiKey" = [])),
)]
pub(crate) async fn show(
    State(state): State<ApiState>,
    caller: Caller,
    _body: WholeBody,
    PathId(id): PathId,
) -> Result<Response, Problem> {
    let now = state.clock.now();
    let found = state.store.find::<Confirmation>(id, now).await?;
    match found.filter(|item| caller.scope().has(&item.app, item.test)) {
        Some(item) => Ok(answer(StatusCode::OK, &item, now)),
        None => Err(not_found()),
    }
}
