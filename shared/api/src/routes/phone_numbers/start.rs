//! Starting a confirmation: the code that both routes share.

use axum::Json;
use axum::response::{IntoResponse as _, Response};
use countersign_domain::app::template::TemplateLanguage;
use countersign_domain::primitives::canonical_json::CanonicalObject;
use countersign_domain::primitives::idempotency::RequestHash;
use countersign_domain::primitives::phone::{Country, PhoneNumber};
use countersign_domain::use_cases::start::{
    IdempotentRequest, Request, StartError, Started, find_replay, start,
};
use countersign_domain::web::callback_url::CallbackUrl;
use http::{HeaderName, HeaderValue};
use serde::Serialize;
use utoipa::ToSchema;

use super::status;
use crate::extract::api_key::Caller;
use crate::extract::idempotency_key::IdempotencyHeader;
use crate::extract::json_body::JsonBody;
use crate::middleware::log::LogFields;
use crate::problem::{Problem, ProblemCode};
use crate::state::ApiState;

const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// Problems of starting a confirmation.
pub(super) const PROBLEMS: &[ProblemCode] = &[
    ProblemCode::FieldMissing,
    ProblemCode::CallbackOriginNotAllowed,
    ProblemCode::IdempotencyKeyReused,
    ProblemCode::AppRateExceeded,
    ProblemCode::AppOpenExceeded,
];

/// A confirmation that has been started (phone number API, section 2).
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ConfirmationSession)]
pub(crate) struct StartedConfirmation<'a> {
    /// The id of the confirmation.
    #[schema(
        pattern = "^cfm_[0-9a-f]{32}$",
        examples("cfm_5f0c8a41f2d94e6b7a13c0de9b81d2a4")
    )]
    confirmation_id: String,
    /// The number to confirm, in E.164: the format that the webhook uses, however the number was sent. Absent in an
    /// acquisition.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        nullable = false,
        pattern = r"^\+[1-9][0-9]{6,14}$",
        examples("+12025550100")
    )]
    phone_number: Option<&'a str>,
    /// The text that the user must send. Secret: show it only to this user.
    #[schema(examples("CS-7Q2M0XK4V9T1BHNE"))]
    confirmation_message: &'a str,
    /// Links that open the messages app, or WhatsApp, with the text filled in.
    confirmation_uri: MessageLinks<'a>,
    /// The number to send the text to.
    #[schema(examples("+12025550199"))]
    send_to: &'a str,
    /// The country of that number (ISO 3166-1), from which the user can tell what the text costs. Absent if the
    /// number belongs to no country.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, pattern = "^[A-Z]{2}$", examples("US"))]
    send_to_country: Option<String>,
    /// When the confirmation expires. UTC, ISO 8601 with milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:09:05.678Z"))]
    expires_at: String,
    /// The seconds until then, rounded down; 0 if the time is over. Use this if your clock may be wrong.
    #[schema(examples(300))]
    expires_in: u64,
    /// The service's time. UTC, ISO 8601 with milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:04:05.678Z"))]
    server_time: String,
    /// Present if the request has `"clientChannel": true`: give it to the page that shows the confirmation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    client: Option<Client>,
    /// `true` if a test key started it: no text from a phone completes it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    test: bool,
}

/// Lets the page that shows a confirmation fetch its status, and nothing else about it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ConfirmationClient)]
struct Client {
    /// The page's token.
    #[schema(
        pattern = "^[A-Za-z0-9_-]{43}$",
        examples("mBq7wPKQ8DPZJ9x0R0R4l0bZ0s2mC1Xy5b3lYH2T7kE")
    )]
    token: String,
    /// The URL of the status, fetched with the token.
    #[schema(
        format = "uri",
        examples(
            "https://countersign.example/confirmation-status/cfm_5f0c8a41f2d94e6b7a13c0de9b81d2a4"
        )
    )]
    status_url: String,
    /// The WebSocket that announces when to fetch it.
    #[schema(format = "uri", examples("wss://countersign.example/qr-socket"))]
    socket_url: String,
}

/// Links that open the messages app, or WhatsApp, with the text filled in. The links contain the secret
/// text.
#[derive(Serialize, ToSchema)]
#[schema(as = ConfirmationUri)]
struct MessageLinks<'a> {
    /// To be shown as a QR code, which iOS and Android cameras read.
    #[schema(examples("smsto:+12025550199:CS-7Q2M0XK4V9T1BHNE"))]
    qr: &'a str,
    /// To be linked to on iOS.
    #[schema(examples("sms:+12025550199&body=CS-7Q2M0XK4V9T1BHNE"))]
    ios: &'a str,
    /// The format of the specification. As a link, Android's open-source messages app opens it without
    /// the text: use `sms`.
    #[schema(examples("smsto:+12025550199:CS-7Q2M0XK4V9T1BHNE"))]
    android: &'a str,
    /// To be linked to on Android, where messages apps read the text after `?body=` (RFC 5724).
    #[schema(examples("sms:+12025550199?body=CS-7Q2M0XK4V9T1BHNE"))]
    sms: &'a str,
    /// Opens WhatsApp, on phones and desktops. Present only if the app has a number on WhatsApp. A
    /// text over WhatsApp proves an account, not a SIM.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        nullable = false,
        examples("https://wa.me/12025550177?text=CS-7Q2M0XK4V9T1BHNE")
    )]
    whatsapp: Option<&'a str>,
}

/// The parsed parts of a request: the number, and the destination of the result.
pub(super) struct Target {
    /// The number, if it is known.
    pub(super) phone_number: Option<PhoneNumber>,
    pub(super) country: Option<Country>,
    pub(super) language: Option<TemplateLanguage>,
    pub(super) callback: Option<CallbackUrl>,
    pub(super) client_channel: bool,
    pub(super) metadata: CanonicalObject,
}

/// Starts a confirmation and returns the answer. Idempotent requests are matched by `route` and body.
pub(super) async fn answer(
    state: &ApiState,
    caller: &Caller,
    route: &str,
    IdempotencyHeader(idempotency): IdempotencyHeader,
    JsonBody(body): &JsonBody,
    target: Target,
) -> Result<Response, Problem> {
    let request = Request {
        app: &caller.app,
        mode: caller.key.mode(),
        phone_number: target.phone_number,
        country: target.country,
        language: target.language,
        callback: target.callback,
        metadata: target.metadata,
        client_channel: target.client_channel,
        idempotency: idempotency.map(|key| IdempotentRequest {
            api_key: &caller.key,
            key,
            hash: RequestHash::new(route, body),
        }),
        allowance: state.allowance(caller.app.quotas.for_confirmations()),
    };
    // Cloned for replays too, since the stored number may have been erased by then.
    let phone_number = request.phone_number.clone();
    let ports = state.ports();
    let started = match state.check_room() {
        Ok(()) => start(ports, state.times, request).await.map_err(problem)?,
        // A replay stores nothing, so it needs no room.
        Err(full) => match find_replay(ports, &request).await {
            Ok(Some(started)) => started,
            Ok(None) => return Err(full),
            Err(error) => return Err(problem(error)),
        },
    };
    respond(state, phone_number.as_ref(), &started)
}

pub(crate) fn problem(error: StartError) -> Problem {
    match error {
        StartError::NoCallback => Problem::new(ProblemCode::FieldMissing)
            .detail("Send callbackUrl, where the webhook goes: the app has no default.")
            .at("/callbackUrl"),
        StartError::CallbackOriginNotAllowed => Problem::new(ProblemCode::CallbackOriginNotAllowed)
            .detail("Use an origin from the app's list, or add this one to the list.")
            .at("/callbackUrl"),
        StartError::NumberTypeRefused => Problem::new(ProblemCode::NumberTypeRefused)
            .detail("Ask the user for a mobile number: the app refuses numbers of this type.")
            .at("/phoneNumber"),
        StartError::IdempotencyKeyReused => Problem::new(ProblemCode::IdempotencyKeyReused)
            .detail("Repeat the request byte for byte, or use a new key for a new request."),
        StartError::QuotaExceeded(exceeded) => exceeded.into(),
        StartError::Unavailable(cause) => cause.into(),
    }
}

pub(crate) fn respond(
    state: &ApiState,
    phone_number: Option<&PhoneNumber>,
    started: &Started,
) -> Result<Response, Problem> {
    let now = state.clock.now();
    let Started {
        confirmation,
        send_to_country,
        message,
        client_token,
        uri,
        replayed,
    } = started;
    let client = client_token.as_ref().map(|token| {
        let Some(channel) = &state.client_channel else {
            return Err(Problem::ours(
                ProblemCode::InternalError,
                "no address for pages",
            ));
        };
        Ok(Client {
            token: token.reveal(),
            status_url: format!("{}{}", channel.service_url, status::path(&confirmation.id)),
            socket_url: channel.socket_url.clone(),
        })
    });
    let body = StartedConfirmation {
        confirmation_id: confirmation.id.to_string(),
        phone_number: phone_number.map(PhoneNumber::as_str),
        confirmation_message: message,
        confirmation_uri: MessageLinks {
            qr: &uri.qr,
            ios: &uri.ios,
            android: &uri.android,
            sms: &uri.sms,
            whatsapp: uri.whatsapp.as_deref(),
        },
        send_to: confirmation.send_to.as_str(),
        send_to_country: send_to_country.as_ref().map(Country::to_string),
        expires_at: confirmation.expires_at.to_string(),
        expires_in: confirmation.expires_at.since(now).as_secs(),
        server_time: now.to_string(),
        client: client.transpose()?,
        test: confirmation.test,
    };
    let mut response = Json(body).into_response();
    if *replayed {
        let headers = response.headers_mut();
        headers.insert(REPLAYED, HeaderValue::from_static("true"));
    }
    response.extensions_mut().insert(LogFields {
        app: Some(confirmation.app.clone()),
        confirmation: Some(confirmation.id),
        ..LogFields::default()
    });
    Ok(response)
}
