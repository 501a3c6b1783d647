//! The description of the API (`OpenAPI` 3.1), made from the code.

mod problems;
mod requests;
mod webhook;
mod words;

use std::sync::LazyLock;

use utoipa::OpenApi as _;
use utoipa::openapi::OpenApi;
use utoipa::openapi::path::PathItem;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityScheme};

use crate::problem::ProblemBody;
pub(crate) use requests::{AcquireRequest, ConfirmRequest, GenericText};
pub(crate) use words::{
    AttemptFailure, AttemptOutcome, ConfirmationFlow, ConfirmationStatus, DeliveryStatus,
};

pub(crate) const IDEMPOTENCY_KEY: &str = "Makes the request safe to repeat: within 24 hours the \
    same request with the same key and API key gets the same answer and starts nothing new.";
pub(crate) const CONFIRMATION_ID: &str = "`confirmationId` of one of the app's own sessions.";

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Countersign",
        description = "Verifies that a person holds a phone number: the person sends a text with a \
            secret string, and a signed webhook tells you.\n\n\
            Errors are problems (RFC 9457) with a stable `code`. Fields that are not listed here \
            are ignored in requests, and may be added to answers.",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
    ),
    servers(
        (url = "/", description = "This deployment."),
        (url = "/v1", description = "The same, by a path that names the version."),
    ),
    tags(
        (name = "confirmations", description = "Phone numbers by text."),
        (name = "texts", description = "Texts that arrive."),
        (name = "service", description = "Keys, this description, and whether it is up."),
        (name = "webhooks", description = "What you receive."),
    ),
    paths(
        crate::acquire::acquire,
        crate::confirm::confirm,
        crate::confirmations::show,
        crate::confirmations::cancel,
        crate::confirmations::redact,
        crate::confirmations::redeliver,
        crate::inbound_sms::receive_generic,
        crate::well_known::public_key,
        crate::well_known::jwks,
        crate::well_known::description,
        crate::well_known::health,
    ),
    components(schemas(ProblemBody, webhook::WebhookBody)),
)]
struct Description;

/// The description.
#[must_use]
pub fn openapi() -> OpenApi {
    let mut description = Description::openapi();
    for item in description.paths.paths.values_mut() {
        let PathItem {
            get, post, delete, ..
        } = item;
        for operation in [get, post, delete].into_iter().flatten() {
            problems::add_responses(operation);
        }
    }
    let key = ApiKeyValue::with_description("x-api-key", "The secret of your server.");
    description.webhooks = Some(webhook::all());
    let components = description.components.get_or_insert_default();
    components.add_security_scheme("apiKey", SecurityScheme::ApiKey(ApiKey::Header(key)));
    problems::add_components(components);
    description
}

/// The description as `GET /openapi.json` answers it and `docs/openapi.json` holds it: indented,
/// with a final newline.
#[must_use]
pub fn json() -> &'static str {
    static JSON: LazyLock<String> = LazyLock::new(|| {
        let mut text = serde_json::to_string_pretty(&openapi()).unwrap_or_default();
        text.push('\n');
        text
    });
    &JSON
}
