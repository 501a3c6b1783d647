//! How risky a login looks: a pure function of what was seen of both sides, of what the app wants,
//! and of what happened lately.

mod analytics;
mod history;
mod rules;

#[cfg(test)]
mod tests;

use std::fmt;

pub use analytics::{GeoData, PlaceNames, RiskAnalytics};
pub use history::{
    BrowserMark, ConfirmedLogin, DENIAL_WINDOW, DENIALS, Denials, History, KNOWN_BROWSERS,
    KnownBrowser, LastConfirmation, Novelty, PersonHistory, REMEMBERED,
};
pub use rules::{MAX_KM, MAX_KM_PER_HOUR, SPEED_FLOOR_KM, assess};

/// What follows from everything that was noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RiskStatus {
    /// Nothing speaks against it.
    Clear,
    /// The person is to look twice.
    Warn,
    /// It cannot be confirmed.
    Deny,
}

impl RiskStatus {
    /// Every status, from the least risk to the most.
    pub const ALL: [Self; 3] = [Self::Clear, Self::Warn, Self::Deny];

    /// The name in the Session object (mobile SDK, section 2).
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Clear => "clear",
            Self::Warn => "warn",
            Self::Deny => "deny",
        }
    }
}

/// Something that was noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Flag {
    /// The browser comes from an address that attacks came from.
    BrowserAttacker,
    /// The browser comes through Tor.
    BrowserTor,
    /// The two are in different countries, and the browser's address hides where it is.
    CountriesDifferHidden,
    /// Logins from the browser's address were denied again and again, and the app wants that to
    /// be enough.
    DenialsRefused,
    /// The same where the app wants people warned.
    Denials,
    /// The phone comes through Tor.
    PhoneTor,
    /// The browser comes through a VPN.
    BrowserVpn,
    /// The browser is in a data centre.
    BrowserHosting,
    /// The two are in different countries.
    CountriesDiffer,
    /// The two are in one country, or in nobody knows which, and far apart.
    FarApart,
    /// The phone cannot have come here from where it confirmed last.
    TooFast,
    /// This person never confirmed a login from this browser.
    NewBrowser,
    /// It is not known where the browser or the phone is, so their distance was not judged.
    PlaceUnknown,
}

impl Flag {
    /// Every flag, the gravest first.
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

    /// What it does to the status.
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

    /// The name that stores keep and programs read.
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

    /// The flag of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|flag| flag.as_str() == name)
    }

    /// What people are told.
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

impl fmt::Display for Flag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A judgement: what was noticed, each once, the gravest first.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Assessment(Vec<Flag>);

impl Assessment {
    /// The judgement of these.
    #[must_use]
    pub fn of(flags: impl IntoIterator<Item = Flag>) -> Self {
        let mut flags: Vec<Flag> = flags.into_iter().collect();
        flags.sort_unstable();
        flags.dedup();
        Self(flags)
    }

    /// What was noticed.
    #[must_use]
    pub fn flags(&self) -> &[Flag] {
        &self.0
    }

    /// The highest of what was noticed.
    #[must_use]
    pub fn status(&self) -> RiskStatus {
        let statuses = self.0.iter().map(|flag| flag.status());
        statuses.max().unwrap_or(RiskStatus::Clear)
    }

    /// Everything that was noticed, for people: a sentence for each, the gravest first. Two flags
    /// with one sentence say it once.
    #[must_use]
    pub fn text(&self) -> String {
        let mut sentences: Vec<&str> = self.0.iter().map(|flag| flag.text()).collect();
        sentences.dedup();
        sentences.join(" ")
    }
}
