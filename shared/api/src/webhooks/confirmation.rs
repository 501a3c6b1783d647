//! The webhook of a verified confirmation.

use countersign_domain::confirmation::webhook::ConfirmationBody;

use super::headers::WebhookHeaders;

pub(crate) use __path_confirmation_verified as Webhook;

/// A phone number was verified
///
/// Posted to the confirmation's `callbackUrl` if the text arrived in time and from the right number. Verify
/// `webhook-signature` or `x-signature` over the raw body, and accept only a `confirmationId` that you stored when you
/// started the confirmation, and only once. Answer 2xx within ten seconds. Any other answer except 410 is retried,
/// twelve times in about a day.
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
