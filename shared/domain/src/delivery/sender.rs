//! The port that sends webhooks.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::FailureReason;
use super::signing::Signature;
use crate::primitives::ids::WebhookId;
use crate::primitives::time::Timestamp;
use crate::web::callback_url::CallbackUrl;

/// Sends webhooks.
///
/// Every implementation MUST obey the address guard, follow no redirect, bound the whole exchange
/// in time and what it reads in bytes, and never change the body.
#[async_trait]
pub trait WebhookSender: Send + Sync {
    /// Posts one webhook.
    async fn send(&self, url: &CallbackUrl, request: &WebhookRequest) -> SendOutcome;
}

/// A webhook as it goes over the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookRequest {
    /// Header `webhook-id`.
    pub webhook_id: WebhookId,
    /// Header `webhook-timestamp`, in whole seconds: when this attempt was made.
    pub attempted_at: Timestamp,
    /// Headers `x-signature` and `x-signature-key-id`.
    pub signature: Signature,
    /// The body, byte for byte what was signed.
    pub body: Arc<str>,
}

/// How sending ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SendOutcome {
    /// The receiver answered.
    Answered {
        /// The HTTP status.
        status: u16,
        /// What the receiver's `Retry-After` asks for, where it is there and well formed.
        retry_after: Option<Duration>,
    },
    /// No answer came.
    NoAnswer(FailureReason),
}
