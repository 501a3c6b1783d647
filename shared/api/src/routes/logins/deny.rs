//! `POST /qr-sessions/{id}/deny`: the user denies the login on the phone.

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::{Json, Router};
use countersign_domain::login::{DenialPayload, DenyReason, MobileToken};
use countersign_domain::use_cases::logins;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa::openapi::Schema;
use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};

use super::answer::about;
use super::decision;
use super::path::PathId;
use super::problems;
use crate::extract::bearer::{self, Bearer};
use crate::extract::body;
use crate::extract::fields;
use crate::extract::json_body::{self, JsonBody};
use crate::middleware::rate_limit;
use crate::problem::{Problem, ProblemCode};
use crate::schema::problems::problems;
use crate::state::ApiState;

pub(super) const PATH: &str = "/qr-sessions/{id}/deny";

problems![
    rate_limit::PROBLEMS,
    bearer::PROBLEMS,
    problems::PROBLEMS,
    body::PROBLEMS,
    json_body::PROBLEMS,
    fields::PROBLEMS,
    decision::PROBLEMS,
    &[ProblemCode::ReasonUnknown, ProblemCode::SessionConfirmed],
    problems::ENDED_PROBLEMS,
];

/// The body of `POST /qr-sessions/{id}/deny`.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DenySessionRequest {
    /// A message for the app's server: free-form text of at most 8,192 bytes, which may be empty. It is
    /// never encrypted, so do not send the payload of a confirmation.
    #[schema(max_length = 8192, examples("not me"), value_type = String)]
    payload: Option<String>,
    #[schema(schema_with = reason_schema, required = false)]
    reason: Option<String>,
}

/// The schema of `reason`.
fn reason_schema() -> Schema {
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::String, Type::Null]))
        .description(Some(
            "Why the phone itself refused, unless the user did. `key_mismatch`: the session's id does \
             not match the service's answer. This reason blocks the session.",
        ))
        .enum_values(Some([Some(DenyReason::KeyMismatch.into_str()), None]))
        .build()
        .into()
}

pub(super) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, post(deny))
}

/// Deny a login
///
/// For the phone that opened the code, once the user has declined, or once the phone finds that the
/// session's id does not match the answer. Repeating the request returns the same answer.
#[utoipa::path(
    post,
    path = PATH,
    operation_id = "denySession",
    tag = "logins",
    params(PathId),
    request_body(content = DenySessionRequest, description = "A message for the app's server, which gets it in the webhook.", examples(
        ("empty" = (summary = "No message", value = json!({"payload": ""}))),
        ("message" = (summary = "With a message", value = json!({"payload": "not me"}))),
        ("mismatch" = (summary = "The phone refuses", value = json!({"payload": "", "reason": "key_mismatch"}))),
    )),
    responses(
        (status = 200, description = "`true`: the login is denied.",
            body = bool, content_type = "application/json"),
        Problems,
    ),
    security(("mobileToken" = [])),
)]
pub(crate) async fn deny(
    State(state): State<ApiState>,
    bearer: Bearer<MobileToken>,
    JsonBody(body): JsonBody,
    id: PathId,
) -> Result<Response, Problem> {
    let DenySessionRequest { payload, reason } = fields::read(&body)?;
    let payload = DenialPayload::new(decision::payload(payload)?);
    let payload = payload.map_err(|_| decision::too_long())?;
    let reason = parse_reason(reason.as_deref())?;
    let (id, token) = id.with_token(bearer)?;
    let denied = logins::deny(state.login_ports()?, id, &token, payload, reason).await;
    let answer = denied.map_err(Problem::from);
    Ok(about(id, None, answer.map(|()| Json(true).into_response())))
}

/// Parses `reason`, if present.
fn parse_reason(text: Option<&str>) -> Result<Option<DenyReason>, Problem> {
    let known = DenyReason::KeyMismatch;
    match text {
        None => Ok(None),
        Some(text) if text == known.into_str() => Ok(Some(known)),
        Some(_) => Err(Problem::new(ProblemCode::ReasonUnknown)
            .detail("Send key_mismatch, or no reason.")
            .at("/reason")),
    }
}
