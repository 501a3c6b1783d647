//! What the page can ask for.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use countersign_api::{Problem, ProblemCode};
use countersign_inbound::generic;
use serde::Deserialize;
use serde_json::{Value, json};

use super::body::parse;
use super::in_process::Called;
use super::latest::token;
use super::qr::QrImage;
use super::receiver::{Arrival, judge};
use super::sessions::Session;
use super::{Shared, events, origin, phones};
use crate::published_keys::PublishedKeys;

/// Everything under `/playground/`. `own` is the origin whose pages may change something.
pub(super) fn router(shared: Arc<Shared>, own: Arc<str>) -> Router {
    Router::new()
        .route("/playground/sessions", post(start))
        .route("/playground/sessions/{token}", get(show).delete(cancel))
        .route("/playground/sessions/{token}/text", post(text))
        .route("/playground/sessions/{token}/redeliver", post(redeliver))
        .route("/playground/sessions/{token}/events", get(events::watch))
        .route("/playground/facts", get(facts))
        .merge(phones::routes())
        .route_layer(middleware::from_fn_with_state(own, origin::require_own))
        // Not the page calls here but the service, which has no origin.
        .route("/playground/webhooks/{token}", post(webhook))
        .with_state(shared)
}

/// What the page cannot know by itself, and anybody may.
async fn facts(State(shared): State<Arc<Shared>>) -> Response {
    Json(json!({
        "appKey": shared.app_key.as_str(),
        "command": shared.command,
    }))
    .into_response()
}

/// What the page asks for when it starts a session.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Start {
    flow: Flow,
    phone_number: Option<String>,
    metadata: Option<Value>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Flow {
    Acquisition,
    Confirmation,
}

async fn start(State(shared): State<Arc<Shared>>, body: Bytes) -> Result<Response, Problem> {
    let wanted: Start = parse(&body)?;
    let token = token(shared.entropy.as_ref());
    let callback = format!("{}/playground/webhooks/{token}", shared.url);
    let mut request = json!({ "callbackUrl": callback });
    let path = match wanted.flow {
        Flow::Acquisition => "/acquire-phone-number",
        Flow::Confirmation => {
            if let Some(number) = wanted.phone_number {
                request["phoneNumber"] = number.into();
            }
            "/make-confirmation"
        }
    };
    if let Some(metadata) = wanted.metadata {
        request["metadata"] = metadata;
    }
    let answer = shared.api.call(Method::POST, path, Some(&request)).await?;
    if !answer.status.is_success() {
        return Ok(answer.into_response());
    }
    let confirmation = answer.json()?;
    let field = |value: &Value| Some(value.as_str()?.to_owned());
    let (Some(id), Some(send_to), Some(qr)) = (
        field(&confirmation["confirmationId"]),
        field(&confirmation["sendTo"]),
        field(&confirmation["confirmationUri"]["qr"]),
    ) else {
        let cause = "the API's answer lacks a field";
        return Err(Problem::ours(ProblemCode::InternalError, cause));
    };
    let started = json!({
        "token": token,
        "startedAt": shared.clock.now().to_string(),
        "request": { "path": path, "body": request },
        "confirmation": confirmation,
        "qr": QrImage::of(&qr),
    });
    let answer = Json(&started).into_response();
    shared
        .sessions
        .keep(token, Session::new(id, send_to, started));
    Ok(answer)
}

/// What the page was told when it began, for one that was reloaded.
async fn show(
    State(shared): State<Arc<Shared>>,
    Path(token): Path<String>,
) -> Result<Response, Problem> {
    let session = shared.session(&token)?;
    Ok(Json(&session.started).into_response())
}

async fn cancel(
    State(shared): State<Arc<Shared>>,
    Path(token): Path<String>,
) -> Result<Response, Problem> {
    let session = shared.session(&token)?;
    let path = format!("/confirmations/{}", session.confirmation_id);
    let answer = shared.api.call(Method::DELETE, &path, None).await?;
    session.wake();
    Ok(answer.into_response())
}

async fn redeliver(
    State(shared): State<Arc<Shared>>,
    Path(token): Path<String>,
) -> Result<Response, Problem> {
    let session = shared.session(&token)?;
    let path = format!("/confirmations/{}/redeliver", session.confirmation_id);
    let answer = shared.api.call(Method::POST, &path, None).await?;
    session.wake();
    Ok(answer.into_response())
}

/// What the simulated phone sends.
#[derive(Deserialize)]
struct Sent {
    from: String,
    message: String,
    to: Option<String>,
}

/// Hands in what the simulated phone sends, and answers where the session stands then: the
/// provider's 2xx is the same for a text that changed nothing.
async fn text(
    State(shared): State<Arc<Shared>>,
    Path(session): Path<String>,
    body: Bytes,
) -> Result<Response, Problem> {
    let session = shared.session(&session)?;
    let sent: Sent = parse(&body)?;
    let to = sent.to.as_deref().unwrap_or(&session.send_to);
    let body = generic::body(&sent.from, to, &sent.message, None);
    let id = format!("msg_{}", token(shared.entropy.as_ref()));
    let answer = shared.api.text(&id, shared.clock.now(), body).await?;
    session.wake();
    if !answer.status.is_success() {
        return Ok(answer.into_response());
    }
    let confirmation = shared.confirmation(&session).await?.json()?;
    let told = json!({
        "answered": answer.status.as_u16(),
        "confirmation": confirmation,
    });
    Ok(Json(told).into_response())
}

/// Receives what the service sends. A session that made room for others is gone for good.
async fn webhook(
    State(shared): State<Arc<Shared>>,
    Path(token): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<StatusCode, Problem> {
    let Some(session) = shared.sessions.find(&token) else {
        return Ok(StatusCode::GONE);
    };
    let keys = shared.api.keys().await?;
    let keys = PublishedKeys::from_jwks(&String::from_utf8_lossy(keys.text()))
        .map_err(|error| Problem::ours(ProblemCode::InternalError, error))?;
    let verdict = judge(&headers, &body, &keys, &session.confirmation_id);
    let received_at = shared.clock.now().to_string();
    session.receive(Arrival::new(&headers, &body, received_at, verdict));
    Ok(verdict.status())
}

impl Shared {
    /// The session that a page names.
    pub(super) fn session(&self, token: &str) -> Result<Arc<Session>, Problem> {
        let unknown = "The playground no longer knows this session. Start a new one.";
        self.sessions
            .find(token)
            .ok_or_else(|| Problem::new(ProblemCode::NotFound).detail(unknown))
    }

    /// What the API says of a session's confirmation.
    pub(super) async fn confirmation(&self, session: &Session) -> Called {
        let path = format!("/confirmations/{}", session.confirmation_id);
        self.api.call(Method::GET, &path, None).await
    }
}
