//! The risk of a login: a pure function of what was seen of browser and phone, the app's policy,
//! and recent events.

mod analytics;
mod history;
mod rules;

#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

pub use analytics::{GeoData, PlaceNames, RiskAnalytics};
pub use history::{
    BrowserMark, ConfirmedLogin, DENIAL_WINDOW, DENIALS, Denials, History, KnownBrowser,
    LastConfirmation, MAX_KNOWN_BROWSERS, Novelty, PersonHistory, REMEMBERED,
};
pub use rules::{MAX_KM, MAX_KM_PER_HOUR, SPEED_FLOOR_KM, assess};

/// The verdict on a login.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RiskStatus {
    /// Nothing suspicious was found.
    Clear,
    /// The person should look twice.
    Warn,
    /// The login cannot be confirmed.
    Deny,
}

impl RiskStatus {
    /// Every status, from the least risk to the most.
    pub const ALL: [Self; 3] = [Self::Clear, Self::Warn, Self::Deny];

    /// Returns the name used in the Session object (mobile SDK, section 2).
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Clear => "clear",
            Self::Warn => "warn",
            Self::Deny => "deny",
        }
    }
}

/// A suspicious fact about a login.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Flag {
    /// The browser's address is known as a source of attacks.
    BrowserAttacker,
    /// The browser uses Tor.
    BrowserTor,
    /// Browser and phone are in different countries, and the browser hides its location.
    CountriesDifferHidden,
    /// Logins from the browser's address were denied repeatedly, and the app's policy blocks such
    /// logins.
    DenialsRefused,
    /// Logins from the browser's address were denied repeatedly, and the app's policy is to warn.
    Denials,
    /// The phone uses Tor.
    PhoneTor,
    /// The browser uses a VPN.
    BrowserVpn,
    /// The browser runs in a data centre.
    BrowserHosting,
    /// Browser and phone are in different countries.
    CountriesDiffer,
    /// Browser and phone are far apart, in the same country or where a country is unknown.
    FarApart,
    /// The phone cannot have travelled here since the last confirmed login.
    TooFast,
    /// The person has never confirmed a login from this browser.
    NewBrowser,
    /// The location of the browser or the phone is unknown, so their distance was not judged.
    PlaceUnknown,
}

impl Flag {
    /// All flags, most serious first.
    pub const ALL: [Self; 13] = [
        Self::BrowserAttacker,
        Self::BrowserTor,
        Self::CountriesDifferHidden,
        Self::DenialsRefused,
        Self::Denials,
        Self::PhoneTor,
        Self::BrowserVpn,
        Self::BrowserHosting,
        Self::CountriesDiffer,
        Self::FarApart,
        Self::TooFast,
        Self::NewBrowser,
        Self::PlaceUnknown,
    ];

    /// Returns the verdict that follows from this flag alone.
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
            Self::PlaceUnknown => RiskStatus::Clear,
        }
    }

    /// Returns the name that stores and programs use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BrowserAttacker => "browser_attacker",
            Self::BrowserTor => "browser_tor",
            Self::CountriesDifferHidden => "countries_differ_hidden",
            Self::DenialsRefused => "denials_refused",
            Self::Denials => "denials",
            Self::PhoneTor => "phone_tor",
            Self::BrowserVpn => "browser_vpn",
            Self::BrowserHosting => "browser_hosting",
            Self::CountriesDiffer => "countries_differ",
            Self::FarApart => "far_apart",
            Self::TooFast => "too_fast",
            Self::NewBrowser => "new_browser",
            Self::PlaceUnknown => "place_unknown",
        }
    }

    /// Returns the sentence that people read.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::BrowserAttacker => "The browser uses an address that attacks have come from.",
            Self::BrowserTor => "The browser hides where it is by using Tor.",
            Self::CountriesDifferHidden => {
                "The browser seems to be in another country than this phone, and hides where it is."
            }
            Self::DenialsRefused | Self::Denials => {
                "Logins from the browser's address were denied several times in the last minutes."
            }
            Self::PhoneTor => "This phone hides where it is by using Tor.",
            Self::BrowserVpn => "The browser uses a VPN, so it may be elsewhere than it seems.",
            Self::BrowserHosting => "The browser runs in a data centre, not where people are.",
            Self::CountriesDiffer => "The browser is in another country than this phone.",
            Self::FarApart => "The browser is far away from this phone.",
            Self::TooFast => "The last login was confirmed too far away for the time in between.",
            Self::NewBrowser => "You have not confirmed a login from this browser before.",
            Self::PlaceUnknown => {
                "It is not known how far the browser and this phone are from each other."
            }
        }
    }
}

/// The error for a text that is not the name of a risk flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not the name of a risk flag")]
pub struct UnknownFlag;

impl FromStr for Flag {
    type Err = UnknownFlag;

    /// Parses the name that [`as_str`](Self::as_str) returns.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|flag| flag.as_str() == text)
            .ok_or(UnknownFlag)
    }
}

impl fmt::Display for Flag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The flags raised for a login: each once, most serious first.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Assessment(Vec<Flag>);

impl Assessment {
    /// Creates an assessment from flags.
    #[must_use]
    pub fn of(flags: impl IntoIterator<Item = Flag>) -> Self {
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

    /// Returns the verdict: the most serious of the flags' own.
    #[must_use]
    pub fn status(&self) -> RiskStatus {
        let statuses = self.0.iter().map(|flag| flag.status());
        statuses.max().unwrap_or(RiskStatus::Clear)
    }

    /// Returns all flags as text for people: one sentence for each, most serious first. Flags that
    /// share a sentence state it once.
    #[must_use]
    pub fn text(&self) -> String {
        let mut sentences: Vec<&str> = self.0.iter().map(|flag| flag.text()).collect();
        sentences.dedup();
        sentences.join(" ")
    }
}
