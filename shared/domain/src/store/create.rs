//! Starting confirmations and logins.

use super::document::Key;
use super::{Rate, StartResult, Store};
use crate::app::quota::Allowance;
use crate::confirmation::Confirmation;
use crate::login::Login;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;
use crate::{confirmation, login};

impl Store {
    /// Stores a new confirmation within the quota of its app, unless one with its id exists; an
    /// existing one is not counted.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn start_confirmation(
        &self,
        new: Confirmation,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<confirmation::transitions::CreateOutcome, Unavailable> {
        use confirmation::transitions::{CreateOutcome, create};
        let (key, app) = (Key::Confirmation(new.id), new.app.clone());
        // Strangers can open the page of the OpenID provider, and must not use up the rate of the app's server.
        let rate: Rate = match new.openid {
            None => |rates| &mut rates.confirmations,
            Some(_) => |rates| &mut rates.openid,
        };
        let started = self.start((&key, new.clone()), (&app, rate), allowance, now);
        Ok(match started.await? {
            StartResult::Made => CreateOutcome::Created,
            StartResult::Present(present) => create(Some(present), new, now).outcome,
            StartResult::Exceeded(exceeded) => CreateOutcome::Exceeded(exceeded),
        })
    }

    /// Stores a new login within the quota of its app, unless one with its id exists. The same browser
    /// may repeat this.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn start_login(
        &self,
        new: Login,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<login::transitions::CreateOutcome, Unavailable> {
        use login::transitions::{CreateOutcome, create};
        let (key, app) = (Key::Login(new.id), new.app.clone());
        let rate: Rate = |rates| &mut rates.logins;
        let started = self.start((&key, new.clone()), (&app, rate), allowance, now);
        Ok(match started.await? {
            StartResult::Made => CreateOutcome::Created,
            StartResult::Present(present) => create(Some(present), new, now).outcome,
            StartResult::Exceeded(exceeded) => CreateOutcome::Exceeded(exceeded),
        })
    }
}
