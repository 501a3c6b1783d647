//! `POST /qr-sessions/{id}/redeem`: hands the payload to the browser.

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::{Json, Router};
use countersign_domain::login::token::Browser;
use countersign_domain::use_cases::logins;
use countersign_domain::use_cases::logins::RedeemError;
use serde::Serialize;
use utoipa::ToSchema;

use super::answer::about;
use super::path::{PathId, identify};
use super::problems::{self, expired, not_found, wrong_status};
use crate::extract::bearer::{self, Bearer};
use crate::extract::body::{self, WholeBody};
use crate::middleware::rate_limit;
use crate::problem::{Problem, ProblemCode};
use crate::schema::problems::problems;
use crate::state::ApiState;

pub(super) const PATH: &str = "/qr-sessions/{id}/redeem";

problems![
    rate_limit::PROBLEMS,
    bearer::PROBLEMS,
    problems::PROBLEMS,
    body::PROBLEMS,
    &[ProblemCode::SessionNotConfirmed],
    problems::ENDED,
];

/// The payload that the phone sent with its confirmation.
#[derive(Serialize, ToSchema)]
pub(crate) struct RedeemedPayload<'a> {
    /// The payload. If `encrypted` is true: base64url of HPKE's `enc || ciphertext`, for the key that
    /// the browser sent.
    #[schema(examples("session-token"))]
    payload: &'a str,
    /// Whether only the browser can read the payload.
    encrypted: bool,
}

/// Returns the route.
pub(super) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, post(redeem))
}

/// Redeem the payload
///
/// Returns the payload of a confirmed login once, within a minute after the confirmation, and erases
/// it.
#[utoipa::path(
    post,
    path = PATH,
    operation_id = "redeemSession",
    tag = "logins",
    params(PathId),
    responses(
        (status = 200, description = "The payload, which cannot be redeemed again.",
            body = RedeemedPayload),
        Problems,
    ),
    security(("browserToken" = [])),
)]
pub(crate) async fn redeem(
    State(state): State<ApiState>,
    bearer: Bearer<Browser>,
    _body: WholeBody,
    id: PathId,
) -> Result<Response, Problem> {
    let (id, token) = identify(id, bearer)?;
    let redeemed = logins::redeem(state.login_ports()?, id, &token).await;
    let answer = redeemed.map_err(problem).map(|payload| {
        Json(RedeemedPayload {
            payload: payload.as_str(),
            encrypted: payload.is_encrypted(),
        })
        .into_response()
    });
    Ok(about(id, None, answer))
}

fn problem(error: RedeemError) -> Problem {
    match error {
        RedeemError::Unknown => not_found(),
        RedeemError::NotConfirmed(status) => wrong_status(status),
        RedeemError::Expired => expired(),
        RedeemError::Unavailable(cause) => cause.into(),
    }
}
