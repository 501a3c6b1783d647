//! `POST /make-confirmation`: starts a confirmation of a number that is known.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::post;
use serde::Deserialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::start::{self, StartedConfirmation, Target};
use crate::extract::api_key::{self, Caller};
use crate::extract::body;
use crate::extract::fields;
use crate::extract::idempotency_key::{self, IdempotencyHeader};
use crate::extract::json_body::{self, JsonBody};
use crate::problem::{Problem, ProblemCode};
use crate::schema::metadata;
use crate::schema::problems::problems;
use crate::state::{self, ApiState};

const PATH: &str = "/make-confirmation";

problems![
    api_key::PROBLEMS,
    body::PROBLEMS,
    json_body::PROBLEMS,
    idempotency_key::PROBLEMS,
    fields::PROBLEMS,
    fields::PHONE_NUMBER_PROBLEMS,
    fields::CALLBACK_PROBLEMS,
    fields::METADATA_PROBLEMS,
    fields::PLACE_PROBLEMS,
    state::ROOM_PROBLEMS,
    start::PROBLEMS,
    &[ProblemCode::NumberTypeRefused],
];

/// The body of `POST /make-confirmation`. `null` counts as absent.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConfirmRequest<'a> {
    /// The number to confirm, as the user typed or pasted it: in international form (`+` and digits of any script), or
    /// as numbers are written in `country`. Spaces, dots, hyphens, slashes, brackets and direction marks are ignored.
    #[schema(
        format = "phone",
        max_length = 256,
        examples("+12025550100", "+1 (202) 555-0100"),
        value_type = String
    )]
    phone_number: Option<String>,
    /// Where to send the webhook: an https URL on port 443 or 8443 of a public host. May be absent if
    /// the app has a default.
    #[schema(
        format = "uri",
        max_length = 2048,
        pattern = r"^https?://[^\s\\#]+$",
        examples("https://example.com/webhooks/countersign")
    )]
    callback_url: Option<String>,
    /// The user's country: two letters (ISO 3166-1, so `GB` and not `UK`), or the beginning of a number there, such as
    /// `+44`. A `phoneNumber` without `+` is read as a number of that country. It also chooses `sendTo` among the
    /// app's numbers; without it, the number to confirm does.
    #[schema(
        max_length = 16,
        pattern = r"^([A-Za-z]{2}|\+[0-9]{1,15})$",
        examples("GB", "+44")
    )]
    country: Option<String>,
    /// The language of `confirmationMessage`, as a language tag (RFC 5646). It chooses among the app's templates.
    #[schema(
        max_length = 35,
        pattern = r"^[A-Za-z]{2,3}(-[0-9A-Za-z]{1,8})*$",
        examples("de", "pt-BR")
    )]
    language: Option<String>,
    /// Whether the answer should contain `client`, with which the page that shows the confirmation can
    /// fetch its status.
    client_channel: Option<bool>,
    #[schema(schema_with = metadata::or_null, required = false)]
    #[serde(borrow)]
    metadata: Option<&'a RawValue>,
}

pub(crate) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, post(confirm))
}

/// Start a confirmation
///
/// Starts a confirmation for a user whose number is known. Only a text from that number completes
/// it. The user sends `confirmationMessage` to `sendTo` within five minutes; then the number is
/// posted to `callbackUrl`.
#[utoipa::path(
    post,
    path = PATH,
    operation_id = "makeConfirmation",
    tag = "confirmations",
    params(("Idempotency-Key" = Option<String>, Header, description = idempotency_key::DESCRIPTION,
        nullable = false, min_length = 1, max_length = 255, pattern = "^[!-~]+$")),
    request_body(content = ConfirmRequest, description = "The number, and where the result goes.",
        example = json!({"phoneNumber": "+12025550100", "callbackUrl": "https://example.com/webhooks/countersign", "metadata": {"orderId": "17"}})),
    responses(
        (status = 200, description = "The confirmation, which is open.", body = StartedConfirmation,
            headers(("idempotent-replayed" = String, description = "`true` if this repeats the answer to an earlier request with the same `Idempotency-Key`.")),
            links(
                ("show" = (operation_id = "getConfirmation", parameters(("id" = "$response.body#/confirmationId")))),
                ("cancel" = (operation_id = "cancelConfirmation", parameters(("id" = "$response.body#/confirmationId")))),
                ("redact" = (operation_id = "redactConfirmation", parameters(("id" = "$response.body#/confirmationId")))),
                ("redeliver" = (operation_id = "redeliverWebhook", parameters(("id" = "$response.body#/confirmationId")))),
            )),
        Problems,
    ),
    security(("apiKey" = [])),
)]
pub(crate) async fn confirm(
    State(state): State<ApiState>,
    caller: Caller,
    body: JsonBody,
    idempotency: IdempotencyHeader,
) -> Result<Response, Problem> {
    let ConfirmRequest {
        phone_number,
        callback_url,
        country,
        language,
        client_channel,
        metadata,
    } = fields::read(&body.0)?;
    let country = fields::country(country.as_deref())?;
    let target = Target {
        phone_number: Some(fields::phone_number(phone_number.as_deref(), country)?),
        country,
        language: fields::language(language.as_deref())?,
        callback: fields::callback(callback_url.as_deref(), &state.callback_policy)?,
        client_channel: client_channel.unwrap_or_default(),
        metadata: fields::metadata(metadata)?,
    };
    start::answer(&state, &caller, PATH, idempotency, &body, target).await
}
