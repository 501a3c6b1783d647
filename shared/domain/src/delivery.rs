//! Deliveries: the webhook of a verified confirmation, a decided login or a phone that was set up, with its attempts.
//!
//! A delivery is part of its item, so a single write changes both the state that causes a webhook
//! and the webhook. This module treats both kinds of items alike: an item is identified by its
//! [`DeliverySubject`], and changes through [`transitions`].

mod attempts;
pub mod due;
pub mod master_secret;
mod outcome;
pub mod queue;
mod receiver_summary;
pub mod receivers;
mod schedule;
pub mod sender;
pub mod signing;
mod subject;
pub mod transitions;

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_with::{DurationMilliSeconds, serde_as};

use crate::primitives::base64url::Base64Url;

pub use attempts::{SettledAttempt, Settlement};
pub use outcome::{
    ClaimOutcome, ClaimedDelivery, Decision, PostponeOutcome, SettleOutcome, TestDelivery,
    WebhookBody,
};
pub use receiver_summary::{ReceiverSummary, ReceiverTally};
pub use schedule::{
    ATTEMPTS_PER_ROUND, Jitter, MAX_FREE_RETRIES, MAX_RETRY_AFTER, MAX_RETRY_WINDOW, MAX_SKIPS,
    delay_after_our_fault, delay_before, delay_while_down,
};
pub use subject::{
    DeliveryKind, DeliveryPointer, DeliverySubject, ReceiverGroup, ReceiverShard, TenantLane,
};

use crate::primitives::time::Timestamp;

/// Maximum number of recent attempts that are kept for callers to see.
pub const MAX_KEPT_ATTEMPTS: usize = 30;

/// The lease of a claim, after which another attempt may replace one in progress: longer than the
/// webhook client's limit for a whole request, with a margin for signing and settling.
pub const CLAIM_LEASE: Duration = Duration::from_secs(30);

/// Time before an attempt is due from which it may be claimed: more than the clock difference of
/// two machines, and too short to matter.
pub const CLAIM_TOLERANCE: Duration = Duration::from_secs(5);

/// Time after an attempt is due when the sweep checks it, in case its queue message was lost.
pub const SWEEP_LEASE: Duration = Duration::from_mins(1);

/// Time that an attempt may be late and still be made, whatever the retention, because the sweep
/// and the queues take time and may be disrupted. With the longest schedule, this is less than
/// [`MAX_RETRY_WINDOW`], so only a receiver's `Retry-After` keeps an item longer.
pub const MAX_LATENESS: Duration = Duration::from_hours(1);

/// Maximum number of bytes of a receiver's answer that are kept, so that an app's developer sees why it refused a
/// webhook.
pub const MAX_KEPT_REFUSAL: usize = 1024;

/// A webhook that is or was pending, with its attempts.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// Number of attempts claimed so far; a claim is conditional on it.
    #[serde(rename = "claimed")]
    pub attempts_claimed: u32,
    /// Number of attempts claimed before this round of the retry schedule. A redelivery begins a
    /// new round.
    #[serde(rename = "round")]
    pub round_began_at: u32,
    /// The most recently settled attempts, oldest first, at most [`MAX_KEPT_ATTEMPTS`].
    pub attempts: Vec<Attempt>,
    /// The signature of the body, kept so that retries and redeliveries need not compute it again.
    pub signature: Option<KeptSignature>,
    /// The receiver's answer to the latest attempt, if it refused the webhook with a body.
    pub refusal: Option<Refusal>,
    /// The state of the delivery.
    pub progress: Progress,
}

/// The body with which a receiver refused a webhook. `Debug` hides the body.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// Number of the attempt.
    #[serde(rename = "n")]
    pub attempt: u32,
    /// The beginning of the body, at most [`MAX_KEPT_REFUSAL`] bytes, with invalid UTF-8 replaced.
    pub body: String,
}

impl fmt::Debug for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Refusal({}, …)", self.attempt)
    }
}

/// The state of a delivery.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// The webhook is pending.
    Pending {
        /// Time of the next attempt.
        #[serde(rename = "next")]
        next_attempt_at: Timestamp,
        /// Time when the sweep checks the delivery: its position in the due index.
        #[serde(rename = "due")]
        due_at: Timestamp,
        /// Start of the attempt in progress, if any.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[serde(rename = "claimed")]
        claimed_at: Option<Timestamp>,
    },
    /// The receiver answered 2xx.
    Delivered {
        /// Time of the answer.
        at: Timestamp,
    },
    /// No attempt succeeded. The webhook can be redelivered.
    Failed {
        /// Time of the last attempt.
        at: Timestamp,
    },
}

impl Delivery {
    /// Returns a pending delivery whose first attempt is due at a time.
    #[must_use]
    pub fn pending(at: Timestamp) -> Self {
        Self {
            attempts_claimed: 0,
            round_began_at: 0,
            attempts: Vec::new(),
            signature: None,
            refusal: None,
            progress: Progress::Pending {
                next_attempt_at: at,
                due_at: at.plus(SWEEP_LEASE),
                claimed_at: None,
            },
        }
    }

    /// Returns whether a webhook is still pending.
    #[must_use]
    pub const fn is_pending(&self) -> bool {
        matches!(self.progress, Progress::Pending { .. })
    }
}

/// A completed attempt, as callers see it.
#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// Number of the attempt, from 1.
    #[serde(rename = "n")]
    pub number: u32,
    /// Start of the attempt.
    pub at: Timestamp,
    /// Duration of the attempt. Stored in whole milliseconds.
    #[serde_as(as = "DurationMilliSeconds<u64>")]
    #[serde(rename = "ms")]
    pub duration: Duration,
    pub result: AttemptResult,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttemptResult {
    /// The receiver answered with this HTTP status.
    Answered(u16),
    /// The receiver did not answer, for this reason.
    NoAnswer(FailureReason),
}

impl AttemptResult {
    /// Returns whether the receiver accepted the webhook (2xx).
    #[must_use]
    pub const fn is_success(self) -> bool {
        matches!(self, Self::Answered(200..=299))
    }

    /// Returns whether retrying is pointless: the receiver answered 410 Gone, or the address guard refused
    /// the URL itself. A refusal because of a DNS answer is not final, because DNS may answer differently
    /// next time.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(
            self,
            Self::Answered(410) | Self::NoAnswer(FailureReason::AddressRefused)
        )
    }

    /// Returns which side caused a failed attempt; `None` if it succeeded.
    #[must_use]
    pub const fn fault(self) -> Option<FaultSide> {
        match self {
            Self::Answered(200..=299) => None,
            Self::NoAnswer(FailureReason::SigningFailed) => Some(FaultSide::Ours),
            Self::Answered(_) | Self::NoAnswer(_) => Some(FaultSide::Receivers),
        }
    }
}

/// The side that caused a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultSide {
    /// The receiver, its name or its network.
    Receivers,
    Ours,
}

/// The reason why the receiver did not answer.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum FailureReason {
    /// The address guard refused the URL itself, or the app's settings no longer allow it.
    AddressRefused,
    /// DNS returned a forbidden address, possibly among others.
    DnsAddressRefused,
    /// The host name has no address, or its name servers did not answer in time.
    NameNotResolved,
    /// The connection was refused, unreachable or not accepted in time.
    ConnectFailed,
    /// The TLS handshake failed, most often because the certificate is not valid for the host.
    TlsFailed,
    /// The answer was not complete in time.
    TimedOut,
    /// The connection broke, or the answer was not HTTP.
    ProtocolError,
    /// The attempt was not made because attempts to the same receiver had just timed out.
    ReceiverDown,
    /// Signing the webhook failed. Ours.
    SigningFailed,
}

/// A signature with its body and key. Signed again only when the body or the key changes.
#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptSignature {
    /// SHA-256 of the body.
    #[serde_as(as = "Base64Url")]
    #[serde(rename = "body")]
    pub body_hash: [u8; 32],
    /// Id of the key that made the signature.
    #[serde(rename = "key")]
    pub key_id: crate::delivery::signing::KeyId,
    /// The signature in DER, the ASN.1 encoding of ECDSA signatures (SEC 1, C.5).
    #[serde_as(as = "Base64Url")]
    pub der: Vec<u8>,
}
