//! What the phone does: open the code, confirm, deny.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use countersign_domain::login::token::Mobile;
use countersign_domain::use_cases::logins;
use countersign_domain::use_cases::logins::InitiateRequest;

use super::representation::{OpenedSession, opened};
use super::{Id, about, named, refusal, written};
use crate::call::{Bearer, JsonBody, OfApp};
use crate::openapi::{DecisionRequest, InitiateSessionRequest, SESSION_ID};
use crate::problem::Problem;
use crate::state::ApiState;
use crate::viewer::Visiting;

/// Open a code
///
/// For the phone that scanned it. The phone draws a token of 32 random bytes, writes it in
/// base64url, sends it here, and proves with it afterwards that it is the same. Repeated with the
/// same token the answer is the same; another token is another phone, and stops the session. The
/// answer is what the person has to see before they decide. An empty body counts as `{}`.
#[utoipa::path(
    post,
    path = "/qr-sessions/{id}/initiate",
    operation_id = "initiateSession",
    tag = "logins",
    params(("id" = String, Path, description = SESSION_ID, pattern = "^qrs_[0-9a-f]{32}$")),
    request_body(content = InitiateSessionRequest, description = "Who the person says that they are.",
        example = json!({"publicUserId": "person@example.com"})),
    responses((status = 200, description = "The session, which this phone decides.", body = OpenedSession)),
    security(("appKey" = [], "mobileToken" = [])),
)]
pub(crate) async fn initiate(
    State(state): State<ApiState>,
    bearer: Bearer<Mobile>,
    OfApp(app): OfApp,
    JsonBody(body): JsonBody,
    id: Id,
    Visiting(phone): Visiting,
) -> Result<Response, Problem> {
    let user = written::public_user_id(&body)?;
    let (id, token) = named(id, bearer)?;
    let request = InitiateRequest {
        app: &app,
        id,
        token: &token,
        phone,
        user,
    };
    let answer = logins::initiate(state.login_ports()?, request).await;
    let answer = answer.map_err(refusal::of_initiate);
    let answer = answer.and_then(|session| opened(&session));
    Ok(about(id, Some(app.id.clone()), answer))
}

/// Confirm a session
///
/// For the phone that opened it, once the person said yes. The same confirmation again is answered
/// the same. Where `riskStatus` was `deny` it is refused, and the session is stopped.
#[utoipa::path(
    post,
    path = "/qr-sessions/{id}/confirm",
    operation_id = "confirmSession",
    tag = "logins",
    params(("id" = String, Path, description = SESSION_ID, pattern = "^qrs_[0-9a-f]{32}$")),
    request_body(content = DecisionRequest, description = "What the browser gets.", examples(
        ("encrypted" = (summary = "Encrypted for the browser's key", value = json!({"payload": "BAswVXqfxOkOM1h9osfsETZbgKXK7xQ5XoOozfIXPGGGq9D1Gj9kia7T-B1CZ4yx1vsgRWqPtNn-I0htkrfcASYk0pD-qv8QZ1m6F0cWvT3uYw2nJc5kRaLh", "encrypted": true}))),
        ("clear" = (summary = "Where the app allows it", value = json!({"payload": "session-token"}))),
    )),
    responses((status = 200, description = "`true`: the payload waits for the browser.",
        body = bool, content_type = "application/json")),
    security(("mobileToken" = [])),
)]
pub(crate) async fn confirm(
    State(state): State<ApiState>,
    bearer: Bearer<Mobile>,
    JsonBody(body): JsonBody,
    id: Id,
) -> Result<Response, Problem> {
    let payload = written::payload(&body)?;
    let encrypted = payload.is_encrypted();
    let (id, token) = named(id, bearer)?;
    let confirmed = logins::confirm(state.login_ports()?, id, &token, payload).await;
    let answer = confirmed.map_err(|error| refusal::of_confirm(error, encrypted));
    Ok(about(id, None, answer.map(|()| Json(true).into_response())))
}

/// Deny a session
///
/// For the phone that opened it, once the person said no. Denied again it is answered the same.
#[utoipa::path(
    post,
    path = "/qr-sessions/{id}/deny",
    operation_id = "denySession",
    tag = "logins",
    params(("id" = String, Path, description = SESSION_ID, pattern = "^qrs_[0-9a-f]{32}$")),
    request_body(content = DecisionRequest, description = "What the app's server is told, where it wants to be.", examples(
        ("empty" = (summary = "Nothing but the denial", value = json!({"payload": ""}))),
        ("reason" = (summary = "With words for the app's server", value = json!({"payload": "not me"}))),
    )),
    responses((status = 200, description = "`true`: it is over.",
        body = bool, content_type = "application/json")),
    security(("mobileToken" = [])),
)]
pub(crate) async fn deny(
    State(state): State<ApiState>,
    bearer: Bearer<Mobile>,
    JsonBody(body): JsonBody,
    id: Id,
) -> Result<Response, Problem> {
    let payload = written::payload(&body)?;
    let (id, token) = named(id, bearer)?;
    let denied = logins::deny(state.login_ports()?, id, &token, payload).await;
    let answer = denied.map_err(refusal::of_deny);
    Ok(about(id, None, answer.map(|()| Json(true).into_response())))
}
