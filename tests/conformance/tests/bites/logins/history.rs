//! The faulty login history.

use async_trait::async_trait;
use countersign_conformance::samples::association_keys::user as named;
use countersign_conformance::samples::{MILLI, app_id};
use countersign_domain::login::UserKey;
use countersign_domain::login::history::{HistoryQuery, NameOutcome, NewNames, RiskHistory};
use countersign_domain::login::risk::{ConfirmedLogin, History, NameHistory, Novelty};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::web::address_block::AddressBlock;

use super::broken::Broken;
use super::faults::Fault;

#[async_trait]
impl RiskHistory for Broken {
    async fn recent(&self, query: &HistoryQuery, now: Timestamp) -> Result<History, Unavailable> {
        let mut history = self.logins().recent(query, now).await?;
        let Some(NameHistory { verified, claimed }) = &mut history.name else {
            return Ok(history);
        };
        match self.fault {
            Fault::NewBrowsersAreUnknown if claimed.browser == Novelty::New => {
                claimed.browser = Novelty::Unknown;
            }
            Fault::EmptyHistoriesAreNew if claimed.browser == Novelty::Unknown => {
                claimed.browser = Novelty::New;
            }
            Fault::PlacesForgotten => claimed.last_confirmation = None,
            Fault::ClaimedCountAsVerified if claimed.browser == Novelty::Known => {
                *verified = *claimed;
            }
            Fault::VerifiedCountAsClaimed if claimed.browser == Novelty::Unknown => {
                *claimed = *verified;
            }
            Fault::HistoriesSwapped => std::mem::swap(verified, claimed),
            _ => {}
        }
        Ok(history)
    }

    async fn note_denial(
        &self,
        app: &AppId,
        browser: AddressBlock,
        at: Timestamp,
    ) -> Result<(), Unavailable> {
        let every = app_id("other");
        if self.fault == Fault::DenialsCountForOtherApp {
            self.logins().note_denial(&every, browser, at).await?;
        }
        let at = match self.fault {
            Fault::DenialsOneMilliTooLong => at.plus(MILLI),
            _ => at,
        };
        self.logins().note_denial(app, browser, at).await
    }

    async fn note_confirmation(
        &self,
        user: UserKey,
        login: ConfirmedLogin,
    ) -> Result<(), Unavailable> {
        let user = match self.fault {
            Fault::PersonsMixedUp => UserKey::from_bytes([2; 16]),
            _ => user,
        };
        self.mix(user, login).await?;
        self.logins().note_confirmation(user, login).await
    }

    async fn note_name(
        &self,
        user: UserKey,
        login: ConfirmedLogin,
        new_names: NewNames,
    ) -> Result<NameOutcome, Unavailable> {
        let new_names = match self.fault {
            Fault::NewNamesAlwaysRemembered => NewNames::Remember,
            _ => new_names,
        };
        if new_names == NewNames::Remember {
            self.mix(user, login).await?;
        }
        self.logins().note_name(user, login, new_names).await
    }
}

impl Broken {
    /// Records the sample user's login under the other key, too.
    async fn mix(&self, user: UserKey, login: ConfirmedLogin) -> Result<(), Unavailable> {
        let (zoe, app) = (named("zoe"), app_id("demo"));
        let (claimed, verified) = (zoe.claimed_key(&app), zoe.verified_key(&app));
        let other = match self.fault {
            Fault::HistoriesMixed if user == claimed => verified,
            Fault::HistoriesMixed if user == verified => claimed,
            _ => return Ok(()),
        };
        self.logins().note_confirmation(other, login).await
    }
}
