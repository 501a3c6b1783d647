//! Webhook deliveries.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::time::optional;
use super::words::{AttemptFailure, AttemptOutcome, DeliveryStatus};

/// The delivery of a webhook.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Delivery {
    /// The delivery's status.
    pub status: DeliveryStatus,
    /// The header `webhook-id` of every attempt.
    pub webhook_id: String,
    /// The latest attempts, oldest first.
    pub attempts: Vec<DeliveryAttempt>,
    /// Time of the next attempt. Present while the delivery is pending.
    #[serde(with = "optional", skip_serializing_if = "Option::is_none")]
    pub next_attempt_at: Option<SystemTime>,
}

/// One attempt to deliver a webhook.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct DeliveryAttempt {
    /// The number of the attempt; 1 for the first.
    pub number: u32,
    /// Time at which the attempt began.
    #[serde(with = "optional")]
    pub at: Option<SystemTime>,
    /// Its duration, in milliseconds.
    pub duration_ms: u64,
    /// The attempt's outcome.
    pub outcome: AttemptOutcome,
    /// Why the receiver gave no answer; absent if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<AttemptFailure>,
    /// The HTTP status of the receiver's answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The beginning of the receiver's answer, if it refused the webhook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
}
