//! The form of the body, which the `OpenAPI` description also shows.

use serde::Serialize;
use utoipa::ToSchema;

use crate::login::denial::DenyReason;

/// The body of the webhook: canonical JSON, without whitespace and with sorted keys.
#[serde_with::skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LoginWebhookBody)]
pub struct LoginBody<'a> {
    /// The event.
    pub(super) event: LoginEvent,
    /// The id of the login. Accept each only once.
    #[schema(
        pattern = "^qr[sp]_[0-9a-f]{32}$",
        examples("qrs_5f0c8a41f2d94e6b7a13c0de9b81d2a4")
    )]
    pub(super) session_id: String,
    /// The decision.
    pub(super) result: LoginResult,
    /// When the person decided. UTC, ISO 8601 with milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:05:01.250Z"))]
    pub(super) timestamp: String,
    /// The name that the person claimed. It is not verified. Absent if none was claimed.
    #[schema(required = false, nullable = false, examples("person@example.com"))]
    pub(super) claimed_public_user_id: Option<&'a str>,
    /// The owner of the registered key that proved the confirmation. Absent if there was no such proof.
    #[schema(required = false, nullable = false, examples("person@example.com"))]
    pub(super) verified_public_user_id: Option<&'a str>,
    /// The claim `pay` of the proof behind `verifiedPublicUserId`: the hash of payload and salt. Absent without one.
    #[schema(
        required = false,
        nullable = false,
        examples("q7sXmOJ0vC2m3yY0bq0u3j7f6n9d1k8pZ4wT5xV6aBc")
    )]
    pub(super) pay: Option<String>,
    /// The payload that the phone sent. A denial always has one, which may be empty. Absent if it was
    /// encrypted for the browser.
    #[schema(required = false, nullable = false, examples("session-token"))]
    pub(super) payload: Option<&'a str>,
    /// `true` if a test key opened the login: no person took part. Absent if not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub(super) test: bool,
    /// Why the phone itself refused. Absent if the person decided.
    #[schema(required = false, nullable = false)]
    pub(super) reason: Option<DenyReason>,
}

/// The event that a login webhook reports.
#[derive(Clone, Copy, Serialize, ToSchema)]
pub(super) enum LoginEvent {
    #[serde(rename = "login.confirmed")]
    Confirmed,
    #[serde(rename = "login.denied")]
    Denied,
}

/// The decision about a login.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum LoginResult {
    Confirmed,
    Denied,
}
