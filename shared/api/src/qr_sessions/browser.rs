//! What the browser does with the session that it opened.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use countersign_domain::login::token::Browser;
use countersign_domain::use_cases::logins;
use countersign_domain::use_cases::logins::LoginStatus;
use http::header::{CACHE_CONTROL, ETAG};
use http::{HeaderMap, HeaderValue, StatusCode};
use serde::Serialize;
use utoipa::ToSchema;

use super::{Id, about, named, refusal};
use crate::call::{Bearer, WholeBody};
use crate::conditional;
use crate::openapi::{SESSION_ID, SessionState};
use crate::problem::Problem;
use crate::state::ApiState;

/// A browser may keep the status and must ask whether it still holds; nobody else may keep it.
const ASKED_EACH_TIME: HeaderValue = HeaderValue::from_static("private, no-cache");

/// Where a session stands: all that a browser learns before the end.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SessionStatus)]
pub(crate) struct Standing {
    /// Where it stands.
    #[schema(value_type = SessionState)]
    state: &'static str,
    /// Until when something can become of it; for one that has ended, when it did. UTC, ISO 8601
    /// with milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:05:05.678Z"))]
    expires_at: String,
}

/// Ask where a session stands
///
/// For the browser that opened it, whenever it was told of a change, and every few seconds where
/// nothing can tell it.
#[utoipa::path(
    get,
    path = "/qr-sessions/{id}",
    operation_id = "getSession",
    tag = "logins",
    params(
        ("id" = String, Path, description = SESSION_ID, pattern = "^qrs_[0-9a-f]{32}$"),
        ("If-None-Match" = Option<String>, Header, nullable = false,
            description = "`ETag` of the answer before: where nothing changed since, the answer is 304."),
    ),
    responses(
        (status = 200, description = "Where it stands.", body = Standing,
            headers(("etag" = String, description = "Names this answer."))),
        (status = 304, description = "Nothing changed.",
            headers(("etag" = String, description = "Names the answer that still holds."))),
    ),
    security(("browserToken" = [])),
)]
pub(crate) async fn status(
    State(state): State<ApiState>,
    bearer: Bearer<Browser>,
    _body: WholeBody,
    id: Id,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (id, token) = named(id, bearer)?;
    let found = logins::status(state.login_ports()?, id, &token).await;
    let answer = found.map_err(refusal::of_watch);
    Ok(about(
        id,
        None,
        answer.map(|found| standing(found, &headers)),
    ))
}

fn standing(found: LoginStatus, headers: &HeaderMap) -> Response {
    let LoginStatus { status, expires_at } = found;
    let state = status.as_str();
    let tag = format!("\"{state}-{}\"", expires_at.as_millis());
    let mut response = if conditional::is_known(headers, &tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let expires_at = expires_at.to_string();
        Json(Standing { state, expires_at }).into_response()
    };
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, ASKED_EACH_TIME);
    if let Ok(tag) = HeaderValue::try_from(tag) {
        headers.insert(ETAG, tag);
    }
    response
}

/// What the phone sent with its confirmation.
#[derive(Serialize, ToSchema)]
pub(crate) struct RedeemedPayload<'a> {
    /// The payload. Where `encrypted` is true: base64url of HPKE's `enc || ciphertext`, for the key
    /// that the browser gave.
    #[schema(examples("session-token"))]
    payload: &'a str,
    /// Whether only the browser can read it.
    encrypted: bool,
}

/// Take the payload
///
/// Hands the payload of a confirmed session over, once, and keeps it no longer. Within a minute
/// after the confirmation.
#[utoipa::path(
    post,
    path = "/qr-sessions/{id}/redeem",
    operation_id = "redeemSession",
    tag = "logins",
    params(("id" = String, Path, description = SESSION_ID, pattern = "^qrs_[0-9a-f]{32}$")),
    responses((status = 200, description = "The payload, which no browser can take any more.",
        body = RedeemedPayload)),
    security(("browserToken" = [])),
)]
pub(crate) async fn redeem(
    State(state): State<ApiState>,
    bearer: Bearer<Browser>,
    _body: WholeBody,
    id: Id,
) -> Result<Response, Problem> {
    let (id, token) = named(id, bearer)?;
    let redeemed = logins::redeem(state.login_ports()?, id, &token).await;
    let answer = redeemed.map_err(refusal::of_redeem).map(|payload| {
        Json(RedeemedPayload {
            payload: payload.as_str(),
            encrypted: payload.is_encrypted(),
        })
        .into_response()
    });
    Ok(about(id, None, answer))
}

/// Give a session up
///
/// Ends it: no phone can confirm it any more, and no browser can take a payload that waited.
#[utoipa::path(
    delete,
    path = "/qr-sessions/{id}",
    operation_id = "cancelSession",
    tag = "logins",
    params(("id" = String, Path, description = SESSION_ID, pattern = "^qrs_[0-9a-f]{32}$")),
    responses((status = 204, description = "It is over.")),
    security(("browserToken" = [])),
)]
pub(crate) async fn cancel(
    State(state): State<ApiState>,
    bearer: Bearer<Browser>,
    _body: WholeBody,
    id: Id,
) -> Result<Response, Problem> {
    let (id, token) = named(id, bearer)?;
    let cancelled = logins::cancel(state.login_ports()?, id, &token).await;
    let answer = cancelled.map_err(refusal::of_cancel);
    Ok(about(
        id,
        None,
        answer.map(|()| StatusCode::NO_CONTENT.into_response()),
    ))
}
