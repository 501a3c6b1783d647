//! The faulty login history.

use async_trait::async_trait;
use countersign_conformance::samples::MILLI;
use countersign_domain::login::UserKey;
use countersign_domain::login::history::{HistoryQuery, NameOutcome, NewNames, RiskHistory};
use countersign_domain::login::risk::{ConfirmedLogin, History, Novelty};
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
        match self.fault {
            Fault::NewBrowsersAreUnknown if history.browser == Novelty::New => {
                history.browser = Novelty::Unknown;
            }
            Fault::EmptyHistoriesAreNew
                if query.person.is_some() && history.browser == Novelty::Unknown =>
            {
                history.browser = Novelty::New;
            }
            Fault::PlacesForgotten => history.last_confirmation = None,
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
        let every = countersign_conformance::samples::app_id("other");
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
        self.logins().note_name(user, login, new_names).await
    }
}
