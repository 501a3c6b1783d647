//! `GET /confirmation-status/{id}`: shows the status of a confirmation to the page that shows it.

use axum::extract::State;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, options};
use axum::{Json, Router};
use countersign_domain::confirmation::client::ClientToken;
use countersign_domain::primitives::ids::ConfirmationId;
use countersign_domain::use_cases::client_channel::{self, ClientView};
use http::header::{CACHE_CONTROL, ETAG};
use http::{HeaderMap, HeaderValue, StatusCode};
use serde::Serialize;
use utoipa::ToSchema;

use super::confirmation::{ConfirmationStatus, LastMissReason};
use super::path::{self, PathId, not_found};
use crate::extract::bearer::{self, Bearer};
use crate::extract::body::{self, WholeBody};
use crate::extract::if_none_match;
use crate::middleware::cors::{allow_any_origin, preflight};
use crate::middleware::log::LogFields;
use crate::middleware::rate_limit::{self, limit_misses};
use crate::problem::{Problem, ProblemCode};
use crate::schema::problems::problems;
use crate::state::ApiState;

const PATH: &str = "/confirmation-status/{id}";

/// A page may cache the status if it revalidates it each time. Shared caches may not store it.
const CACHING: HeaderValue = HeaderValue::from_static("private, no-cache");

problems![
    rate_limit::PROBLEMS,
    bearer::PROBLEMS,
    path::PROBLEMS,
    body::PROBLEMS,
];

/// All that the page of a confirmation receives: never the number.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ClientStatus)]
pub(crate) struct StatusBody {
    /// The id of the confirmation.
    #[schema(
        pattern = "^cfm_[0-9a-f]{32}$",
        examples("cfm_5f0c8a41f2d94e6b7a13c0de9b81d2a4")
    )]
    confirmation_id: String,
    status: ConfirmationStatus,
    /// The first text with the code that did not complete the confirmation. Present only while the status is `open` or
    /// `expired`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    last_miss: Option<ClientMiss>,
    /// When the confirmation expires or expired. UTC, ISO 8601 with milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:09:05.678Z"))]
    expires_at: String,
    /// The seconds until then, rounded down; 0 if the time is over. Use this if your clock may be
    /// wrong.
    #[schema(examples(300))]
    expires_in: u64,
    /// The service's time. UTC, ISO 8601 with milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:04:05.678Z"))]
    server_time: String,
}

/// All that the page receives about a text that did not complete its confirmation.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClientMiss {
    /// Why the text did not complete the confirmation.
    reason: LastMissReason,
}

/// Returns the path of a confirmation's status.
pub(super) fn path(id: &ConfirmationId) -> String {
    PATH.replace("{id}", &id.to_string())
}

/// Returns the route with its layers: the rate limit, and CORS headers that let pages of any origin read the answer.
/// The token is the credential, and only the page that received it has it.
pub(crate) fn routes(state: &ApiState) -> Router<ApiState> {
    Router::new()
        .route(PATH, get(show))
        .route(PATH, options(preflight))
        .method_not_allowed_fallback(async || Problem::new(ProblemCode::MethodNotAllowed))
        .route_layer(from_fn_with_state(state.clone(), limit_misses))
        .layer(from_fn(allow_any_origin))
}

/// Show the status to the page
///
/// For the page that shows a confirmation whose answer has `client`: each time that the WebSocket announces a change,
/// or every few seconds without a WebSocket. **The status proves nothing to your server**: it must rely on the
/// webhook. The `ETag` does not depend on `serverTime`.
#[utoipa::path(
    get,
    path = PATH,
    operation_id = "getConfirmationStatus",
    tag = "confirmations",
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
    security(("clientToken" = [])),
)]
pub(crate) async fn show(
    State(state): State<ApiState>,
    PathId(id): PathId,
    Bearer(token): Bearer<ClientToken>,
    _body: WholeBody,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let token = token.ok_or_else(not_found)?;
    let found = client_channel::status(state.ports(), id, &token).await?;
    let mut response = respond(id, found.ok_or_else(not_found)?, &headers);
    response.extensions_mut().insert(LogFields {
        confirmation: Some(id),
        ..LogFields::default()
    });
    Ok(response)
}

fn respond(id: ConfirmationId, found: ClientView, headers: &HeaderMap) -> Response {
    let ClientView {
        status,
        miss,
        expires_at,
        server_time,
    } = found;
    let missed = miss.map_or("", |miss| miss.into_str());
    let tag = format!(
        "\"{}-{}{missed}\"",
        status.into_str(),
        expires_at.as_millis()
    );
    let mut response = if if_none_match::matches(headers, &tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        Json(StatusBody {
            confirmation_id: id.to_string(),
            status: ConfirmationStatus(status),
            last_miss: miss.map(|reason| ClientMiss {
                reason: LastMissReason(reason),
            }),
            expires_at: expires_at.to_string(),
            expires_in: expires_at.since(server_time).as_secs(),
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
