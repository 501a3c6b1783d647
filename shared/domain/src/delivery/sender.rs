//! The port that sends webhooks.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::FailureReason;
use super::signing::Signature;
use crate::primitives::ids::WebhookId;
use crate::primitives::time::Timestamp;
use crate::web::callback_url::CallbackUrl;

/// A client that sends webhooks.
///
/// Every implementation MUST obey the address guard, follow no redirects, limit the time of the
/// exchange and the bytes it reads, and never change the body.
#[async_trait]
pub trait WebhookSender: Send + Sync {
    /// Sends one webhook as a POST request.
    async fn send(&self, url: &CallbackUrl, request: &WebhookRequest) -> SendOutcome;
}

/// A webhook in the form in which it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookRequest {
    /// Value of the header `webhook-id`.
    pub webhook_id: WebhookId,
    /// Time of the attempt; header `webhook-timestamp`, in whole seconds.
    pub attempted_at: Timestamp,
    /// Signature of the body; headers `x-signature` and `x-signature-key-id`.
    pub signature: Signature,
    /// The signed body, sent byte for byte.
    pub body: Arc<str>,
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
    },
    /// The receiver did not answer.
    NoAnswer(FailureReason),
}
