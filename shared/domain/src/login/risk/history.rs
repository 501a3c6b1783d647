//! What happened lately, as far as it bears on a login.

use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::login::sighting::{Coordinates, Sighting};
use crate::primitives::time::Timestamp;
use crate::web::address_block::AddressBlock;

/// How many denials make logins from an address suspicious.
pub const DENIALS: usize = 3;

/// How long a denial counts.
pub const DENIAL_WINDOW: Duration = Duration::from_mins(10);

/// How long a confirmation is remembered.
pub const REMEMBERED: Duration = Duration::from_hours(30 * 24);

/// How many browsers are remembered for one person.
pub const KNOWN_BROWSERS: usize = 8;

/// What happened lately.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct History {
    /// How many sessions that were opened from the browser's address were denied within
    /// [`DENIAL_WINDOW`]. Counted by address and never by name: who denies names no one.
    pub denials: usize,
    /// Whether the person that the phone names confirmed logins from this browser before.
    pub browser: Novelty,
    /// Where and when that person confirmed last.
    pub last_confirmation: Option<LastConfirmation>,
}

/// Whether a browser was seen before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Novelty {
    /// The phone names nobody, so that there is nothing to compare with.
    #[default]
    Unknown,
    /// It was seen.
    Known,
    /// It was not; a name that never confirmed anything is told the same, so that nobody learns
    /// from it whether a name exists.
    New,
}

/// A confirmation that went before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastConfirmation {
    /// When.
    pub at: Timestamp,
    /// Where the phone was.
    pub coordinates: Coordinates,
}

/// By what a browser is known again, for one person: a hash over its name, its system and its
/// address block. A stranger elsewhere has another one whatever they write into `User-Agent`, so
/// that they cannot find out which browsers a person uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BrowserMark([u8; 16]);

impl BrowserMark {
    /// The mark of a browser.
    #[must_use]
    pub fn of(browser: &Sighting) -> Self {
        let digest = Sha256::new()
            .chain_update(b"countersign/qr/browser/1\0")
            .chain_update(AddressBlock::of(browser.address).first().to_string())
            .chain_update([0])
            .chain_update(browser.user_agent.name())
            .finalize();
        let mut mark = [0; 16];
        mark.copy_from_slice(&digest[..16]);
        Self(mark)
    }

    /// A mark read back from a store.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The 16 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

/// What is remembered of a login that a person confirmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConfirmedLogin {
    /// Which browser it was for.
    pub browser: BrowserMark,
    /// Where the phone was, if that is known.
    pub coordinates: Option<Coordinates>,
    /// When.
    pub at: Timestamp,
}

/// When sessions that were opened from one address block, in one app, were denied: the latest
/// [`DENIALS`] of them, the oldest first. More make no difference.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Denials(Vec<Timestamp>);

impl Denials {
    /// Denials read back from a store.
    #[must_use]
    pub fn from_stored(mut at: Vec<Timestamp>) -> Self {
        at.sort_unstable();
        let surplus = at.len().saturating_sub(DENIALS);
        at.drain(..surplus);
        Self(at)
    }

    /// The instants.
    #[must_use]
    pub fn instants(&self) -> &[Timestamp] {
        &self.0
    }

    /// These and one more.
    #[must_use]
    pub fn with(self, at: Timestamp) -> Self {
        let mut all = self.0;
        all.push(at);
        Self::from_stored(all)
    }

    /// How many count at that instant.
    #[must_use]
    pub fn count(&self, now: Timestamp) -> usize {
        let counts = |at: &&Timestamp| now < at.plus(DENIAL_WINDOW);
        self.0.iter().filter(counts).count()
    }

    /// From when on none counts any more.
    #[must_use]
    pub fn forgotten_at(&self) -> Option<Timestamp> {
        Some(self.0.last()?.plus(DENIAL_WINDOW))
    }
}

/// A browser for which a person confirmed a login.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownBrowser {
    /// Which.
    pub mark: BrowserMark,
    /// When last.
    pub at: Timestamp,
}

/// What a person confirmed: the latest [`KNOWN_BROWSERS`] browsers, and the last place.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct PersonHistory {
    /// The browsers, the longest unused first.
    browsers: Vec<KnownBrowser>,
    /// The last confirmation from a place that was known.
    last: Option<LastConfirmation>,
}

impl PersonHistory {
    /// A history read back from a store.
    #[must_use]
    pub fn from_stored(mut browsers: Vec<KnownBrowser>, last: Option<LastConfirmation>) -> Self {
        browsers.sort_by_key(|browser| browser.at);
        let surplus = browsers.len().saturating_sub(KNOWN_BROWSERS);
        browsers.drain(..surplus);
        Self { browsers, last }
    }

    /// The browsers, the longest unused first.
    #[must_use]
    pub fn browsers(&self) -> &[KnownBrowser] {
        &self.browsers
    }

    /// The last confirmation from a place that was known.
    #[must_use]
    pub const fn last(&self) -> Option<&LastConfirmation> {
        self.last.as_ref()
    }

    /// This and one login more.
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
        Self::from_stored(browsers, here.or(self.last))
    }

    /// Whether that browser is known at that instant.
    #[must_use]
    pub fn novelty(&self, mark: &BrowserMark, now: Timestamp) -> Novelty {
        let known = |known: &KnownBrowser| known.mark == *mark && now < known.at.plus(REMEMBERED);
        if self.browsers.iter().any(known) {
            Novelty::Known
        } else {
            Novelty::New
        }
    }

    /// The last confirmation, while it is remembered.
    #[must_use]
    pub fn last_at(&self, now: Timestamp) -> Option<LastConfirmation> {
        self.last.filter(|last| now < last.at.plus(REMEMBERED))
    }

    /// From when on nothing of it is remembered.
    #[must_use]
    pub fn forgotten_at(&self) -> Option<Timestamp> {
        Some(self.browsers.last()?.at.plus(REMEMBERED))
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
    fn a_denial_counts_for_ten_minutes() {
        let denials = Denials::default().with(NOW).with(NOW.plus(MILLI));
        assert_eq!(denials.count(NOW.plus(MILLI)), 2);
        let end = NOW.plus(DENIAL_WINDOW);
        assert_eq!(denials.count(end), 1);
        assert_eq!(denials.count(end.plus(MILLI)), 0);
        assert_eq!(denials.forgotten_at(), Some(end.plus(MILLI)));
        let many = (0..9).fold(denials, |denials, _| denials.with(NOW.plus(MILLI)));
        assert_eq!(many.instants(), [NOW.plus(MILLI); DENIALS], "few are kept");
    }

    #[test]
    fn browsers_are_known_for_a_while_and_the_latest_few() {
        let login = |n: u8, at| ConfirmedLogin {
            browser: mark(n),
            coordinates: None,
            at,
        };
        let history = PersonHistory::default();
        assert_eq!(history.novelty(&mark(1), NOW), Novelty::New);
        let history = history.with(login(1, NOW));
        assert_eq!(history.novelty(&mark(1), NOW), Novelty::Known);
        assert_eq!(history.novelty(&mark(2), NOW), Novelty::New);
        let end = NOW.plus(REMEMBERED);
        assert_eq!(history.novelty(&mark(1), end), Novelty::New);
        assert_eq!(history.forgotten_at(), Some(end));

        let later = |n: u8| NOW.plus(MILLI * n.into());
        let many = (2..=9).fold(history, |history, n| history.with(login(n, later(n))));
        assert_eq!(many.browsers().len(), KNOWN_BROWSERS);
        assert_eq!(many.novelty(&mark(1), later(9)), Novelty::New);
        let again = many.with(login(2, later(10))).with(login(10, later(11)));
        assert_eq!(again.novelty(&mark(2), later(11)), Novelty::Known);
        assert_eq!(again.novelty(&mark(3), later(11)), Novelty::New);
    }

    #[test]
    fn the_last_place_stays_where_a_later_one_is_unknown() {
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
        assert_eq!(history.last_at(NOW.plus(REMEMBERED)), None);
    }
}
