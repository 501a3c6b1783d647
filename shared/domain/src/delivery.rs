//! The delivery: the pending webhook for a verified confirmation or for a decided login, with its
//! attempts.
//!
//! A delivery is part of its item, so the state that causes a webhook and the webhook
//! itself change in one write. Everything here treats both kinds of items alike: an item is known
//! by its [`DeliverySubject`], and changes through [`transitions`].

mod attempts;
pub mod due;
pub mod master_secret;
mod outcome;
pub mod queue;
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
pub use schedule::{
    ATTEMPTS, HORIZON, Jitter, MAX_RETRY_AFTER, MOST_LEFT_OUT, MOST_REPEATED,
    delay_after_our_fault, delay_before, delay_while_down,
};
pub use subject::{
    DeliveryGroup, DeliveryKind, DeliveryLane, DeliveryLine, DeliveryPointer, DeliverySubject,
};

use crate::primitives::time::Timestamp;

/// The number of latest attempts that are kept for callers to see.
pub const KEPT_ATTEMPTS: usize = 30;

/// The time after which another attempt may take the place of one under way: longer than the
/// webhook client's bound on a whole request, with room for signing and settling.
pub const CLAIM_LEASE: Duration = Duration::from_secs(30);

/// The time before it is due from which an attempt may be claimed: more than the clocks of two
/// machines differ, and too little to matter.
pub const CLAIM_TOLERANCE: Duration = Duration::from_secs(5);

/// The time after an attempt is due at which the sweep looks for it, in case its queue message was
/// lost.
pub const SWEEP_LEASE: Duration = Duration::from_mins(1);

/// The time for which an attempt can be late and still be made, whatever the retention: the sweep
/// and the queues take time, and may have trouble. With the longest schedule it stays below
/// [`HORIZON`], so only a receiver's `Retry-After` keeps an item for longer.
pub const LATENESS: Duration = Duration::from_hours(1);

/// The most bytes of a receiver's answer that are kept, so that an app's developer sees why it refused a webhook.
pub const KEPT_ANSWER: usize = 1024;

/// A webhook that is or was pending, with its attempts.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// The number of attempts claimed so far, which a claim is conditional on.
    #[serde(rename = "claimed")]
    pub attempts_claimed: u32,
    /// The number of attempts claimed before this round of the retry schedule. A redelivery begins
    /// a new round.
    #[serde(rename = "round")]
    pub round_began_at: u32,
    /// The latest attempts that were settled, oldest first, at most [`KEPT_ATTEMPTS`].
    pub attempts: Vec<Attempt>,
    /// The signature of the body, kept so that retries and redeliveries need not sign again.
    pub signature: Option<KeptSignature>,
    /// The receiver's answer to the latest attempt, if it refused the webhook with a body.
    pub refusal: Option<Refusal>,
    /// The state of the delivery.
    pub progress: Progress,
}

/// The body with which a receiver refused a webhook. `Debug` hides it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The number of the attempt.
    #[serde(rename = "n")]
    pub attempt: u32,
    /// The beginning of the body, at most [`KEPT_ANSWER`] bytes of it, with other bytes than UTF-8 replaced.
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
        /// The time of the next attempt.
        #[serde(rename = "next")]
        next_attempt_at: Timestamp,
        /// The time when the sweep looks after it: its place in the due index.
        #[serde(rename = "due")]
        due_at: Timestamp,
        /// The start of the attempt under way, if there is one.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[serde(rename = "claimed")]
        claimed_at: Option<Timestamp>,
    },
    /// The receiver answered 2xx.
    Delivered {
        /// The time of the answer.
        at: Timestamp,
    },
    /// No attempt succeeded. The webhook can be redelivered.
    Failed {
        /// The time of the last attempt.
        at: Timestamp,
    },
}

impl Delivery {
    /// Returns a delivery whose first attempt is due at a time.
    #[must_use]
    pub fn owed(at: Timestamp) -> Self {
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

/// An attempt that was made, as callers see it.
#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// The number of the attempt, from 1.
    #[serde(rename = "n")]
    pub number: u32,
    /// The start of the attempt.
    pub at: Timestamp,
    /// The duration of the attempt. Whole milliseconds are stored.
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
    /// No answer came.
    NoAnswer(FailureReason),
}

impl AttemptResult {
    /// Returns whether the receiver accepted the webhook (2xx).
    #[must_use]
    pub const fn is_success(self) -> bool {
        matches!(self, Self::Answered(200..=299))
    }

    /// Returns whether another attempt is pointless: the receiver answered 410 Gone, or the URL itself must
    /// not be reached. DNS may answer differently next time, so its refusals are not final.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(
            self,
            Self::Answered(410) | Self::NoAnswer(FailureReason::AddressRefused)
        )
    }

    /// Returns whose fault a failed attempt is; `None` if it succeeded.
    #[must_use]
    pub const fn fault(self) -> Option<Fault> {
        match self {
            Self::Answered(200..=299) => None,
            Self::NoAnswer(FailureReason::SigningFailed) => Some(Fault::Ours),
            Self::Answered(_) | Self::NoAnswer(_) => Some(Fault::Receivers),
        }
    }
}

/// The side at fault for a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The receiver's, its name's or its network's.
    Receivers,
    Ours,
}

/// The reason why no answer came.
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
    /// DNS answered an address that must not be reached, with or without others.
    DnsAddressRefused,
    /// The host's name has no address, or its name servers did not answer in time.
    NameNotResolved,
    /// No connection: refused, unreachable or not accepted in time.
    ConnectFailed,
    /// No TLS session: most often a certificate that is not valid for the host.
    TlsFailed,
    /// No whole answer within the bound.
    TimedOut,
    /// The connection broke, or what came was not HTTP.
    ProtocolError,
    /// Not tried: attempts to the same receiver had just timed out.
    ReceiverDown,
    /// We could not sign. Ours.
    SigningFailed,
}

/// A signature with its body and key. Renewed only when the body or the key changed.
#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptSignature {
    /// SHA-256 of the body.
    #[serde_as(as = "Base64Url")]
    #[serde(rename = "body")]
    pub body_hash: [u8; 32],
    /// Which key made it.
    #[serde(rename = "key")]
    pub key_id: crate::delivery::signing::KeyId,
    /// DER, as ECDSA signatures are written in ASN.1 (SEC 1, C.5).
    #[serde_as(as = "Base64Url")]
    pub der: Vec<u8>,
}
