//! The webhook of a verified confirmation.

use utoipa::ToSchema;

use super::headers::WebhookHeaders;
use crate::routes::phone_numbers::confirmation::{ResultChannel, ResultNumberType};
use crate::schema::metadata::Metadata;

pub(crate) use __path_confirmation_verified as Webhook;

/// The body of the webhook: canonical JSON, without whitespace and with sorted keys.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase", as = WebhookBody)]
#[expect(dead_code, reason = "describes the body, which the domain writes")]
pub(crate) struct ConfirmationBody {
    /// The id of the confirmation. Accept only one that you stored, and only once.
    #[schema(
        pattern = "^cfm_[0-9a-f]{32}$",
        examples("cfm_5f0c8a41f2d94e6b7a13c0de9b81d2a4")
    )]
    confirmation_id: String,
    /// The person's number, in E.164.
    #[schema(examples("+12025550100"))]
    phone_number: String,
    /// The person's carrier; empty if unknown.
    #[schema(examples("Example Wireless"))]
    carrier: String,
    /// Always `valid`.
    #[schema(examples("valid"))]
    validation_status: String,
    /// The metadata that you sent.
    metadata: Metadata,
    /// When the text was received. UTC, ISO 8601 with milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:05:01.250Z"))]
    timestamp: String,
    /// `true` if a test key started the confirmation; absent otherwise.
    #[schema(required = false)]
    test: bool,
    /// How the text came. Absent unless the app wants details in webhooks.
    #[schema(required = false)]
    channel: ResultChannel,
    /// The provider that brought the text, as in its route. Absent if `channel` is.
    #[schema(required = false, examples("twilio"))]
    provider: String,
    /// The type of the person's number. Absent unless the app wants details in webhooks, and if the
    /// numbering plan does not tell it.
    #[schema(required = false)]
    number_type: ResultNumberType,
}

/// A phone number was verified
///
/// Posted to the confirmation's `callbackUrl` if the text arrived in time and from the right number.
/// Verify `webhook-signature` or `x-signature` over the raw body, and accept only a `confirmationId` that you stored when you
/// started the confirmation, and only once. Answer 2xx within ten seconds. Any other answer but 410
/// is retried, twelve times in about a day.
#[utoipa::path(
    post,
    path = "confirmationVerified",
    operation_id = "confirmationVerified",
    tag = "webhooks",
    params(WebhookHeaders),
    request_body(content = ConfirmationBody, description = "The verified number."),
    responses(
        (status = "2XX", description = "You accept it."),
        (status = 410, description = "You will never accept it: it is not retried."),
        (status = "default", description = "It is retried."),
    ),
)]
#[expect(
    dead_code,
    reason = "describes the webhook, which the dispatcher sends"
)]
fn confirmation_verified() {}
