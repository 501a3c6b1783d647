//! What the two ways to start a session share.

use axum::response::{IntoResponse, Response};
use countersign_domain::primitives::idempotency::RequestHash;
use countersign_domain::primitives::phone::PhoneNumber;
use countersign_domain::use_cases::start;
use countersign_domain::use_cases::start::{
    IdempotentRequest, Ports, Request, StartError, Started, find_replay, start,
};
use http::{HeaderName, HeaderValue};
use serde::Serialize;
use utoipa::ToSchema;

use crate::call::{Caller, Fields, IdempotencyHeader, JsonBody};
use crate::frame::Noted;
use crate::problem::{Problem, ProblemCode};
use crate::state::ApiState;

const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// A confirmation session (phone number API, section 2).
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConfirmationSession<'a> {
    /// Identifier of the session.
    #[schema(
        pattern = "^cfm_[0-9a-f]{32}$",
        examples("cfm_5f0c8a41f2d94e6b7a13c0de9b81d2a4")
    )]
    confirmation_id: String,
    /// The text that the person must send. Secret: show it to nobody else.
    #[schema(examples("CS-7Q2M0XK4V9T1BHNE"))]
    confirmation_message: &'a str,
    /// Links that open the text message ready to send.
    confirmation_uri: Uris<'a>,
    /// The number that the text goes to.
    #[schema(examples("+12025550199"))]
    send_to: &'a str,
    /// From then on the text no longer completes the session. UTC, ISO 8601 with milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:09:05.678Z"))]
    expires_at: String,
}

/// Links that open the text message ready to send. They hold the secret message.
#[derive(Serialize, ToSchema)]
#[schema(as = ConfirmationUri)]
struct Uris<'a> {
    /// To be shown as a QR code, which iOS and Android cameras read.
    #[schema(examples("smsto:+12025550199:CS-7Q2M0XK4V9T1BHNE"))]
    qr: &'a str,
    /// To be linked to on iOS.
    #[schema(examples("sms:+12025550199&body=CS-7Q2M0XK4V9T1BHNE"))]
    ios: &'a str,
    /// To be linked to on Android.
    #[schema(examples("smsto:+12025550199:CS-7Q2M0XK4V9T1BHNE"))]
    android: &'a str,
    /// The form of RFC 5724, for messengers on Android that fill in no text from `android`.
    #[schema(examples("sms:+12025550199?body=CS-7Q2M0XK4V9T1BHNE"))]
    sms: &'a str,
}

/// Starts a confirmation and returns the answer to its request.
///
/// The request's hash covers `route`, so an idempotency key is good for one route alone.
pub(crate) async fn answer(
    state: &ApiState,
    caller: &Caller,
    route: &str,
    IdempotencyHeader(idempotency): IdempotencyHeader,
    JsonBody(body): JsonBody,
    number: impl FnOnce(&Fields<'_>) -> Result<Option<PhoneNumber>, Problem>,
) -> Result<Response, Problem> {
    let request = {
        let fields = Fields::read(&body)?;
        Request {
            app: &caller.app,
            phone_number: number(&fields)?,
            callback: fields.callback(&state.callback_policy)?,
            metadata: fields.metadata()?,
            idempotency: idempotency.map(|key| IdempotentRequest {
                api_key: &caller.key,
                key,
                hash: RequestHash::of(route, &body),
            }),
            allowance: state.allowance(caller.app.quotas.for_confirmations()),
        }
    };
    let ports = Ports {
        store: &*state.confirmations,
        clock: &*state.clock,
        entropy: &*state.entropy,
        metrics: &*state.metrics,
    };
    let started = match state.check_room() {
        Ok(()) => start(ports, state.times, request).await.map_err(refusal)?,
        // A replay takes no room.
        Err(problem) => match find_replay(ports, &request).await {
            Ok(Some(started)) => started,
            Ok(None) => return Err(problem),
            Err(error) => return Err(refusal(error)),
        },
    };
    Ok(respond(&started))
}

fn refusal(error: StartError) -> Problem {
    match error {
        StartError::NoCallback => Problem::new(ProblemCode::FieldMissing)
            .detail("Say where the webhook goes: callbackUrl. The app has no default.")
            .at("/callbackUrl"),
        StartError::CallbackOriginNotAllowed => Problem::new(ProblemCode::CallbackOriginNotAllowed)
            .detail("Use an origin of the app's list, or add this one to it.")
            .at("/callbackUrl"),
        StartError::IdempotencyKeyReused => Problem::new(ProblemCode::IdempotencyKeyReused)
            .detail("Repeat the request byte for byte, or use a new key for a new one."),
        StartError::QuotaExceeded(exceeded) => exceeded.into(),
        StartError::Unavailable(cause) => cause.into(),
    }
}

fn respond(started: &Started) -> Response {
    let start::Started {
        confirmation,
        message,
        uri,
        replayed,
    } = started;
    let session = ConfirmationSession {
        confirmation_id: confirmation.id.to_string(),
        confirmation_message: message,
        confirmation_uri: Uris {
            qr: &uri.qr,
            ios: &uri.ios,
            android: &uri.android,
            sms: &uri.sms,
        },
        send_to: confirmation.send_to.as_str(),
        expires_at: confirmation.expires_at.to_string(),
    };
    let mut response = axum::Json(session).into_response();
    if *replayed {
        let headers = response.headers_mut();
        headers.insert(REPLAYED, HeaderValue::from_static("true"));
    }
    response.extensions_mut().insert(Noted {
        app: Some(confirmation.app.clone()),
        confirmation: Some(confirmation.id),
        ..Noted::default()
    });
    response
}
