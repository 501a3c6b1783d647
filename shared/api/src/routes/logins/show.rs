//! `GET /qr-sessions/{id}`: shows a login's status to its browser and its phone, and the login to the
//! server of its app.

pub(super) mod server;

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Json, Router};
use countersign_domain::login::{DeviceToken, Status};
use countersign_domain::use_cases::logins;
use countersign_domain::use_cases::logins::LoginStatus;
use http::header::{CACHE_CONTROL, ETAG};
use http::{HeaderMap, HeaderValue, StatusCode};
use serde::Serialize;
use utoipa::openapi::schema::OneOfBuilder;
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::answer::about;
use super::path::PathId;
use super::problems;
use crate::extract::bearer::{self, Bearer};
use crate::extract::body::{self, WholeBody};
use crate::extract::if_none_match;
use crate::extract::sender::{self, Sender};
use crate::middleware::rate_limit;
use crate::problem::Problem;
use crate::schema::problems::problems;
use crate::schema::words::words;
use crate::state::ApiState;
use server::InspectedBody;

pub(super) const PATH: &str = "/qr-sessions/{id}";

/// Browser and phone may cache the status if they revalidate it each time. Shared caches may not
/// store it.
const CACHING: HeaderValue = HeaderValue::from_static("private, no-cache");

problems![
    rate_limit::PROBLEMS,
    bearer::PROBLEMS,
    sender::PROBLEMS,
    problems::PROBLEMS,
    body::PROBLEMS,
];

words! {
    /// The status of a login.
    SessionState(Status)
}

/// The status of a login: all that the browser gets before the payload is ready.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = SessionStatus)]
pub(crate) struct StatusBody {
    /// The status.
    state: SessionState,
    /// When the login expires, or when it ended. UTC, ISO 8601 with milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:05:05.678Z"))]
    expires_at: String,
    /// The seconds until then, rounded down; 0 if the time is over. Use this if your clock may be wrong.
    #[schema(examples(30))]
    expires_in: u64,
    /// The service's time, by which a device can correct its own clock. UTC, ISO 8601 with
    /// milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:04:35.678Z"))]
    server_time: String,
}

/// The answer, in one of two forms. The first form has all members of the second, which allows no
/// others, so that no answer matches both.
pub(crate) struct SessionBody;

impl PartialSchema for SessionBody {
    fn schema() -> RefOr<Schema> {
        OneOfBuilder::new()
            .title(Some("SessionView"))
            .description(Some(
                "A login: all of it with the app's API key, its status with a token.",
            ))
            .item(Ref::from_schema_name("InspectedSession"))
            .item(Ref::from_schema_name("SessionStatus"))
            .into()
    }
}

impl ToSchema for SessionBody {
    fn name() -> std::borrow::Cow<'static, str> {
        "SessionView".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push(("SessionStatus".to_owned(), StatusBody::schema()));
        StatusBody::schemas(schemas);
        schemas.push(("InspectedSession".to_owned(), InspectedBody::schema()));
        InspectedBody::schemas(schemas);
    }
}

pub(super) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, get(show))
}

/// Show a login
///
/// For the browser that opened it and the phone that opened its code: each time that the WebSocket
/// announces a change, or every few seconds without a WebSocket. The `ETag` does not depend on
/// `serverTime`.
///
/// The app's server sees any login of its app, without a payload; with a test key, only tests. A page that shows a
/// login opened by the app's server watches it with a token derived from the login's own token. **Never accept an id as
/// a credential**: the code is visible on a screen, so everyone near it can read the id.
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
        (status = 200, description = "The status, or the login for the app's server.", body = SessionBody,
            headers(("etag" = String, description = "Identifies this answer."))),
        (status = 304, description = "Nothing has changed.",
            headers(("etag" = String, description = "Identifies the answer that is still valid."))),
        Problems,
    ),
    security(("browserToken" = []), ("mobileToken" = []), ("pageToken" = []), ("apiKey" = [])),
)]
pub(crate) async fn show(
    State(state): State<ApiState>,
    sender: Sender<Bearer<DeviceToken>>,
    _body: WholeBody,
    id: PathId,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let ports = state.login_ports()?;
    match sender {
        Sender::Device(bearer) => {
            let (id, token) = id.with_token(bearer)?;
            let found = logins::status(ports, id, &token).await;
            let answer = found.map(|found| respond(found, &headers));
            Ok(about(id, None, answer.map_err(Problem::from)))
        }
        Sender::Server(caller) => {
            let (id, app) = (id.known()?, caller.app.id.clone());
            let found = logins::inspect(ports, id, caller.scope()).await;
            let answer = found.map(|found| server::respond(&found));
            Ok(about(id, Some(app), answer.map_err(Problem::from)))
        }
    }
}

fn respond(found: LoginStatus, headers: &HeaderMap) -> Response {
    let LoginStatus {
        status,
        expires_at,
        server_time,
    } = found;
    let tag = format!("\"{}-{}\"", status.into_str(), expires_at.as_millis());
    let mut response = if if_none_match::matches(headers, &tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        Json(StatusBody {
            state: SessionState(status),
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
