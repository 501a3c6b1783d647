//! `GET /qr-sessions/{id}`: shows a login's status to its browser and its phone.

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Json, Router};
use countersign_domain::login::{DeviceToken, Status};
use countersign_domain::use_cases::logins;
use countersign_domain::use_cases::logins::{LoginStatus, WatchError};
use http::header::{CACHE_CONTROL, ETAG};
use http::{HeaderMap, HeaderValue, StatusCode};
use serde::Serialize;
use utoipa::ToSchema;

use super::answer::about;
use super::path::{PathId, identify};
use super::problems::{self, not_found};
use crate::extract::bearer::{self, Bearer};
use crate::extract::body::{self, WholeBody};
use crate::extract::if_none_match;
use crate::middleware::rate_limit;
use crate::problem::Problem;
use crate::schema::problems::problems;
use crate::schema::words::words;
use crate::state::ApiState;

pub(super) const PATH: &str = "/qr-sessions/{id}";

/// Browser and phone may keep the status if they ask each time whether it has changed. No shared
/// cache may keep it.
const CACHING: HeaderValue = HeaderValue::from_static("private, no-cache");

problems![
    rate_limit::PROBLEMS,
    bearer::PROBLEMS,
    problems::PROBLEMS,
    body::PROBLEMS,
];

words! {
    /// The status of a login.
    SessionState(Status)
}

/// The status of a login: all that the browser learns before the payload waits for it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SessionStatus)]
pub(crate) struct StatusBody {
    /// The status.
    state: SessionState,
    /// When the login expires; for a login that has ended, when it did. UTC, ISO 8601 with
    /// milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:05:05.678Z"))]
    expires_at: String,
    /// The service's time, by which a device can correct its own clock. UTC, ISO 8601 with
    /// milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:04:35.678Z"))]
    server_time: String,
}

/// Returns the route.
pub(super) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, get(show))
}

/// Show a login's status
///
/// For the browser that opened it and the phone that opened its code: each time that the WebSocket
/// announces a change, or every few seconds without a WebSocket. The `ETag` does not depend on
/// `serverTime`.
#[utoipa::path(
    get,
    path = PATH,
    operation_id = "getSession",
    tag = "logins",
    params(
        PathId,
        ("If-None-Match" = Option<String>, Header, nullable = false,
            description = "`ETag` of the last answer. If nothing has changed since, the answer is 304."),
    ),
    responses(
        (status = 200, description = "The status.", body = StatusBody,
            headers(("etag" = String, description = "Identifies this answer."))),
        (status = 304, description = "Nothing has changed.",
            headers(("etag" = String, description = "Identifies the answer that is still valid."))),
        Problems,
    ),
    security(("browserToken" = []), ("mobileToken" = [])),
)]
pub(crate) async fn show(
    State(state): State<ApiState>,
    bearer: Bearer<DeviceToken>,
    _body: WholeBody,
    id: PathId,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (id, token) = identify(id, bearer)?;
    let found = logins::status(state.login_ports()?, id, &token).await;
    let answer = found.map_err(problem);
    Ok(about(
        id,
        None,
        answer.map(|found| respond(found, &headers)),
    ))
}

fn problem(error: WatchError) -> Problem {
    match error {
        WatchError::Unknown => not_found(),
        WatchError::Unavailable(cause) => cause.into(),
    }
}

fn respond(found: LoginStatus, headers: &HeaderMap) -> Response {
    let LoginStatus {
        status,
        expires_at,
        server_time,
    } = found;
    let tag = format!("\"{}-{}\"", status.as_str(), expires_at.as_millis());
    let mut response = if if_none_match::matches(headers, &tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        Json(StatusBody {
            state: SessionState(status),
            expires_at: expires_at.to_string(),
            server_time: server_time.to_string(),
        })
        .into_response()
    };
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, CACHING);
    if let Ok(tag) = HeaderValue::try_from(tag) {
        headers.insert(ETAG, tag);
    }
    response
}
