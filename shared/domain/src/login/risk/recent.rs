//! Recent events that affect the verdict on a login.

use serde::{Deserialize, Serialize};

use crate::login::sighting::Coordinates;
use crate::primitives::time::Timestamp;

/// The recent events that affect the risk of one login.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct History {
    /// Number of logins created from the browser's address and denied within
    /// [`DENIAL_WINDOW`](super::DENIAL_WINDOW). Counted by address and not by name, because a denial
    /// may carry no name.
    pub denials: usize,
    /// The confirmed logins under the name that the phone gave, if any.
    pub name: Option<NameHistory>,
}

/// The confirmed logins under one name, compared with the current login.
///
/// Strangers can confirm logins under any name, so verified and claimed logins are kept separate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct NameHistory {
    /// The logins that this user confirmed with a proof by a registered key.
    pub verified: Familiarity,
    /// The logins that were confirmed under this claimed name.
    pub claimed: Familiarity,
}

impl NameHistory {
    /// Returns the logins that the rules use: only the verified ones, or the claimed ones if no
    /// verified one is remembered.
    #[must_use]
    pub const fn decisive(&self) -> &Familiarity {
        match self.verified.browser {
            Novelty::Known | Novelty::New => &self.verified,
            Novelty::Unknown => &self.claimed,
        }
    }
}

/// Comparison of the current login with the remembered confirmed logins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Familiarity {
    /// Whether the browser is known or new.
    pub browser: Novelty,
    /// Place and time of the last confirmed login.
    pub last_confirmation: Option<LastConfirmation>,
}

/// A person's familiarity with a browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Novelty {
    /// The browser cannot be compared: no browser of the person is remembered.
    #[default]
    Unknown,
    /// The person has confirmed a login from this browser.
    Known,
    /// The person has confirmed logins within [`HISTORY_RETENTION`](super::HISTORY_RETENTION), but none from this
    /// browser. This flag therefore reveals that the name has confirmed a login.
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
