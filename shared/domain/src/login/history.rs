//! The port of what bears on later logins.

use std::net::IpAddr;

use async_trait::async_trait;

use super::risk::{BrowserMark, ConfirmedLogin, History};
use super::user::UserKey;
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;
use crate::web::address_block::AddressBlock;

/// Where it is kept what bears on later logins.
///
/// Nothing here decides a transition, so that an implementation may lose what was written at the
/// same instant as something else. It MUST answer as [`crate::login::risk::Denials`] and
/// [`crate::login::risk::PersonHistory`] do over what it kept, MUST keep the histories of two apps apart,
/// and MUST forget what these no longer count.
#[async_trait]
pub trait RiskHistory: Send + Sync {
    /// What happened lately.
    async fn recent(&self, query: &HistoryQuery, now: Timestamp) -> Result<History, Unavailable>;

    /// Remembers that a session that was opened from there was denied.
    async fn note_denial(
        &self,
        app: &AppId,
        browser: AddressBlock,
        at: Timestamp,
    ) -> Result<(), Unavailable>;

    /// Remembers that a person confirmed a login.
    async fn note_confirmation(
        &self,
        user: UserKey,
        login: ConfirmedLogin,
    ) -> Result<(), Unavailable>;

    /// As [`note_confirmation`](Self::note_confirmation), and says whether the name was new. A name
    /// is known as long as anything is stored for it. The provided method knows every name.
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

/// Whose history is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryQuery {
    /// In which app.
    pub app: AppId,
    /// From where the browser came.
    pub browser: AddressBlock,
    /// Whom the phone names, and the browser that they would confirm.
    pub person: Option<(UserKey, BrowserMark)>,
}

/// Bounds how many names that an app never saw are remembered.
///
/// Every implementation MUST decide and count in one step.
pub trait NameLimit: Send + Sync {
    /// Counts a name that a phone at that address claims.
    fn take(&self, app: &AppId, phone: IpAddr, now: Timestamp) -> NewNames;

    /// Takes back one that was counted and is not new after all.
    fn give_back(&self, app: &AppId, phone: IpAddr, now: Timestamp);
}

/// What was done with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameOutcome {
    /// The app had seen it before.
    Known,
    /// It is remembered from now on.
    New,
    /// It is new, and was left out.
    LeftOut,
}

/// What is to become of a name that the app never saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewNames {
    /// It is remembered, as every other.
    Remember,
    /// It is left out: nothing is written.
    LeaveOut,
}
