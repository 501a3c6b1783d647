//! The form of the body, which the `OpenAPI` description also shows.

use serde::Serialize;
use utoipa::ToSchema;

use crate::confirmation::TextChannel;
use crate::primitives::canonical_json::CanonicalObject;
use crate::primitives::phone::NumberType;

/// The body of the webhook: canonical JSON, without whitespace and with sorted keys.
#[serde_with::skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookBody)]
pub struct ConfirmationBody<'a> {
    /// The id of the confirmation. Accept only one that you stored, and only once.
    #[schema(
        pattern = "^cfm_[0-9a-f]{32}$",
        examples("cfm_5f0c8a41f2d94e6b7a13c0de9b81d2a4")
    )]
    pub(super) confirmation_id: String,
    /// The person's number, in E.164.
    #[schema(examples("+12025550100"))]
    pub(super) phone_number: &'a str,
    /// The person's carrier; empty if unknown.
    #[schema(examples("Example Wireless"))]
    pub(super) carrier: &'a str,
    /// Always `valid`.
    #[schema(examples("valid"))]
    pub(super) validation_status: &'a str,
    /// The metadata that you sent.
    #[serde(serialize_with = "CanonicalObject::inline")]
    pub(super) metadata: CanonicalObject,
    /// When the text was received. UTC, ISO 8601 with milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:05:01.250Z"))]
    pub(super) timestamp: String,
    /// `true` if a test key started the confirmation; absent otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub(super) test: bool,
    /// How the text came. Absent unless the app wants details in webhooks.
    #[schema(value_type = TextChannel, required = false)]
    pub(super) channel: Option<TextChannel>,
    /// The provider that delivered the text, as in its route. Absent if `channel` is.
    #[schema(required = false, nullable = false, examples("twilio"))]
    pub(super) provider: Option<&'a str>,
    /// The type of the person's number. Absent unless the app wants details in webhooks, and if the
    /// numbering plan does not tell it.
    #[schema(value_type = NumberType, required = false)]
    pub(super) number_type: Option<NumberType>,
}
