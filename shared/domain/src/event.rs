//! What is counted. No event holds personal data or a secret.

use std::time::Duration;

use crate::app::code::NoCode;
use crate::confirmation::transitions::VerifyRefusal;
use crate::delivery::{AttemptResult, Fault};

/// Something that happened, worth counting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A session was started.
    Created,
    /// An idempotent request was answered again.
    Replayed,
    /// A text completed a session.
    Verified,
    /// A provider delivered the text of a verified session again.
    TextRepeated,
    /// A text changed nothing.
    TextMissed(Miss),
    /// A provider's call was not authentic or not well formed.
    InboundRefused,
    /// A webhook was attempted.
    Attempted {
        /// How it ended.
        result: AttemptResult,
        /// For a first attempt: from the verification to the attempt's end.
        since_verified: Option<Duration>,
    },
    /// A delivery was given up.
    DeliveryFailed,
    /// The sweep found a delivery whose queue message was lost or waited for longer than the
    /// queue can.
    Swept,
    /// A pointer could not be put into the queue; the sweep will find it.
    EnqueueFailed,
    /// A confirmation was refused: the app's rate was used up.
    RateExceeded,
    /// A confirmation was refused: the app had too many open.
    OpenExceeded,
    /// The queue had no room for a pointer's lane; the sweep will find it.
    LeftToSweep,
    /// The wall clock was ahead of what had passed since boot, and was not believed.
    ClockAhead,
    /// Something about a QR session.
    Login(LoginEvent),
}

/// Something that happened to a QR session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LoginEvent {
    /// A browser opened one.
    Created,
    /// A page that the app does not list tried to.
    OriginRefused,
    /// A phone opened the code.
    Scanned,
    /// The risk of a session that a phone opened forbids it.
    RiskDenied,
    /// The person confirmed.
    Confirmed,
    /// The person denied.
    Denied,
    /// A phone confirmed what the risk forbids.
    ForbiddenConfirmed,
    /// A second phone opened the code. Worth an alarm where it happens often.
    SecondPhone,
    /// The browser took the payload.
    Redeemed,
    /// The browser gave it up.
    Cancelled,
    /// A watching browser could not be told; it will ask by itself.
    PushFailed,
    /// What bears on later logins could not be remembered.
    HistoryFailed,
    /// A request that missed was one too many from its address.
    MissLimited,
    /// A browser was refused a session: its address had opened too many.
    OpeningLimited,
    /// A browser was refused a session: the app's rate was used up.
    RateExceeded,
    /// A browser was refused a session: the app had too many open.
    OpenExceeded,
    /// A confirmation under a new name was not remembered: there were too many new names.
    NameLimited,
}

impl LoginEvent {
    /// Every event.
    pub const ALL: [Self; 17] = [
        Self::Created,
        Self::OriginRefused,
        Self::Scanned,
        Self::RiskDenied,
        Self::Confirmed,
        Self::Denied,
        Self::ForbiddenConfirmed,
        Self::SecondPhone,
        Self::Redeemed,
        Self::Cancelled,
        Self::PushFailed,
        Self::HistoryFailed,
        Self::MissLimited,
        Self::OpeningLimited,
        Self::RateExceeded,
        Self::OpenExceeded,
        Self::NameLimited,
    ];

    /// The counter's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Created => "qr_created",
            Self::OriginRefused => "qr_origin_refused",
            Self::Scanned => "qr_scanned",
            Self::RiskDenied => "qr_risk_denied",
            Self::Confirmed => "qr_confirmed",
            Self::Denied => "qr_denied",
            Self::ForbiddenConfirmed => "qr_forbidden_confirmed",
            Self::SecondPhone => "qr_second_phone",
            Self::Redeemed => "qr_redeemed",
            Self::Cancelled => "qr_cancelled",
            Self::PushFailed => "qr_push_failed",
            Self::HistoryFailed => "qr_history_failed",
            Self::MissLimited => "qr_miss_limited",
            Self::OpeningLimited => "qr_opening_limited",
            Self::RateExceeded => "qr_rate_exceeded",
            Self::OpenExceeded => "qr_open_exceeded",
            Self::NameLimited => "qr_name_limited",
        }
    }
}

/// Why a text changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Miss {
    /// The sender is not a phone number in E.164.
    Sender,
    /// The recipient is none of our numbers.
    Recipient,
    /// No code, or more than one.
    Code(NoCode),
    /// A code that does nothing.
    Refused(VerifyRefusal),
}

impl Event {
    /// The counter's name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Replayed => "replayed",
            Self::Verified => "verified",
            Self::TextRepeated => "text_repeated",
            Self::TextMissed(miss) => miss.name(),
            Self::InboundRefused => "inbound_refused",
            Self::Attempted { result, .. } => match result.fault() {
                None => "attempt_succeeded",
                Some(Fault::Receivers) => "attempt_failed_receiver",
                Some(Fault::Ours) => "attempt_failed_ours",
            },
            Self::DeliveryFailed => "delivery_failed",
            Self::Swept => "swept",
            Self::EnqueueFailed => "enqueue_failed",
            Self::RateExceeded => "rate_exceeded",
            Self::OpenExceeded => "open_exceeded",
            Self::LeftToSweep => "left_to_sweep",
            Self::ClockAhead => "clock_ahead",
            Self::Login(event) => event.name(),
        }
    }

    /// The name of every counter: [`NAMES`](Self::NAMES), then those of logins.
    pub const ALL_NAMES: [&'static str; Self::NAMES.len() + LoginEvent::ALL.len()] = {
        let mut all = [""; Self::NAMES.len() + LoginEvent::ALL.len()];
        let mut n = 0;
        while n < all.len() {
            all[n] = if n < Self::NAMES.len() {
                Self::NAMES[n]
            } else {
                LoginEvent::ALL[n - Self::NAMES.len()].name()
            };
            n += 1;
        }
        all
    };

    /// The name of every counter of phone numbers; [`LoginEvent::ALL`] has the others.
    pub const NAMES: [&'static str; 24] = [
        "created",
        "replayed",
        "verified",
        "text_repeated",
        "miss_sender",
        "miss_recipient",
        "miss_no_code",
        "miss_ambiguous_code",
        "miss_unknown",
        "miss_expired",
        "miss_cancelled",
        "miss_already_used",
        "miss_wrong_sender",
        "inbound_refused",
        "attempt_succeeded",
        "attempt_failed_receiver",
        "attempt_failed_ours",
        "delivery_failed",
        "swept",
        "enqueue_failed",
        "rate_exceeded",
        "open_exceeded",
        "left_to_sweep",
        "clock_ahead",
    ];
}

impl Miss {
    const fn name(self) -> &'static str {
        match self {
            Self::Sender => "miss_sender",
            Self::Recipient => "miss_recipient",
            Self::Code(NoCode::Absent) => "miss_no_code",
            Self::Code(NoCode::Ambiguous) => "miss_ambiguous_code",
            Self::Refused(VerifyRefusal::Unknown) => "miss_unknown",
            Self::Refused(VerifyRefusal::Expired) => "miss_expired",
            Self::Refused(VerifyRefusal::Cancelled) => "miss_cancelled",
            Self::Refused(VerifyRefusal::AlreadyUsed) => "miss_already_used",
            Self::Refused(VerifyRefusal::WrongSender) => "miss_wrong_sender",
        }
    }
}

/// Where it is counted what happens.
pub trait Metrics: Send + Sync {
    /// Counts one event. MUST NOT block or fail.
    fn count(&self, event: &Event);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_counter_has_a_name_of_its_own() {
        let logins = LoginEvent::ALL.map(|event| Event::Login(event).name());
        assert!(logins.iter().all(|name| name.starts_with("qr_")));
        assert_eq!(Event::ALL_NAMES[Event::NAMES.len()..], logins);
        let names: BTreeSet<&str> = Event::ALL_NAMES.into_iter().collect();
        assert_eq!(names.len(), Event::ALL_NAMES.len());
    }
}
