//! The events that are remembered because they affect the risk of later logins.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_with::serde_as;
use sha2::{Digest, Sha256};

use super::recent::{Familiarity, LastConfirmation, Novelty};
use crate::login::sighting::{Coordinates, Sighting};
use crate::primitives::base64url::Base64Url;
use crate::primitives::time::Timestamp;
use crate::web::address_block::AddressBlock;

/// Number of recent denials after which logins from an address are suspicious.
pub const SUSPICIOUS_DENIALS: usize = 3;

/// Time that a denial counts.
pub const DENIAL_WINDOW: Duration = Duration::from_mins(10);

/// Time that a confirmed login is remembered.
pub const HISTORY_RETENTION: Duration = Duration::from_hours(30 * 24);

/// Maximum number of remembered browsers per person.
pub const MAX_KNOWN_BROWSERS: usize = 8;

/// Identifies a browser for one person: a hash of its name, its system and its address block. A
/// stranger elsewhere has a different mark whatever their `User-Agent` is, so they cannot find out
/// which browsers a person uses.
#[serde_as]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct BrowserMark(#[serde_as(as = "Base64Url")] [u8; 16]);

impl BrowserMark {
    /// Computes the mark of a browser.
    #[must_use]
    pub fn from_sighting(browser: &Sighting) -> Self {
        let digest = Sha256::new()
            .chain_update(b"countersign/qr/browser/1\0")
            .chain_update(
                AddressBlock::from_address(browser.address)
                    .first()
                    .to_string(),
            )
            .chain_update([0])
            .chain_update(browser.user_agent.name())
            .finalize();
        let mut mark = [0; 16];
        mark.copy_from_slice(&digest[..16]);
        Self(mark)
    }

    /// Restores a mark from its bytes, for stores.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }
}

/// The remembered facts about a login that a person confirmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConfirmedLogin {
    /// The browser that the person logged in with.
    pub browser: BrowserMark,
    /// Location of the phone, if known.
    pub coordinates: Option<Coordinates>,
    /// Time of the confirmation.
    pub at: Timestamp,
}

/// The times of the denials of logins created from one address block in one app: the latest
/// [`SUSPICIOUS_DENIALS`], oldest first. Earlier ones make no difference.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Denials {
    at: Vec<Timestamp>,
}

impl Denials {
    /// Adds a denial.
    #[must_use]
    pub fn with(mut self, at: Timestamp) -> Self {
        self.at.push(at);
        self.at.sort_unstable();
        let surplus = self.at.len().saturating_sub(SUSPICIOUS_DENIALS);
        self.at.drain(..surplus);
        self
    }

    /// Returns the number of denials that count at `now`.
    #[must_use]
    pub fn count(&self, now: Timestamp) -> usize {
        let counts = |at: &&Timestamp| now < at.plus(DENIAL_WINDOW);
        self.at.iter().filter(counts).count()
    }

    /// Returns the time when all denials have stopped counting.
    #[must_use]
    pub fn forgotten_at(&self) -> Option<Timestamp> {
        Some(self.at.last()?.plus(DENIAL_WINDOW))
    }
}

/// A browser for which a person confirmed a login.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownBrowser {
    pub mark: BrowserMark,
    /// Time of the latest login.
    pub at: Timestamp,
}

/// The confirmed logins of one person: the latest [`MAX_KNOWN_BROWSERS`] browsers, and the last place.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PersonHistory {
    /// The browsers, least recently used first.
    browsers: Vec<KnownBrowser>,
    /// The last confirmation from a known location.
    last: Option<LastConfirmation>,
}

impl PersonHistory {
    /// Returns the browsers, least recently used first.
    #[must_use]
    pub fn browsers(&self) -> &[KnownBrowser] {
        &self.browsers
    }

    /// Returns the last confirmation from a known location.
    #[must_use]
    pub const fn last(&self) -> Option<&LastConfirmation> {
        self.last.as_ref()
    }

    /// Adds a confirmed login.
    #[must_use]
    pub fn with(self, login: ConfirmedLogin) -> Self {
        let ConfirmedLogin {
            browser: mark,
            coordinates,
            at,
        } = login;
        let mut browsers = self.browsers;
        browsers.retain(|known| known.mark != mark);
        browsers.push(KnownBrowser { mark, at });
        let here = coordinates.map(|coordinates| LastConfirmation { at, coordinates });
        browsers.sort_by_key(|browser| browser.at);
        let surplus = browsers.len().saturating_sub(MAX_KNOWN_BROWSERS);
        browsers.drain(..surplus);
        let last = here.or(self.last);
        Self { browsers, last }
    }

    /// Compares the browser with those remembered at `now`.
    #[must_use]
    pub fn novelty(&self, mark: &BrowserMark, now: Timestamp) -> Novelty {
        let is_remembered = |known: &&KnownBrowser| now < known.at.plus(HISTORY_RETENTION);
        let mut remembered = self.browsers.iter().filter(is_remembered).peekable();
        if remembered.peek().is_none() {
            Novelty::Unknown
        } else if remembered.any(|known| known.mark == *mark) {
            Novelty::Known
        } else {
            Novelty::New
        }
    }

    /// Returns the last confirmation if it is still remembered at `now`.
    #[must_use]
    pub fn last_at(&self, now: Timestamp) -> Option<LastConfirmation> {
        self.last
            .filter(|last| now < last.at.plus(HISTORY_RETENTION))
    }

    /// Compares a login in this browser with the logins remembered at `now`.
    #[must_use]
    pub fn familiarity(&self, browser: &BrowserMark, now: Timestamp) -> Familiarity {
        Familiarity {
            browser: self.novelty(browser, now),
            last_confirmation: self.last_at(now),
        }
    }

    /// Returns the time when everything in this history is forgotten.
    #[must_use]
    pub fn forgotten_at(&self) -> Option<Timestamp> {
        Some(self.browsers.last()?.at.plus(HISTORY_RETENTION))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_767_323_045_678);
    const MILLI: Duration = Duration::from_millis(1);

    fn mark(n: u8) -> BrowserMark {
        BrowserMark::from_bytes([n; 16])
    }

    #[test]
    fn denial_counts_for_ten_minutes() {
        let denials = Denials::default().with(NOW).with(NOW.plus(MILLI));
        assert_eq!(denials.count(NOW.plus(MILLI)), 2);
        let end = NOW.plus(DENIAL_WINDOW);
        assert_eq!(denials.count(end), 1);
        assert_eq!(denials.count(end.plus(MILLI)), 0);
        assert_eq!(denials.forgotten_at(), Some(end.plus(MILLI)));
        let many = (0..9).fold(denials, |denials, _| denials.with(NOW.plus(MILLI)));
        assert_eq!(
            many.at,
            [NOW.plus(MILLI); SUSPICIOUS_DENIALS],
            "only the latest are kept"
        );
    }

    #[test]
    fn latest_browsers_are_known_for_a_limited_time() {
        let login = |n: u8, at| ConfirmedLogin {
            browser: mark(n),
            coordinates: None,
            at,
        };
        let history = PersonHistory::default();
        assert_eq!(history.novelty(&mark(1), NOW), Novelty::Unknown);
        let history = history.with(login(1, NOW));
        assert_eq!(history.novelty(&mark(1), NOW), Novelty::Known);
        assert_eq!(history.novelty(&mark(2), NOW), Novelty::New);
        let end = NOW.plus(HISTORY_RETENTION);
        for n in [1, 2] {
            let forgotten = history.novelty(&mark(n), end);
            assert_eq!(forgotten, Novelty::Unknown, "nothing is remembered");
        }
        assert_eq!(history.forgotten_at(), Some(end));

        let later = |n: u8| NOW.plus(MILLI * n.into());
        let many = (2..=9).fold(history, |history, n| history.with(login(n, later(n))));
        assert_eq!(many.browsers().len(), MAX_KNOWN_BROWSERS);
        assert_eq!(many.novelty(&mark(1), later(9)), Novelty::New);
        let again = many.with(login(2, later(10))).with(login(10, later(11)));
        assert_eq!(again.novelty(&mark(2), later(11)), Novelty::Known);
        assert_eq!(again.novelty(&mark(3), later(11)), Novelty::New);
    }

    #[test]
    fn last_place_is_kept_when_a_later_one_is_unknown() {
        let coordinates = Coordinates::from_degrees(1.0, 2.0).ok();
        let login = |coordinates, at| ConfirmedLogin {
            browser: mark(1),
            coordinates,
            at,
        };
        let history = PersonHistory::default()
            .with(login(coordinates, NOW))
            .with(login(None, NOW.plus(MILLI)));
        assert_eq!(
            history.last_at(NOW.plus(MILLI)).map(|last| last.at),
            Some(NOW)
        );
        assert_eq!(history.last_at(NOW.plus(HISTORY_RETENTION)), None);
    }
}
