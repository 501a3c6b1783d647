//! The port to the history that bears on the risk of later logins.

use std::net::IpAddr;

use async_trait::async_trait;

use super::risk::{BrowserMark, ConfirmedLogin, History, NameHistory, PersonHistory};
use super::sighting::Sighting;
use super::user::{ClaimedUserId, UserKey};
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;
use crate::web::address_block::AddressBlock;

/// A history of denials and confirmed logins, for judging risk.
///
/// Nothing here decides a transition, so an implementation may lose one of two concurrent writes.
/// It MUST answer as [`crate::login::risk::Denials`] and [`crate::login::risk::PersonHistory`] do
/// for the events it kept, MUST keep the histories of two apps and of two keys apart, MUST read both
/// keys of a user for the same answer, and MUST forget events that these no longer count.
#[async_trait]
pub trait RiskHistory: Send + Sync {
    /// Returns the recent events.
    async fn recent(&self, query: &HistoryQuery, now: Timestamp) -> Result<History, Unavailable>;

    /// Records that a login created from `browser` was denied.
    async fn note_denial(
        &self,
        app: &AppId,
        browser: AddressBlock,
        at: Timestamp,
    ) -> Result<(), Unavailable>;

    /// Records a confirmed login under one of the user's keys.
    async fn note_confirmation(
        &self,
        user: UserKey,
        login: ConfirmedLogin,
    ) -> Result<(), Unavailable>;

    /// Records a confirmed login as [`note_confirmation`](Self::note_confirmation) does, and
    /// reports whether the name was new. A name is known while anything is stored for it. The
    /// provided method treats every name as known.
    async fn note_name(
        &self,
        user: UserKey,
        login: ConfirmedLogin,
        new_names: NewNames,
    ) -> Result<NameOutcome, Unavailable> {
        let _ = new_names;
        self.note_confirmation(user, login).await?;
        Ok(NameOutcome::Known)
    }
}

/// A question about recent events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryQuery {
    /// The app of the login.
    pub app: AppId,
    /// The address block of the browser.
    pub browser: AddressBlock,
    /// The user that the phone names, if any.
    pub user: Option<NamedUser>,
}

/// The user that a phone names, and the browser whose login they would confirm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedUser {
    /// Key of the logins that somebody confirmed under this name.
    pub claimed: UserKey,
    /// Key of the logins that this user confirmed with a registered key.
    pub verified: UserKey,
    /// The browser.
    pub browser: BrowserMark,
}

impl NamedUser {
    /// Names a user of an app, whom a phone claims to have.
    #[must_use]
    pub fn of(user: &ClaimedUserId, app: &AppId, browser: &Sighting) -> Self {
        Self {
            claimed: user.claimed_key(app),
            verified: user.verified_key(app),
            browser: BrowserMark::of(browser),
        }
    }

    /// Compares the login at hand with the stored histories under both keys.
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

/// A limit on how many new names are remembered.
///
/// Every implementation MUST check and count in one atomic step.
pub trait NameLimit: Send + Sync {
    /// Counts a name that a phone at this address claims.
    fn take(&self, app: &AppId, phone: IpAddr, now: Timestamp) -> NewNames;

    /// Takes back a counted name that turned out not to be new.
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

/// The treatment of a name that the app has never seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewNames {
    /// Remember it like any other.
    Remember,
    /// Write nothing.
    LeaveOut,
}
