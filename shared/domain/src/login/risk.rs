//! The risk of a login: a pure function of the sightings of browser and phone, the app's policy,
//! and recent events.

mod history;
mod recent;
mod rules;
mod severity;

#[cfg(test)]
mod tests;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use history::{
    BrowserMark, ConfirmedLogin, DENIAL_WINDOW, Denials, HISTORY_RETENTION, KnownBrowser,
    MAX_KNOWN_BROWSERS, PersonHistory, SUSPICIOUS_DENIALS,
};
pub use recent::{Familiarity, History, LastConfirmation, NameHistory, Novelty};
pub use rules::{MAX_KM, MAX_KM_PER_HOUR, SPEED_FLOOR_KM, assess};
pub use severity::Severity;

/// The verdict on a login.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum RiskStatus {
    /// Nothing suspicious was found.
    Clear,
    /// The person should take a closer look.
    Warn,
    /// The login cannot be confirmed.
    Deny,
}

/// A fact about a login that the person should know before they decide.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Flag {
    /// The browser's address is a known source of attacks.
    BrowserAttacker,
    /// The browser uses Tor.
    BrowserTor,
    /// Browser and phone are in different countries, and the browser hides its location.
    CountriesDifferHidden,
    /// Logins from the browser's address were denied repeatedly, and the app's policy is to block
    /// such logins.
    DenialsRefused,
    /// Logins from the browser's address were denied repeatedly, and the app's policy is to warn.
    Denials,
    /// The phone uses Tor.
    PhoneTor,
    /// The browser uses a VPN.
    BrowserVpn,
    /// The browser runs in a data center.
    BrowserHosting,
    /// Browser and phone are in different countries.
    CountriesDiffer,
    /// Browser and phone are far apart, in the same country or where a country is unknown.
    FarApart,
    /// The phone cannot have traveled this far since the last confirmed login.
    TooFast,
    /// The person has recently confirmed logins, but none from this browser.
    NewBrowser,
    /// The location of the browser or the phone is unknown, so their distance was not judged.
    PlaceUnknown,
    /// The phone named no user, so no earlier logins were compared, and the proof's owner could not be
    /// compared with a user.
    NameUnchecked,
    /// Browser and phone use the same network, which does not hide its users. This flag only reassures; it
    /// does not change the verdict.
    SameNetwork,
}

impl Flag {
    /// Returns the verdict that this flag causes by itself.
    #[must_use]
    pub const fn status(self) -> RiskStatus {
        match self {
            Self::BrowserAttacker
            | Self::BrowserTor
            | Self::CountriesDifferHidden
            | Self::DenialsRefused => RiskStatus::Deny,
            Self::Denials
            | Self::PhoneTor
            | Self::BrowserVpn
            | Self::BrowserHosting
            | Self::CountriesDiffer
            | Self::FarApart
            | Self::TooFast
            | Self::NewBrowser => RiskStatus::Warn,
            Self::PlaceUnknown | Self::NameUnchecked | Self::SameNetwork => RiskStatus::Clear,
        }
    }

    /// Returns the severity of this flag for programs.
    #[must_use]
    pub const fn severity(self) -> Severity {
        Severity::from_status(self.status())
    }
}

impl fmt::Display for Flag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.into_str())
    }
}

/// The flags raised for a login, each at most once, most serious first.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Assessment(Vec<Flag>);

impl Assessment {
    #[must_use]
    pub fn from_flags(flags: impl IntoIterator<Item = Flag>) -> Self {
        let mut flags: Vec<Flag> = flags.into_iter().collect();
        flags.sort_unstable();
        flags.dedup();
        Self(flags)
    }

    /// Returns the flags, most serious first.
    #[must_use]
    pub fn flags(&self) -> &[Flag] {
        &self.0
    }

    /// Keeps only the flags that concern the phone and its user. If a server opened the login, its
    /// address says nothing about the person.
    #[must_use]
    pub fn about_the_phone(mut self) -> Self {
        self.0
            .retain(|flag| matches!(flag, Flag::PhoneTor | Flag::TooFast | Flag::NameUnchecked));
        self
    }

    /// Returns the verdict: the most serious one of all flags.
    #[must_use]
    pub fn status(&self) -> RiskStatus {
        let statuses = self.0.iter().map(|flag| flag.status());
        statuses.max().unwrap_or(RiskStatus::Clear)
    }
}
