//! The carrier of a verified number: its name, and the port that looks it up.

use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::primitives::phone::PhoneNumber;

/// Maximum length of a name, in characters.
const MAX_CHARS: usize = 64;

/// Maximum time after a text that its webhook waits for a lookup.
pub const LOOKUP_TIMEOUT: Duration = Duration::from_millis(800);

/// The name of a carrier: no control characters, at most 64 characters. Empty if the carrier is
/// unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CarrierName(String);

impl CarrierName {
    /// Creates a name from a provider's text. Removes control characters and surrounding spaces,
    /// and truncates the rest to 64 characters.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        let name: String = text
            .chars()
            .filter(|c| !c.is_control())
            .take(MAX_CHARS)
            .collect();
        Self(name.trim().to_owned())
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether the carrier is unknown.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The carrier of a verified confirmation. The carrier is decided at most once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Carrier {
    /// Not decided because the provider named no carrier and none was looked up, or erased.
    #[default]
    Undecided,
    /// Decided, and never changed again. The name is empty if a lookup did not find one.
    Decided(CarrierName),
}

impl Carrier {
    /// Returns the carrier that a provider reported with the text; its name is empty if it reported
    /// none.
    #[must_use]
    pub fn reported(name: CarrierName) -> Self {
        if name.is_empty() {
            Self::Undecided
        } else {
            Self::Decided(name)
        }
    }

    /// Returns the name that callers see; empty if the carrier is unknown.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Undecided => "",
            Self::Decided(name) => name.as_str(),
        }
    }
}

/// Looks up the carriers of verified numbers. Each lookup may cost money.
///
/// Every implementation MUST
/// - answer within the given time, and make no call if no time is left;
/// - never guess: a name comes only from the provider's answer for this number;
/// - never log numbers.
#[async_trait]
pub trait CarrierLookup: Send + Sync {
    /// Looks up the carrier of a number within a time limit.
    async fn lookup(&self, number: &PhoneNumber, within: Duration) -> LookupOutcome;
}

/// The outcome of a lookup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LookupOutcome {
    /// The provider named the carrier.
    Found(CarrierName),
    /// The provider does not know the carrier of this number.
    Empty,
    /// An earlier or concurrent lookup of the number provided the answer. The name may be empty.
    Cached(CarrierName),
    /// The provider refused, failed, or answered something else.
    Failed,
    /// The provider did not answer in time.
    TimedOut,
    /// The provider timed out several times in a row, so it was not called.
    Paused,
    /// The maximum number of lookups per day was reached, so the provider was not called.
    Limited,
}

impl LookupOutcome {
    /// Returns the kind of outcome, for counters.
    #[must_use]
    pub const fn result(&self) -> LookupResult {
        match self {
            Self::Found(_) => LookupResult::Found,
            Self::Empty => LookupResult::Empty,
            Self::Cached(_) => LookupResult::Cached,
            Self::Failed => LookupResult::Failed,
            Self::TimedOut => LookupResult::TimedOut,
            Self::Paused => LookupResult::Paused,
            Self::Limited => LookupResult::Limited,
        }
    }

    /// Returns the name that the outcome decides; empty if there is no name.
    #[must_use]
    pub fn into_name(self) -> CarrierName {
        match self {
            Self::Found(name) | Self::Cached(name) => name,
            Self::Empty | Self::Failed | Self::TimedOut | Self::Paused | Self::Limited => {
                CarrierName::default()
            }
        }
    }
}

/// The kind of a [`LookupOutcome`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LookupResult {
    /// A name was found.
    Found,
    /// The provider does not know the carrier.
    Empty,
    /// No call was needed.
    Cached,
    /// The call failed.
    Failed,
    /// The call took too long.
    TimedOut,
    /// The call was not made because several previous calls timed out.
    Paused,
    /// The call was not made because the day's maximum was reached.
    Limited,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_has_no_control_characters_and_a_bounded_length() {
        let of = |text: &str| CarrierName::from_text(text).as_str().to_owned();
        assert_eq!(of(" Acme\r\nMobile\u{0}\u{85} "), "AcmeMobile");
        assert_eq!(of("\u{1b}[31m"), "[31m");
        assert_eq!(of("  \t\n"), "");
        assert_eq!(of(&"ä".repeat(1000)).chars().count(), MAX_CHARS);
    }

    #[test]
    fn carrier_without_a_name_is_undecided() {
        assert_eq!(
            Carrier::reported(CarrierName::default()),
            Carrier::Undecided
        );
        let acme = CarrierName::from_text("Acme");
        assert_eq!(Carrier::reported(acme.clone()), Carrier::Decided(acme));
    }

    #[test]
    fn only_an_answer_has_a_name() {
        let acme = || CarrierName::from_text("Acme");
        for named in [LookupOutcome::Found(acme()), LookupOutcome::Cached(acme())] {
            assert_eq!(named.into_name(), acme());
        }
        for unnamed in [
            LookupOutcome::Empty,
            LookupOutcome::Failed,
            LookupOutcome::TimedOut,
            LookupOutcome::Paused,
            LookupOutcome::Limited,
        ] {
            assert!(unnamed.into_name().is_empty());
        }
    }
}
