//! The delivery: the webhook owed for a verified confirmation or for a decided login, with its
//! attempts.
//!
//! A delivery is part of the item that owes it, so the state that causes a webhook and the webhook
//! itself change in one write. Everything here treats both kinds of items alike: an item is known
//! by its [`DeliverySubject`], and changes through [`transitions`].

mod attempts;
mod outcome;
pub mod queue;
mod schedule;
pub mod sender;
pub mod signing;
pub mod store;
mod subject;
pub mod transitions;

use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

pub use attempts::{SettledAttempt, Settlement};
pub use outcome::{
    ClaimOutcome, ClaimedDelivery, Decision, PostponeOutcome, SettleOutcome, WebhookBody,
};
pub use schedule::{ATTEMPTS, HORIZON, Jitter, MAX_RETRY_AFTER, delay_before};
pub use subject::{DeliveryGroup, DeliveryKind, DeliveryLane, DeliveryPointer, DeliverySubject};

use crate::primitives::time::Timestamp;

/// How many of the latest attempts are kept for callers to see.
pub const KEPT_ATTEMPTS: usize = 30;

/// How long an attempt may be under way before another may take its place: longer than the
/// webhook client's bound on a whole request, with room for signing and settling.
pub const CLAIM_LEASE: Duration = Duration::from_secs(30);

/// How long before its time an attempt may be claimed: more than the clocks of two machines differ,
/// and less than anybody minds.
pub const CLAIM_TOLERANCE: Duration = Duration::from_secs(5);

/// How long after the time of an attempt the sweep looks for it, in case its queue message was
/// lost.
pub const SWEEP_LEASE: Duration = Duration::from_mins(1);

/// How long after its time an attempt can still be made, whatever the retention: what sweep and
/// queues take, and trouble with them. With the longest schedule it stays below [`HORIZON`], so
/// that only a receiver's `Retry-After` makes an item be kept for longer.
pub const LATENESS: Duration = Duration::from_hours(1);

/// The webhook owed, from the moment of verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// How many attempts have been claimed so far. The number that a claim is conditional on.
    pub attempts_claimed: u32,
    /// How many attempts had been claimed when the present round began: a redelivery begins a new
    /// round of the retry schedule.
    pub round_began_at: u32,
    /// The latest attempts that were settled, oldest first, at most [`KEPT_ATTEMPTS`].
    pub attempts: Vec<Attempt>,
    /// The signature of the body, kept so that retries and redeliveries need not sign again.
    pub signature: Option<KeptSignature>,
    /// Where it stands.
    pub progress: Progress,
}

/// Where a delivery stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Owed.
    Pending {
        /// When the next attempt is to be made.
        next_attempt_at: Timestamp,
        /// When the sweep is to look after it: in the due index.
        due_at: Timestamp,
        /// Since when an attempt is under way, if one is.
        claimed_at: Option<Timestamp>,
    },
    /// The receiver answered 2xx.
    Delivered {
        /// When.
        at: Timestamp,
    },
    /// Given up. It can be redelivered.
    Failed {
        /// When.
        at: Timestamp,
    },
}

impl Delivery {
    /// A delivery that is owed from now on, first attempt at once.
    #[must_use]
    pub fn owed(now: Timestamp) -> Self {
        Self {
            attempts_claimed: 0,
            round_began_at: 0,
            attempts: Vec::new(),
            signature: None,
            progress: Progress::Pending {
                next_attempt_at: now,
                due_at: now.plus(SWEEP_LEASE),
                claimed_at: None,
            },
        }
    }

    /// Whether a webhook is still owed.
    #[must_use]
    pub const fn is_pending(&self) -> bool {
        matches!(self.progress, Progress::Pending { .. })
    }
}

/// One attempt that was made, as the caller sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// 1 for the first.
    pub number: u32,
    /// When it began.
    pub at: Timestamp,
    /// How long it took. Stores keep whole milliseconds.
    pub duration: Duration,
    /// How it ended.
    pub result: AttemptResult,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptResult {
    /// The receiver answered with this HTTP status.
    Answered(u16),
    /// No answer came.
    NoAnswer(FailureReason),
}

impl AttemptResult {
    /// Whether the receiver took the webhook (2xx).
    #[must_use]
    pub const fn is_success(self) -> bool {
        matches!(self, Self::Answered(200..=299))
    }

    /// Whether trying again is pointless: the receiver said 410 Gone, or the URL itself must not be
    /// reached. What came from DNS may be another answer next time.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(
            self,
            Self::Answered(410) | Self::NoAnswer(FailureReason::AddressRefused)
        )
    }

    /// Whose fault a failed attempt is; `None` where it succeeded.
    #[must_use]
    pub const fn fault(self) -> Option<Fault> {
        match self {
            Self::Answered(200..=299) => None,
            Self::NoAnswer(FailureReason::SigningFailed) => Some(Fault::Ours),
            Self::Answered(_) | Self::NoAnswer(_) => Some(Fault::Receivers),
        }
    }
}

/// Whose fault a failed attempt is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The receiver's, its name's or its network's.
    Receivers,
    /// Ours.
    Ours,
}

/// Why no answer came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureReason {
    /// The address guard refused the URL itself.
    AddressRefused,
    /// DNS answered an address that must not be reached, beside others or alone.
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
    /// We could not sign. Ours.
    SigningFailed,
}

impl FailureReason {
    /// Every reason.
    pub const ALL: [Self; 8] = [
        Self::AddressRefused,
        Self::DnsAddressRefused,
        Self::NameNotResolved,
        Self::ConnectFailed,
        Self::TlsFailed,
        Self::TimedOut,
        Self::ProtocolError,
        Self::SigningFailed,
    ];

    /// The stable name that callers see and stores keep.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AddressRefused => "address_refused",
            Self::DnsAddressRefused => "dns_address_refused",
            Self::NameNotResolved => "name_not_resolved",
            Self::ConnectFailed => "connect_failed",
            Self::TlsFailed => "tls_failed",
            Self::TimedOut => "timed_out",
            Self::ProtocolError => "protocol_error",
            Self::SigningFailed => "signing_failed",
        }
    }
}

/// A text that names no [`FailureReason`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not a reason for a failed attempt")]
pub struct UnknownFailureReason;

impl FromStr for FailureReason {
    type Err = UnknownFailureReason;

    /// Reads the name that [`as_str`](Self::as_str) writes.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|reason| reason.as_str() == text)
            .ok_or(UnknownFailureReason)
    }
}

/// A signature with what it belongs to. Made anew only when the body or the key changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptSignature {
    /// SHA-256 of the body.
    pub body_hash: [u8; 32],
    /// Which key made it.
    pub key_id: crate::delivery::signing::KeyId,
    /// DER, as ECDSA signatures are written in ASN.1 (SEC 1, C.5).
    pub der: Vec<u8>,
}
