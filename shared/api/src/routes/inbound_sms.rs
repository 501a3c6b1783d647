//! `POST /inbound-sms/{provider}`: an SMS provider hands in a text.

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::{Json, Router};
use countersign_domain::confirmation::text::InboundMessage;
use countersign_domain::event::Event;
use countersign_domain::use_cases::receive_text::{Ports, receive_text};
use countersign_inbound::{Call, Content, Inbound, InboundError, MalformedText, generic};
use http::{HeaderMap, Method};
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::body::{self, WholeBody};
use crate::middleware::log::LogFields;
use crate::problem::{Problem, ProblemCode};
use crate::schema::problems::problems;
use crate::state::ApiState;

problems![
    body::PROBLEMS,
    &[
        ProblemCode::NotFound,
        ProblemCode::InboundNotAuthentic,
        ProblemCode::InboundTooOld,
        ProblemCode::InboundMalformed,
    ],
];

/// A text that arrived.
#[derive(ToSchema)]
#[expect(
    dead_code,
    reason = "describes the body, which countersign-inbound parses"
)]
pub(crate) struct GenericText {
    /// The sender, in E.164.
    #[schema(examples("+12025550100"))]
    from: String,
    /// The number that the text was sent to, as in `sendTo`.
    #[schema(examples("+12025550199"))]
    to: String,
    /// The text.
    #[schema(examples("CS-7Q2M0XK4V9T1BHNE"))]
    text: String,
    /// The sender's carrier, if you know it.
    #[schema(examples("Example Wireless"))]
    carrier: Option<String>,
}

/// The answer to a provider, which is the same whatever the text did: senders must not learn whether
/// a code exists.
#[derive(Serialize, ToSchema)]
pub(crate) struct TextReceived {
    /// Always `true`.
    received: bool,
}

/// Returns the route of the generic provider.
pub(crate) fn routes() -> Router<ApiState> {
    Router::new().route("/inbound-sms/generic", post(receive_generic))
}

/// Hand a text in
///
/// For SMS providers without an integration of their own. The call is signed according to Standard
/// Webhooks: HMAC-SHA256 with the deployment's inbound secret. The answer does not say what the text
/// did. If it is 5xx, repeat the call with the same `webhook-id`.
#[utoipa::path(
    post,
    path = "/inbound-sms/generic",
    operation_id = "receiveText",
    tag = "texts",
    params(
        ("webhook-id" = String, Header, min_length = 1, max_length = 256,
            description = "The text's id, the same whenever the call is repeated."),
        ("webhook-timestamp" = String, Header, pattern = "^[0-9]{1,11}$",
            description = "When the call was signed, in seconds since 1970; at most five minutes from now."),
        ("webhook-signature" = String, Header, example = "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
            description = "`v1,` and the Base64 of HMAC-SHA256 over `id.timestamp.body`. Several signatures, separated by spaces, while a secret is being replaced."),
    ),
    request_body(content = GenericText, description = "The text.",
        example = json!({"from": "+12025550100", "to": "+12025550199", "text": "CS-7Q2M0XK4V9T1BHNE", "carrier": "Example Wireless"})),
    responses(
        (status = 200, description = "The text was received, whatever it did.", body = TextReceived),
        Problems,
    ),
)]
pub(crate) async fn receive_generic(
    state: State<ApiState>,
    headers: HeaderMap,
    body: WholeBody,
) -> Result<Response, Problem> {
    receive(generic::NAME, state, headers, body).await
}

async fn receive(
    provider: &'static str,
    State(state): State<ApiState>,
    headers: HeaderMap,
    WholeBody(body): WholeBody,
) -> Result<Response, Problem> {
    let call = Call {
        method: &Method::POST,
        query: None,
        headers: &headers,
        body: &body,
    };
    let reading = state.inbound.read(provider, call, state.clock.now()).await;
    let reading = reading.map_err(|error| {
        state.metrics.count(&Event::InboundRefused);
        problem(error)
    })?;
    let mut response = Json(TextReceived { received: true }).into_response();
    let Content::Events(events) = reading.content else {
        return Ok(response);
    };
    for event in events {
        if let Inbound::Text { message, .. } = event {
            let fields = receive_one(&state, &message).await?;
            response.extensions_mut().insert(fields);
        }
    }
    Ok(response)
}

/// Handles a text and returns what is logged of it.
async fn receive_one(state: &ApiState, message: &InboundMessage) -> Result<LogFields, Problem> {
    let ports = Ports {
        store: &*state.confirmations,
        apps: &*state.apps,
        queue: &*state.queue,
        clock: &*state.clock,
        metrics: &*state.metrics,
    };
    let received = receive_text(ports, state.times, message).await?;
    Ok(LogFields {
        confirmation: received.confirmation(),
        text: Some(received.event().name()),
        sender: message.masked_sender(),
        ..LogFields::default()
    })
}

fn problem(error: InboundError) -> Problem {
    match error {
        InboundError::NotConfigured => Problem::new(ProblemCode::NotFound),
        InboundError::Method => Problem::new(ProblemCode::MethodNotAllowed),
        InboundError::TooLarge => Problem::new(ProblemCode::BodyTooLarge),
        InboundError::Unsigned | InboundError::CertificateUnavailable => {
            Problem::new(ProblemCode::ServiceUnavailable)
        }
        InboundError::NotAuthentic => Problem::new(ProblemCode::InboundNotAuthentic),
        InboundError::TooOld => Problem::new(ProblemCode::InboundTooOld)
            .detail("Sign each call when it is sent, and set the clock."),
        InboundError::Malformed(error) => malformed(error),
    }
}

/// Returns the problem of an authentic but malformed call. Its caller has the secret, so details do no
/// harm.
fn malformed(error: MalformedText) -> Problem {
    let problem = Problem::new(ProblemCode::InboundMalformed);
    let at = |name| match name {
        "from" => "/from",
        "to" => "/to",
        "text" => "/text",
        _ => "/carrier",
    };
    match error {
        MalformedText::Json(_) => problem.detail("Send a JSON object without repeated members."),
        MalformedText::Missing(name) => problem.detail("It is missing.").at(at(name)),
        MalformedText::NotAString(name) => problem.detail("It must be a string.").at(at(name)),
        MalformedText::Shape { .. }
        | MalformedText::MediaType
        | MalformedText::NotUtf8
        | MalformedText::TooMany
        | MalformedText::Repeated(_)
        | MalformedText::Invalid(_) => problem.detail("It differs from the provider's format."),
    }
}
