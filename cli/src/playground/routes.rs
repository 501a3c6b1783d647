//! The routes that the page calls.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use countersign_api::{Problem, ProblemCode};
use countersign_inbound::generic;
use serde::Deserialize;
use serde_json::{Value, json};

use super::body::parse;
use super::confirmations::Confirmation;
use super::in_process::CallResult;
use super::latest::new_token;
use super::origin::OwnServer;
use super::qr::QrImage;
use super::receiver::{Arrival, verify};
use super::{Shared, events, origin, phones};
use crate::published_keys::PublishedKeys;

/// Returns everything under `/playground/`. Only the pages of `own` may make changes.
pub(super) fn router(shared: Arc<Shared>, own: Arc<OwnServer>) -> Router {
    Router::new()
        .route("/playground/confirmations", post(start))
        .route(
            "/playground/confirmations/{token}",
            get(show).delete(cancel),
        )
        .route("/playground/confirmations/{token}/text", post(text))
        .route(
            "/playground/confirmations/{token}/redeliver",
            post(redeliver),
        )
        .route(
            "/playground/confirmations/{token}/events",
            get(events::watch),
        )
        .route("/playground/facts", get(facts))
        .merge(phones::routes())
        .route_layer(middleware::from_fn_with_state(own, origin::require_own))
        // Users guess the page's address from the addresses of its parts.
        .route("/playground", get(async || Redirect::to("/")))
        .route("/playground/", get(async || Redirect::to("/")))
        // The service, not the page, calls this route, so requests have no origin.
        .route("/playground/webhooks/{token}", post(webhook))
        .with_state(shared)
}

/// Returns public facts that the page cannot determine itself.
async fn facts(State(shared): State<Arc<Shared>>) -> Response {
    Json(json!({
        "appKey": shared.app_key.as_str(),
        "command": shared.command,
    }))
    .into_response()
}

/// The page's request to start a confirmation.
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
    let token = new_token(shared.entropy.as_ref());
    let callback = format!("{}/playground/webhooks/{token}", shared.nearby_url);
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
        "qr": QrImage::encode(&qr),
    });
    let answer = Json(&started).into_response();
    shared
        .confirmations
        .keep(token, Confirmation::new(id, send_to, started));
    Ok(answer)
}

/// Returns what the page received when it started the confirmation, for a reloaded page.
async fn show(
    State(shared): State<Arc<Shared>>,
    Path(token): Path<String>,
) -> Result<Response, Problem> {
    let started = shared.started(&token)?;
    Ok(Json(&started.start_answer).into_response())
}

async fn cancel(
    State(shared): State<Arc<Shared>>,
    Path(token): Path<String>,
) -> Result<Response, Problem> {
    let started = shared.started(&token)?;
    let path = format!("/confirmations/{}", started.id);
    let answer = shared.api.call(Method::DELETE, &path, None).await?;
    started.wake();
    Ok(answer.into_response())
}

async fn redeliver(
    State(shared): State<Arc<Shared>>,
    Path(token): Path<String>,
) -> Result<Response, Problem> {
    let started = shared.started(&token)?;
    let path = format!("/confirmations/{}/redeliver", started.id);
    let answer = shared.api.call(Method::POST, &path, None).await?;
    started.wake();
    Ok(answer.into_response())
}

/// A text from the simulated phone.
#[derive(Deserialize)]
struct Sent {
    from: String,
    message: String,
    to: Option<String>,
}

/// Sends a text from the simulated phone and returns the confirmation's new state, because the
/// provider route's 2xx is the same for a text without effect.
async fn text(
    State(shared): State<Arc<Shared>>,
    Path(token): Path<String>,
    body: Bytes,
) -> Result<Response, Problem> {
    let started = shared.started(&token)?;
    let sent: Sent = parse(&body)?;
    let to = sent.to.as_deref().unwrap_or(&started.send_to);
    let body = generic::body(&sent.from, to, &sent.message, None);
    let id = format!("msg_{}", new_token(shared.entropy.as_ref()));
    let answer = shared.api.text(&id, shared.clock.now(), body).await?;
    started.wake();
    if !answer.status.is_success() {
        return Ok(answer.into_response());
    }
    let confirmation = shared.fetch(&started).await?.json()?;
    let outcome = json!({
        "answered": answer.status.as_u16(),
        "confirmation": confirmation,
    });
    Ok(Json(outcome).into_response())
}

/// Receives webhooks from the service. Answers 410 for an evicted confirmation.
async fn webhook(
    State(shared): State<Arc<Shared>>,
    Path(token): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<StatusCode, Problem> {
    let Some(started) = shared.confirmations.find(&token) else {
        return Ok(StatusCode::GONE);
    };
    let keys = shared.api.keys().await?;
    let keys = PublishedKeys::from_jwks(&String::from_utf8_lossy(keys.text()))
        .map_err(|error| Problem::ours(ProblemCode::InternalError, error))?;
    let verdict = verify(&headers, &body, &keys, &started.id);
    let received_at = shared.clock.now().to_string();
    started.receive(Arrival::new(&headers, &body, received_at, verdict));
    Ok(verdict.status())
}

impl Shared {
    /// Returns the confirmation that the page started under this token.
    pub(super) fn started(&self, token: &str) -> Result<Arc<Confirmation>, Problem> {
        let unknown = "The playground no longer knows this confirmation. Start a new one.";
        self.confirmations
            .find(token)
            .ok_or_else(|| Problem::new(ProblemCode::NotFound).detail(unknown))
    }

    /// Fetches a confirmation from the API.
    pub(super) async fn fetch(&self, started: &Confirmation) -> CallResult {
        let path = format!("/confirmations/{}", started.id);
        self.api.call(Method::GET, &path, None).await
    }
}
