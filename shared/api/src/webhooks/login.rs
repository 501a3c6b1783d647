//! The webhook of a decided login.

use utoipa::ToSchema;

use super::headers::WebhookHeaders;

pub(crate) use __path_login_decided as Webhook;

/// The body of the webhook: canonical JSON, without whitespace and with sorted keys.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase", as = LoginWebhookBody)]
#[expect(dead_code, reason = "describes the body, which the domain writes")]
pub(crate) struct LoginBody {
    /// The event.
    event: LoginEvent,
    /// The id of the login. Accept each only once.
    #[schema(
        pattern = "^qr[sp]_[0-9a-f]{32}$",
        examples("qrs_5f0c8a41f2d94e6b7a13c0de9b81d2a4")
    )]
    session_id: String,
    /// The decision.
    result: LoginResult,
    /// When the person decided. UTC, ISO 8601 with milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:05:01.250Z"))]
    timestamp: String,
    /// The name that the person claimed. It is not verified. Absent if none was claimed.
    #[schema(required = false, nullable = false, examples("person@example.com"))]
    claimed_public_user_id: Option<String>,
    /// The owner of the registered key that proved the confirmation. Absent if there was no such proof.
    #[schema(required = false, nullable = false, examples("person@example.com"))]
    verified_public_user_id: Option<String>,
    /// The payload that the phone sent. A denial always has one, which may be empty. Absent if it was
    /// encrypted for the browser.
    #[schema(required = false, nullable = false, examples("session-token"))]
    payload: Option<String>,
    /// `true` if a test key opened the login: no person took part. Absent if not.
    #[schema(required = false)]
    test: bool,
    /// Why the phone itself refused. Absent if the person decided.
    #[schema(required = false, nullable = false)]
    reason: Option<LoginDenyReason>,
}

/// The event that a login webhook reports.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body, which the domain writes")]
enum LoginEvent {
    #[schema(rename = "login.confirmed")]
    Confirmed,
    #[schema(rename = "login.denied")]
    Denied,
}

/// The decision about a login.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes the body, which the domain writes")]
enum LoginResult {
    Confirmed,
    Denied,
}

/// Why a phone refused a login by itself.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes the body, which the domain writes")]
enum LoginDenyReason {
    /// The session's id does not vouch for what the phone was told. The login is blocked.
    KeyMismatch,
}

/// A login was decided
///
/// Posted to the app's login callback, if it has one, when a person confirms or denies a login, or when a
/// phone refuses one. Verify `webhook-signature` or `x-signature` over the raw body. Answer 2xx within ten seconds. Any other answer but 410 is
/// retried, twelve times in about a day.
#[utoipa::path(
    post,
    path = "loginDecided",
    operation_id = "loginDecided",
    tag = "webhooks",
    params(WebhookHeaders),
    request_body(content = LoginBody, description = "The decision."),
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
fn login_decided() {}
