//! What happened lately, as far as it bears on a login.

use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::qr_session::{AddressBlock, Coordinates, Sighting};
use crate::time::Timestamp;

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
