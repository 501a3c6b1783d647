//! Events for metrics. Events contain no personal data and no secrets.

use std::time::Duration;
use strum::VariantArray as _;

use crate::app::code::NoCode;
use crate::confirmation::carrier::LookupResult;
use crate::confirmation::transitions::VerifyRefusal;
use crate::delivery::{AttemptResult, FaultSide};
use crate::primitives::ids::AppId;
use crate::primitives::phone::Country;

/// An event to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A confirmation was started.
    Created,
    /// An idempotent request was replayed.
    Replayed,
    /// A text completed a confirmation.
    Verified,
    /// A provider delivered a text again that had completed a confirmation.
    TextRepeated,
    /// A text completed no confirmation.
    TextMissed(Miss),
    /// A provider's call was not authentic or not well-formed.
    InboundRefused,
    /// A provider's call contained something other than a text from a phone number.
    InboundIgnored,
    /// A part of a longer text without a code was kept until the other parts arrive.
    TextPartKept,
    /// The carrier of a verified number was looked up.
    CarrierLookup(LookupResult),
    /// A webhook was attempted.
    Attempted {
        result: AttemptResult,
        /// For a first attempt, the time from the verification to the end of the attempt.
        since_verified: Option<Duration>,
    },
    /// A receiver accepted the webhook of a confirmation for the first time.
    Delivered,
    /// A delivery failed: its retries have ended.
    DeliveryFailed,
    /// The sweep found a delivery whose queue message was lost, or that waits longer than the
    /// queue's maximum delay.
    Swept,
    /// A pointer could not be enqueued; the sweep will find the delivery.
    EnqueueFailed,
    /// A start of a confirmation was refused because the app had exceeded its rate.
    RateExceeded,
    /// A start of a confirmation was refused because the app had too many open.
    OpenExceeded,
    /// A list was refused because the app had listed too often, or had too many lists in progress.
    ListsExceeded,
    /// The queue had no room in the pointer's lane; the sweep will find the delivery.
    LeftToSweep,
    /// The wall clock was ahead of the time since boot and was not trusted.
    ClockAhead,
    /// On start, the store was found to be corrupt.
    StoreDamaged,
    Login(LoginEvent),
}

/// An event about logins to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case", prefix = "qr_", const_into_str)]
pub enum LoginEvent {
    /// A browser created a login.
    Created,
    /// A browser created a login again because the answer was lost, or joined the login that the app's server had
    /// created for it.
    Replayed,
    /// A page that the app does not list tried to create a login.
    OriginRefused,
    /// A page tried to create a login for an app that allows only its server to create them.
    PageRefused,
    /// A phone opened a login.
    Scanned,
    /// A phone opened a login whose risk forbids confirming it.
    RiskDenied,
    /// The person confirmed the login.
    Confirmed,
    /// The person denied the login.
    Denied,
    /// A phone confirmed a login although its risk forbids it.
    ForbiddenConfirmed,
    /// A second phone opened a login. Frequent occurrences should raise an alarm.
    SecondPhone,
    /// A phone found that the id does not match the service's answer. Any occurrence should raise
    /// an alarm: someone between phone and service replaced the key, the page or the app.
    KeyMismatch,
    /// The browser sent a wrong check code.
    CheckCodeWrong,
    /// The browser sent too many wrong check codes. Frequent occurrences mean that codes are forwarded
    /// to people who do not see the browser.
    CheckCodeBlocked,
    /// The browser redeemed the payload.
    Redeemed,
    /// The browser cancelled the login.
    Cancelled,
    /// A watching browser could not be notified; it will poll instead.
    PushFailed,
    /// The history of logins could not be written.
    HistoryFailed,
    /// A failed request exceeded the limit for its address.
    MissLimited,
    /// A login was refused because the browser's address had created too many.
    OpeningLimited,
    /// A login was refused because the app had exceeded its rate.
    RateExceeded,
    /// A login was refused because the app had too many open.
    OpenExceeded,
    /// A new name was not remembered because the limit on new names was reached.
    NameLimited,
}

/// The reason why a text completed no confirmation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Miss {
    /// The sender is a name, a short code or digits that are not a number of any country.
    Sender,
    /// The text does not include the sender's number.
    NumberHidden,
    /// The recipient is not one of our numbers for the text's channel.
    Recipient,
    /// The text contains no code, or more than one.
    Code(NoCode),
    /// The code does not complete a confirmation.
    Refused(VerifyRefusal),
}

impl Event {
    /// Returns the counter's name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Login(event) => event.into_str(),
            Self::Created => Counter::Created.into_str(),
            Self::Replayed => Counter::Replayed.into_str(),
            Self::Verified => Counter::Verified.into_str(),
            Self::TextRepeated => Counter::TextRepeated.into_str(),
            Self::TextMissed(miss) => miss.counter().into_str(),
            Self::InboundRefused => Counter::InboundRefused.into_str(),
            Self::InboundIgnored => Counter::InboundIgnored.into_str(),
            Self::TextPartKept => Counter::TextPartKept.into_str(),
            Self::CarrierLookup(result) => Counter::of_lookup(*result).into_str(),
            Self::Attempted { result, .. } => Counter::of_attempt(*result).into_str(),
            Self::Delivered => Counter::Delivered.into_str(),
            Self::DeliveryFailed => Counter::DeliveryFailed.into_str(),
            Self::Swept => Counter::Swept.into_str(),
            Self::EnqueueFailed => Counter::EnqueueFailed.into_str(),
            Self::RateExceeded => Counter::RateExceeded.into_str(),
            Self::OpenExceeded => Counter::OpenExceeded.into_str(),
            Self::ListsExceeded => Counter::ListsExceeded.into_str(),
            Self::LeftToSweep => Counter::LeftToSweep.into_str(),
            Self::ClockAhead => Counter::ClockAhead.into_str(),
            Self::StoreDamaged => Counter::StoreDamaged.into_str(),
        }
    }

    /// Returns the names of all counters.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let numbers = Counter::VARIANTS.iter().map(Counter::into_str);
        let logins = LoginEvent::VARIANTS.iter().map(LoginEvent::into_str);
        numbers.chain(logins)
    }
}

/// The counter of an [`Event`]; a [`LoginEvent`] has its own counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Counter {
    Created,
    Replayed,
    Verified,
    TextRepeated,
    MissSender,
    MissNumberHidden,
    MissRecipient,
    MissNoCode,
    MissAmbiguousCode,
    MissUnknown,
    MissExpired,
    MissCancelled,
    MissAlreadyUsed,
    MissWrongSender,
    MissNumberTypeRefused,
    InboundRefused,
    InboundIgnored,
    TextPartKept,
    CarrierFound,
    CarrierEmpty,
    CarrierCached,
    CarrierFailed,
    CarrierTimedOut,
    CarrierPaused,
    CarrierLimited,
    AttemptSucceeded,
    AttemptFailedReceiver,
    AttemptFailedOurs,
    Delivered,
    DeliveryFailed,
    Swept,
    EnqueueFailed,
    RateExceeded,
    OpenExceeded,
    ListsExceeded,
    LeftToSweep,
    ClockAhead,
    StoreDamaged,
}

impl Counter {
    const fn of_lookup(result: LookupResult) -> Self {
        match result {
            LookupResult::Found => Self::CarrierFound,
            LookupResult::Empty => Self::CarrierEmpty,
            LookupResult::Cached => Self::CarrierCached,
            LookupResult::Failed => Self::CarrierFailed,
            LookupResult::TimedOut => Self::CarrierTimedOut,
            LookupResult::Paused => Self::CarrierPaused,
            LookupResult::Limited => Self::CarrierLimited,
        }
    }

    const fn of_attempt(result: AttemptResult) -> Self {
        match result.fault() {
            None => Self::AttemptSucceeded,
            Some(FaultSide::Receivers) => Self::AttemptFailedReceiver,
            Some(FaultSide::Ours) => Self::AttemptFailedOurs,
        }
    }
}

impl Miss {
    const fn counter(self) -> Counter {
        match self {
            Self::Sender => Counter::MissSender,
            Self::NumberHidden => Counter::MissNumberHidden,
            Self::Recipient | Self::Refused(VerifyRefusal::WrongRecipient) => {
                Counter::MissRecipient
            }
            Self::Code(NoCode::Absent) => Counter::MissNoCode,
            Self::Code(NoCode::Ambiguous) => Counter::MissAmbiguousCode,
            Self::Refused(VerifyRefusal::Unknown) => Counter::MissUnknown,
            Self::Refused(VerifyRefusal::Expired) => Counter::MissExpired,
            Self::Refused(VerifyRefusal::Cancelled) => Counter::MissCancelled,
            Self::Refused(VerifyRefusal::AlreadyUsed) => Counter::MissAlreadyUsed,
            Self::Refused(VerifyRefusal::WrongSender) => Counter::MissWrongSender,
            Self::Refused(VerifyRefusal::NumberTypeRefused) => Counter::MissNumberTypeRefused,
        }
    }
}

/// The labels of an event, as far as they are known where it occurs: nothing is read from the store to
/// complete them.
///
/// The number of combinations is bounded even if strangers send texts from everywhere: there are about
/// 250 countries, and operators choose the apps and the providers. Only the country of a phone number
/// is included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Labels<'a> {
    pub app: Option<&'a AppId>,
    /// The country of the person's number or, until it is known, of the number that the person
    /// texts.
    pub country: Option<Country>,
    /// The provider that delivered the text, as in its route.
    pub provider: Option<&'a str>,
}

impl<'a> Labels<'a> {
    /// Returns the labels of an event that concerns an app but no text.
    #[must_use]
    pub fn of_app(app: &'a AppId) -> Self {
        Self {
            app: Some(app),
            ..Self::default()
        }
    }
}

/// A sink for metrics.
pub trait Metrics: Send + Sync {
    /// Counts an event. Implementations MUST NOT block or fail.
    fn count(&self, event: &Event, labels: Labels<'_>);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_counter_has_a_unique_name() {
        let names: BTreeSet<&str> = Event::names().collect();
        assert_eq!(names.len(), Event::names().count());
        let logins = names.iter().filter(|name| name.starts_with("qr_"));
        assert_eq!(logins.count(), LoginEvent::VARIANTS.len());
    }
}
