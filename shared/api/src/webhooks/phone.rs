//! The webhook of a phone that was set up.

use countersign_domain::login::PhoneRegisteredBody;

use super::headers::WebhookHeaders;

pub(crate) use __path_phone_registered as Webhook;

/// A phone was set up
///
/// Posted to the app's login callback, if it has one, when a phone's key is registered. Accept it only for a registration
/// that you created, and only once. Verify `webhook-signature` or `x-signature` over the raw body. Answer 2xx within ten
/// seconds. Any other answer except 410 is retried, twelve times in about a day.
#[utoipa::path(
    post,
    path = "phoneRegistered",
    operation_id = "phoneRegistered",
    tag = "webhooks",
    params(WebhookHeaders),
    request_body(content = PhoneRegisteredBody, description = "The phone's key and its user."),
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
fn phone_registered() {}
