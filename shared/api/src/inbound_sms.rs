//! `POST /inbound-sms/{provider}`: a text arrived.

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::{Json, Router};
use countersign_domain::event::Event;
use countersign_domain::use_cases::receive_text::{Ports, receive_text};
use countersign_inbound::{InboundError, InboundRequest, MalformedText, Provider};
use http::HeaderMap;
use serde::Serialize;
use utoipa::ToSchema;

use crate::call::WholeBody;
use crate::frame::Noted;
use crate::openapi::GenericText;
use crate::problem::{Problem, ProblemCode};
use crate::state::ApiState;

/// What a provider is answered, whatever the text did: what a code opened, or that it opened
/// nothing, is for nobody who sends texts.
#[derive(Serialize, ToSchema)]
pub(crate) struct TextReceived {
    /// Always `true`.
    received: bool,
}

/// The function's routes, ready to be served.
pub fn router(state: ApiState) -> Router {
    crate::alone(routes(), state)
}

pub(crate) fn routes() -> Router<ApiState> {
    Provider::ALL
        .into_iter()
        .fold(Router::new(), |router, provider| {
            let path = format!("/inbound-sms/{}", provider.name());
            router.route(
                &path,
                match provider {
                    Provider::Generic => post(receive_generic),
                },
            )
        })
}

/// Hand a text in
///
/// For whoever receives texts and has no integration of its own here. The call is signed by the
/// scheme of Standard Webhooks: HMAC-SHA256 with the deployment's inbound secret. The answer does
/// not tell what the text did. Repeat a call that is answered 5xx, with the same `webhook-id`.
#[utoipa::path(
    post,
    path = "/inbound-sms/generic",
    operation_id = "receiveText",
    tag = "texts",
    params(
        ("webhook-id" = String, Header, min_length = 1, max_length = 256,
            description = "The text's id, the same each time it is handed in."),
        ("webhook-timestamp" = String, Header, pattern = "^[0-9]{1,11}$",
            description = "When the call was signed, in seconds since 1970. Within five minutes of now."),
        ("webhook-signature" = String, Header, example = "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
            description = "`v1,` and the Base64 of HMAC-SHA256 over `id.timestamp.body`. Several, with spaces between, while a secret is replaced."),
    ),
    request_body(content = GenericText, description = "The text.",
        example = json!({"from": "+12025550100", "to": "+12025550199", "text": "CS-7Q2M0XK4V9T1BHNE", "carrier": "Example Wireless"})),
    responses((status = 200, description = "The text was taken, whatever it did.", body = TextReceived)),
)]
pub(crate) async fn receive_generic(
    state: State<ApiState>,
    headers: HeaderMap,
    body: WholeBody,
) -> Result<Response, Problem> {
    receive(Provider::Generic, state, headers, body).await
}

async fn receive(
    provider: Provider,
    State(state): State<ApiState>,
    headers: HeaderMap,
    WholeBody(body): WholeBody,
) -> Result<Response, Problem> {
    let request = InboundRequest {
        headers: &headers,
        body: &body,
    };
    let message = state
        .inbound
        .authenticate_and_parse(provider, request, state.clock.now())
        .map_err(|error| {
            state.metrics.count(&Event::InboundRefused);
            refusal(error)
        })?;
    let ports = Ports {
        store: &*state.confirmations,
        apps: &*state.apps,
        queue: &*state.queue,
        clock: &*state.clock,
        metrics: &*state.metrics,
    };
    let received = receive_text(ports, state.times, &message).await?;
    let mut response = Json(TextReceived { received: true }).into_response();
    response.extensions_mut().insert(Noted {
        confirmation: received.confirmation(),
        text: Some(received.event().name()),
        sender: message.masked_sender(),
        ..Noted::default()
    });
    Ok(response)
}

fn refusal(error: InboundError) -> Problem {
    match error {
        InboundError::NotConfigured => Problem::new(ProblemCode::NotFound),
        InboundError::NotAuthentic => Problem::new(ProblemCode::InboundNotAuthentic),
        InboundError::TooOld => Problem::new(ProblemCode::InboundTooOld)
            .detail("Sign each call anew when it is sent, and set the clock."),
        InboundError::Malformed(what) => malformed(what),
    }
}

/// Only who has the secret gets here, so it may be said what is wrong.
fn malformed(what: MalformedText) -> Problem {
    let problem = Problem::new(ProblemCode::InboundMalformed);
    let at = |name| match name {
        "from" => "/from",
        "to" => "/to",
        "text" => "/text",
        _ => "/carrier",
    };
    match what {
        MalformedText::Json(_) => problem.detail("Send a JSON object without duplicate members."),
        MalformedText::Missing(name) => problem.detail("It is missing.").at(at(name)),
        MalformedText::NotAString(name) => problem.detail("It must be a string.").at(at(name)),
    }
}
