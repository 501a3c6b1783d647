//! `POST /inbound-sms/{provider}`: an SMS provider delivers a text.

mod handle_call;
pub(crate) mod provider;

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{any, post};
use axum::{Json, Router};
use countersign_inbound::{Call, InboundError, MalformedText, generic};
use http::{HeaderMap, Method};
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::body::{self, WholeBody};
use crate::problem::{Problem, ProblemCode};
use crate::schema::problems::problems;
use crate::state::ApiState;
use handle_call::{CallError, handle_call};

problems![
    body::PROBLEMS,
    &[
        ProblemCode::NotFound,
        ProblemCode::InboundNotAuthentic,
        ProblemCode::InboundTooOld,
        ProblemCode::InboundMalformed,
    ],
];

/// An inbound text message.
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
    /// The channel of the text: `sms`, which is the default, or `modem` if your own modem received it. Both
    /// are equally strong evidence.
    #[schema(pattern = "^(sms|modem)$", examples("modem"))]
    channel: Option<String>,
}

/// The answer to a provider, which is the same whatever the text caused: senders must not learn
/// whether a code exists.
#[derive(Serialize, ToSchema)]
pub(crate) struct TextReceived {
    /// Always `true`.
    received: bool,
}

/// Returns the routes of all providers.
pub(crate) fn routes() -> Router<ApiState> {
    Router::new()
        .route("/inbound-sms/generic", post(receive_generic))
        .route("/inbound-sms/{provider}", any(provider::receive))
}

/// Deliver a text
///
/// For SMS providers without their own integration. The call is signed according to Standard
/// Webhooks: HMAC-SHA256 with the deployment's inbound secret. The answer does not reveal what the
/// text caused. If it is 5xx, repeat the call with the same `webhook-id`.
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
    State(state): State<ApiState>,
    headers: HeaderMap,
    WholeBody(body): WholeBody,
) -> Result<Response, Problem> {
    let providers = state.inbound.providers.current().await;
    let provider = providers.get(generic::NAME);
    let provider = provider.ok_or(Problem::new(ProblemCode::NotFound))?;
    let call = Call {
        method: &Method::POST,
        query: None,
        headers: &headers,
        body: &body,
    };
    let outcome = handle_call(&state, provider, call).await.map_err(problem)?;
    let mut response = Json(TextReceived { received: true }).into_response();
    response.extensions_mut().insert(outcome.fields);
    Ok(response)
}

fn problem(failed: CallError) -> Problem {
    let error = match failed {
        CallError::Refused(error) => error,
        CallError::Unavailable(error) => return error.into(),
    };
    match error {
        InboundError::NotConfigured => Problem::new(ProblemCode::NotFound),
        InboundError::Method => Problem::new(ProblemCode::MethodNotAllowed),
        InboundError::TooLarge => Problem::new(ProblemCode::BodyTooLarge),
        InboundError::CertificateUnavailable => Problem::new(ProblemCode::ServiceUnavailable),
        InboundError::Unsigned | InboundError::NotAuthentic => {
            Problem::new(ProblemCode::InboundNotAuthentic)
        }
        InboundError::TooOld => Problem::new(ProblemCode::InboundTooOld)
            .detail("Sign each call when it is sent, and set the clock."),
        InboundError::Malformed(error) => malformed(error),
    }
}

/// Returns the problem of an authentic but malformed call. The caller has the secret, so details are
/// safe.
fn malformed(error: MalformedText) -> Problem {
    let problem = Problem::new(ProblemCode::InboundMalformed);
    let at = |name| match name {
        "from" => "/from",
        "to" => "/to",
        "text" => "/text",
        "channel" => "/channel",
        _ => "/carrier",
    };
    match error {
        MalformedText::Json(_) => problem.detail("Send a JSON object without repeated members."),
        MalformedText::Missing(name) => problem.detail("It is missing.").at(at(name)),
        MalformedText::NotAString(name) => problem.detail("It must be a string.").at(at(name)),
        MalformedText::Shape { .. }
        | MalformedText::MediaType
        | MalformedText::TooMany
        | MalformedText::Repeated(_) => problem.detail("It differs from the provider's format."),
        MalformedText::Invalid(name) => problem
            .detail("It is none of the documented values.")
            .at(at(name)),
    }
}
