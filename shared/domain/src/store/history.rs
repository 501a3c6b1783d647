//! The history from which the risk of later logins is derived. Transitions do not depend on it.

use futures_util::future::try_join3;

use super::Store;
use super::document::Key;
use crate::delivery::Decision;
use crate::login::UserKey;
use crate::login::history::{HistoryQuery, NameOutcome, NewNames};
use crate::login::risk::{ConfirmedLogin, Denials, History, PersonHistory};
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;
use crate::web::address_block::AddressBlock;

impl Store {
    /// Returns the recent events. A corrupt history counts as empty: it must not prevent its person, or an
    /// address, from logging in.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn recent(
        &self,
        query: &HistoryQuery,
        now: Timestamp,
    ) -> Result<History, Unavailable> {
        let person = async |user: Option<UserKey>| match user {
            Some(user) => none_if_damaged(self.get::<PersonHistory>(Key::Person(user)).await),
            None => Ok(None),
        };
        let denials = async || {
            let key = Key::Denials(query.app.clone(), query.browser);
            none_if_damaged(self.get::<Denials>(key).await)
        };
        let (denials, claimed, verified) = try_join3(
            denials(),
            person(query.user.map(|user| user.claimed)),
            person(query.user.map(|user| user.verified)),
        )
        .await?;
        let (claimed, verified) = (claimed.unwrap_or_default(), verified.unwrap_or_default());
        Ok(History {
            denials: denials.unwrap_or_default().count(now),
            name: query
                .user
                .map(|user| user.compare(&claimed, &verified, now)),
        })
    }

    /// Records that a login created from `browser` was denied.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn note_denial(
        &self,
        app: &AppId,
        browser: AddressBlock,
        at: Timestamp,
    ) -> Result<(), Unavailable> {
        let decide = |denials: Option<Denials>| Decision {
            outcome: (),
            write: Some(denials.unwrap_or_default().with(at)),
        };
        self.change(Key::Denials(app.clone(), browser), decide)
            .await
    }

    /// Records a confirmed login under one of the user's keys.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn note_confirmation(
        &self,
        user: UserKey,
        login: ConfirmedLogin,
    ) -> Result<(), Unavailable> {
        self.note_name(user, login, NewNames::Remember).await?;
        Ok(())
    }

    /// Records a confirmed login, and returns whether the name was new. A name is known as long as
    /// anything is stored for it.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn note_name(
        &self,
        user: UserKey,
        login: ConfirmedLogin,
        new_names: NewNames,
    ) -> Result<NameOutcome, Unavailable> {
        let decide = |history: Option<PersonHistory>| {
            let outcome = match (&history, new_names) {
                (Some(_), _) => NameOutcome::Known,
                (None, NewNames::Remember) => NameOutcome::New,
                (None, NewNames::LeaveOut) => return Decision::refuse(NameOutcome::LeftOut),
            };
            Decision {
                outcome,
                write: Some(history.unwrap_or_default().with(login)),
            }
        };
        self.change(Key::Person(user), decide).await
    }
}

fn none_if_damaged<T>(found: Result<Option<T>, Unavailable>) -> Result<Option<T>, Unavailable> {
    match found {
        Err(error) if error.is_damage() => Ok(None),
        found => found,
    }
}
