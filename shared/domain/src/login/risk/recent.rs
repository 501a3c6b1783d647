//! Recent events by which the rules judge a login.

use serde::{Deserialize, Serialize};

use crate::login::sighting::Coordinates;
use crate::primitives::time::Timestamp;

/// The recent events that bear on one login.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct History {
    /// Number of logins created from the browser's address and denied within
    /// [`DENIAL_WINDOW`](super::DENIAL_WINDOW). Counted by address and not by name, because a denial
    /// need not carry a name.
    pub denials: usize,
    /// The confirmed logins of the name that the phone gave; `None` if it gave none.
    pub name: Option<NameHistory>,
}

/// The confirmed logins of one name, compared with the login at hand.
///
/// Strangers can confirm logins under any name, so verified and claimed logins are kept
/// apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct NameHistory {
    /// The logins that this user confirmed with a proof by a registered key.
    pub verified: Familiarity,
    /// The logins that were confirmed under this claimed name.
    pub claimed: Familiarity,
}

impl NameHistory {
    /// Returns the logins by which the rules judge: only the verified ones, or the claimed ones if
    /// no verified one is remembered.
    #[must_use]
    pub const fn decisive(&self) -> &Familiarity {
        match self.verified.browser {
            Novelty::Known | Novelty::New => &self.verified,
            Novelty::Unknown => &self.claimed,
        }
    }
}

/// Comparison of the login at hand with the confirmed ones that are remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Familiarity {
    /// Known or new browser, compared with theirs.
    pub browser: Novelty,
    /// Place and time of the last one.
    pub last_confirmation: Option<LastConfirmation>,
}

/// A person's familiarity with a browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Novelty {
    /// There is nothing to compare with: no browser of that person is remembered.
    #[default]
    Unknown,
    /// The person has confirmed a login from this browser.
    Known,
    /// The person has confirmed logins within [`REMEMBERED`](super::REMEMBERED), but none from this
    /// browser. So the answer reveals that this name has confirmed a login.
    New,
}

/// The last confirmed login of a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastConfirmation {
    /// Time of the confirmation.
    pub at: Timestamp,
    /// Location of the phone.
    pub coordinates: Coordinates,
}
