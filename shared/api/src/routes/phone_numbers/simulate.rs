//! `POST /simulated-texts`: an app's server with a test key sends a text in place of a phone.

use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use countersign_domain::confirmation::simulation::PROVIDER;
use countersign_domain::confirmation::text::{Channel, InboundMessage};
use countersign_domain::use_cases::receive_text::{TextOutcome, receive_simulated};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::api_key::{self, Caller};
use crate::extract::body;
use crate::extract::fields;
use crate::extract::json_body::{self, JsonBody};
use crate::problem::{Problem, ProblemCode};
use crate::schema::problems::problems;
use crate::state::ApiState;

const PATH: &str = "/simulated-texts";

problems![
    api_key::PROBLEMS,
    body::PROBLEMS,
    json_body::PROBLEMS,
    fields::PROBLEMS,
    &[ProblemCode::FieldMissing, ProblemCode::TestKeyNeeded],
];

/// A simulated text message.
#[derive(Deserialize, ToSchema)]
pub(crate) struct SimulatedText {
    /// The sender's number, in E.164; empty for a user who hides it.
    #[schema(value_type = String, examples("+12025550100"))]
    from: Option<String>,
    /// The number that the text is sent to: `sendTo`.
    #[schema(value_type = String, examples("+12025550199"))]
    to: Option<String>,
    /// The text: `confirmationMessage`.
    #[schema(value_type = String, examples("CS-7Q2M0XK4V9T1BHNE"))]
    text: Option<String>,
}

/// The effect of a text.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum Effect {
    /// The text completed a confirmation.
    Verified,
    /// The text had completed a confirmation before.
    Repeated,
    /// The text completed no confirmation.
    Missed,
}

/// The effect of a simulated text.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SimulatedEffect {
    effect: Effect,
    /// The confirmation that the text completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, pattern = "^cfm_[0-9a-f]{32}$")]
    confirmation_id: Option<String>,
    /// The name of the counter that the same text from a phone would increment, such as
    /// `miss_wrong_sender`.
    #[schema(examples("miss_wrong_sender"))]
    event: &'static str,
}

pub(crate) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, post(simulate))
}

/// Simulate a text
///
/// Has the effect of a text from a phone, but only on confirmations that this app's test keys started.
#[utoipa::path(
    post,
    path = PATH,
    operation_id = "simulateText",
    tag = "confirmations",
    request_body(content = SimulatedText, description = "The text.",
        example = json!({"from": "+12025550100", "to": "+12025550199", "text": "CS-7Q2M0XK4V9T1BHNE"})),
    responses(
        (status = 200, description = "What the text did.", body = SimulatedEffect),
        Problems,
    ),
    security(("apiKey" = [])),
)]
pub(crate) async fn simulate(
    State(state): State<ApiState>,
    caller: Caller,
    JsonBody(body): JsonBody,
) -> Result<Json<SimulatedEffect>, Problem> {
    caller.only_test()?;
    let SimulatedText { from, to, text } = fields::read(&body)?;
    let from = fields::required(
        from,
        "/from",
        "Send the number that the text comes from as from.",
    )?;
    let to = fields::required(to, "/to", "Send sendTo of the confirmation as to.")?;
    let text = fields::required(
        text,
        "/text",
        "Send confirmationMessage of the confirmation as text.",
    )?;
    let message = InboundMessage {
        provider: PROVIDER,
        channel: Channel::Sms,
        // The same sender, recipient and text make the same message.
        message_id: format!("{from} {to} {text}"),
        from,
        to,
        text,
        carrier: None,
    };
    let (app, pages) = (&caller.app.id, state.inbound.pages.as_deref());
    let received = receive_simulated(state.ports(), pages, state.times, app, &message).await?;
    Ok(Json(SimulatedEffect {
        effect: match received {
            TextOutcome::Verified(_) => Effect::Verified,
            TextOutcome::Repeated(_) => Effect::Repeated,
            TextOutcome::Missed(_) => Effect::Missed,
        },
        confirmation_id: received.confirmation().map(|id| id.to_string()),
        event: received.event().name(),
    }))
}
