//! Queries for the history that affects the risk of later logins, and the port that limits it.

use std::net::IpAddr;

use super::risk::{BrowserMark, NameHistory, PersonHistory};
use super::sighting::Sighting;
use super::user::{ClaimedUserId, UserKey};
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;
use crate::web::address_block::AddressBlock;

/// A query for recent events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryQuery {
    /// The app of the login.
    pub app: AppId,
    pub browser: AddressBlock,
    /// The user that the phone names, if any.
    pub user: Option<NamedUser>,
}

/// The user that a phone names, and the browser of the login to confirm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedUser {
    /// Key of the logins that were confirmed under this claimed name.
    pub claimed: UserKey,
    /// Key of the logins that this user confirmed with a registered key.
    pub verified: UserKey,
    pub browser: BrowserMark,
}

impl NamedUser {
    /// Creates the query for a user of an app that a phone claims.
    #[must_use]
    pub fn new(user: &ClaimedUserId, app: &AppId, browser: &Sighting) -> Self {
        Self {
            claimed: user.claimed_key(app),
            verified: user.verified_key(app),
            browser: BrowserMark::from_sighting(browser),
        }
    }

    /// Compares the current login with the stored histories under both keys.
    #[must_use]
    pub fn compare(
        &self,
        claimed: &PersonHistory,
        verified: &PersonHistory,
        now: Timestamp,
    ) -> NameHistory {
        NameHistory {
            verified: verified.familiarity(&self.browser, now),
            claimed: claimed.familiarity(&self.browser, now),
        }
    }
}

/// A limit on the number of new names that are remembered.
///
/// Every implementation MUST check and count atomically.
pub trait NameLimit: Send + Sync {
    /// Counts a name claimed by a phone at this address.
    fn take(&self, app: &AppId, phone: IpAddr, now: Timestamp) -> NewNames;

    /// Takes back the count of a name that turned out not to be new.
    fn give_back(&self, app: &AppId, phone: IpAddr, now: Timestamp);
}

/// The result of recording a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameOutcome {
    /// The app had seen the name before.
    Known,
    /// The name was new and is remembered.
    New,
    /// The name was new and was not remembered.
    LeftOut,
}

/// The handling of a name that the app has never seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewNames {
    /// Remember the name like any other.
    Remember,
    /// Do not remember the name.
    LeaveOut,
}
