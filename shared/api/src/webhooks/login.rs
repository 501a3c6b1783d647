//! The webhook of a decided login.

use countersign_domain::login::LoginBody;

use super::headers::WebhookHeaders;

pub(crate) use __path_login_decided as Webhook;

/// A login was decided
///
/// Posted to the app's login callback, if it has one, when a user confirms or denies a login, or when a phone refuses
/// one. Verify `webhook-signature` or `x-signature` over the raw body. Answer 2xx within ten seconds. Any other answer
/// except 410 is retried, twelve times in about a day.
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
