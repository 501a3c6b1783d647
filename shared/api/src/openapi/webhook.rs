//! The webhook, for the description. The dispatcher sends it, not this crate.
#![expect(dead_code, reason = "these items describe, and are never used")]

use utoipa::openapi::path::{PathItem, Paths, PathsBuilder};
use utoipa::{Path, ToSchema};

/// The body of the webhook: canonical JSON, without whitespace and with sorted keys.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct WebhookBody {
    /// Identifier of the session. Accept only one that you stored, once.
    #[schema(
        pattern = "^cfm_[0-9a-f]{32}$",
        examples("cfm_5f0c8a41f2d94e6b7a13c0de9b81d2a4")
    )]
    confirmation_id: String,
    /// The person's number, in E.164.
    #[schema(examples("+12025550100"))]
    phone_number: String,
    /// The person's carrier; empty where nobody said.
    #[schema(examples("Example Wireless"))]
    carrier: String,
    /// Always `valid`.
    #[schema(examples("valid"))]
    validation_status: String,
    /// What you sent with the session.
    #[schema(value_type = Object, examples(json!({"orderId": "17"})))]
    metadata: (),
    /// When the text was taken. UTC, ISO 8601 with milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:05:01.250Z"))]
    timestamp: String,
}

/// A phone number was verified
///
/// Posted to the session's `callbackUrl` when the text came in time and from the right number, and
/// never otherwise. Verify `x-signature` over the raw body, and accept only a `confirmationId` that
/// you stored when you started the session, once. Answer 2xx within ten seconds; anything else is
/// tried again, twelve times in about a day, except 410.
#[utoipa::path(
    post,
    path = "confirmationVerified",
    operation_id = "confirmationVerified",
    tag = "webhooks",
    params(
        ("x-signature" = String, Header,
            description = "Base64 of the DER ECDSA P-256 SHA-256 signature over the body's bytes."),
        ("x-signature-key-id" = String, Header,
            description = "`kid` of the key in /.well-known/jwks.json."),
        ("webhook-id" = String, Header,
            description = "The same for every attempt and every redelivery. Not signed."),
        ("webhook-timestamp" = String, Header,
            description = "When this attempt was made, in seconds since 1970. Not signed."),
    ),
    request_body(content = WebhookBody, description = "What was verified."),
    responses(
        (status = "2XX", description = "You took it."),
        (status = 410, description = "You will never take it: it is not tried again."),
        (status = "default", description = "It is tried again."),
    ),
)]
fn confirmation_verified() {}

/// Every webhook.
pub(super) fn all() -> Paths {
    let mut webhooks = PathsBuilder::new();
    for method in __path_confirmation_verified::methods() {
        let item = PathItem::new(method, __path_confirmation_verified::operation());
        webhooks = webhooks.path(__path_confirmation_verified::path(), item);
    }
    webhooks.build()
}
