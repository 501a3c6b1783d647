//! The port that sends webhooks.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::FailureReason;
use super::master_secret::MasterSecrets;
use super::signing::Signature;
use crate::app::App;
use crate::primitives::ids::WebhookId;
use crate::primitives::time::Timestamp;
use crate::primitives::webhook_secret::WebhookSecret;
use crate::web::callback_url::CallbackUrl;

/// A client that sends webhooks.
///
/// Every implementation MUST obey the address guard, follow no redirects, limit the duration of the
/// exchange and the bytes that it reads, and never change the body.
#[async_trait]
pub trait WebhookSender: Send + Sync {
    /// Sends one webhook as a POST request.
    async fn send(&self, url: &CallbackUrl, request: &WebhookRequest) -> SendOutcome;
}

/// A webhook as it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookRequest {
    /// Value of the header `webhook-id`.
    pub webhook_id: WebhookId,
    /// Time of the attempt; header `webhook-timestamp`, in whole seconds.
    pub attempted_at: Timestamp,
    /// Signature of the body; headers `x-signature` and `x-signature-key-id`.
    pub signature: Signature,
    /// Signatures by the app's own secrets, which also cover id and time; header `webhook-signature`. `None` if
    /// the app was deleted.
    pub app_signature: Option<String>,
    /// The signed body, sent byte for byte.
    pub body: Arc<str>,
}

/// Signs a webhook with each secret of its app, using the Standard Webhooks scheme. Returns the value of the
/// header `webhook-signature`.
pub(crate) fn app_signature(
    secrets: &MasterSecrets,
    app: &App,
    id: &WebhookId,
    attempted_at: Timestamp,
    body: &str,
) -> String {
    let sign = |secret: WebhookSecret| secret.sign(id.as_str(), attempted_at, body.as_bytes());
    secrets.of_app(app).map(sign).collect::<Vec<_>>().join(" ")
}

/// The result of sending a webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SendOutcome {
    /// The receiver answered.
    Answered {
        /// HTTP status of the answer.
        status: u16,
        /// Wait requested by `Retry-After`, if the header is present and well-formed.
        retry_after: Option<Duration>,
        /// The beginning of the answer's body, at most [`MAX_KEPT_REFUSAL`](super::MAX_KEPT_REFUSAL) bytes.
        beginning: String,
    },
    /// The receiver did not answer.
    NoAnswer(FailureReason),
}
