//! Refusals of requests about confirmations, logins and phone registrations.

use thiserror::Error;

/// Why a request about a confirmation, a login or a phone registration is refused.
#[derive(Debug, Error)]
pub(crate) enum StartedRefusal {
    #[error("nothing has the id {0}, or it is no longer kept")]
    Unknown(String),
    #[error("it is {0}: only an open confirmation can be cancelled")]
    NotOpen(&'static str),
    #[error("it is {0}: only a login that is under way can be cancelled")]
    NotLive(&'static str),
    #[error("it is {0}: only a phone that is being set up can be cancelled")]
    PhoneSettled(&'static str),
    #[error("it is {0}: only a verified confirmation has a webhook")]
    NotVerified(&'static str),
    #[error("an attempt is under way: wait until it ends, half a minute at most")]
    InFlight,
    #[error("its personal data was erased, and the webhook would carry it")]
    Redacted,
    #[error("it has no webhook: the OpenID provider started it")]
    NoWebhook,
    #[error("it is still open: cancel it, or wait until it ends")]
    StillOpen,
    #[error("its webhook carries the data: wait until it was delivered or has failed")]
    WebhookPending,
    #[error("it has no number: no text came, or its personal data was erased")]
    NoNumber,
}
