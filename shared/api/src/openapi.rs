//! The description of the API (`OpenAPI` 3.1), made from the code.

mod problems;
mod requests;
mod webhook;
mod words;

use std::sync::LazyLock;

use utoipa::OpenApi as _;
use utoipa::openapi::path::PathItem;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{Components, OpenApi, RefOr, Required};

use crate::problem::ProblemBody;
pub(crate) use requests::{
    AcquireRequest, ConfirmRequest, CreateSessionRequest, DecisionRequest, GenericText,
    InitiateSessionRequest,
};
pub(crate) use words::{
    AttemptFailure, AttemptOutcome, ConfirmationFlow, ConfirmationStatus, DeliveryStatus,
    RiskStatus, SessionState,
};

pub(crate) const IDEMPOTENCY_KEY: &str = "Makes the request safe to repeat: within 24 hours the \
    same request with the same key and API key gets the same answer and starts nothing new.";
pub(crate) const SESSION_ID: &str = "`sessionId` of the session.";
pub(crate) const CONFIRMATION_ID: &str = "`confirmationId` of one of the app's own sessions.";

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Countersign",
        description = "Verifies that a person holds a phone number: the person sends a text with a \
            secret string, and a signed webhook tells you. And lets people log in to a web page \
            with their phone: the page shows a QR code, and the app that opens it confirms or \
            denies.\n\n\
            Errors are problems (RFC 9457) with a stable `code`. The API has one version and no \
            version in its paths. Fields that are not listed here are ignored in requests and may \
            be added to answers; a change that would break callers gets a new path.",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
    ),
    servers((url = "/", description = "This deployment.")),
    tags(
        (name = "confirmations", description = "Phone numbers by text."),
        (name = "texts", description = "Texts that arrive."),
        (name = "logins", description = "Logins by QR code or app link."),
        (name = "links", description = "What browsers and phones read around logins."),
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
        crate::qr_sessions::create,
        crate::qr_sessions::status,
        crate::qr_sessions::cancel,
        crate::qr_sessions::redeem,
        crate::qr_sessions::initiate,
        crate::qr_sessions::confirm,
        crate::qr_sessions::deny,
        crate::app_links::asset_links,
        crate::app_links::site_association,
        crate::widget::widget,
        crate::well_known::public_key,
        crate::well_known::jwks,
        crate::well_known::description,
        crate::well_known::health,
    ),
    components(schemas(ProblemBody, webhook::WebhookBody)),
)]
struct Description;

/// Operations whose body may be left out: it counts as `{}` then.
const BODY_OPTIONAL: [&str; 3] = ["acquirePhoneNumber", "createSession", "initiateSession"];

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
            // An `Option` as the content's type would allow the body `null` instead.
            let name = operation.operation_id.as_deref().unwrap_or_default();
            if let Some(RefOr::T(body)) = &mut operation.request_body
                && BODY_OPTIONAL.contains(&name)
            {
                body.required = Some(Required::False);
            }
        }
    }
    description.webhooks = Some(webhook::all());
    let components = description.components.get_or_insert_default();
    add_security(components);
    problems::add_components(components);
    description
}

/// What operations ask for.
fn add_security(components: &mut Components) {
    for (name, header, words) in [
        ("apiKey", "x-api-key", "The secret of your server."),
        (
            "appKey",
            "x-app-key",
            "The public key of an app, for browsers and phones.",
        ),
    ] {
        let key = ApiKeyValue::with_description(header, words);
        components.add_security_scheme(name, SecurityScheme::ApiKey(ApiKey::Header(key)));
    }
    for (name, words) in [
        (
            "browserToken",
            "`browserToken`, which the browser got when it opened the session.",
        ),
        (
            "mobileToken",
            "32 random bytes in base64url without padding, which the phone drew for the session.",
        ),
    ] {
        let bearer = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some(words));
        components.add_security_scheme(name, SecurityScheme::Http(bearer.build()));
    }
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
