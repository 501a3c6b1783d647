//! Phone registrations: one document for each, and one for each user, which lists the user's registrations.
//!
//! A registration gets its place in the list before it is written, so that cancelling all registrations of a user
//! misses none. The list is only used for counting and listing: each registration in it is read as well.

use std::num::NonZeroU32;

use super::association_keys::RATE;
use super::document::{Key, OwnerRegistrations};
use super::{StartResult, Store};
use crate::app::quota::{Allowance, QuotaExceeded};
use crate::app::scope::Scope;
use crate::delivery::Decision;
use crate::login::ClaimedUserId;
use crate::login::association_key::transitions::RegisterRefusal;
use crate::login::phone_registration::transitions::{self, SetupParty};
use crate::login::phone_registration::{PhoneRegistration, SetupRefusal, SetupStatus};
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// Maximum number of registrations of one user that are kept. They are kept for a day, so this is also the maximum
/// for each day.
pub const MAX_REGISTRATIONS: usize = 64;

/// The result of creating a registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartRegistrationOutcome {
    Created,
    /// The user had too many registrations in the last day.
    TooMany,
    Exceeded(QuotaExceeded),
}

impl Store {
    /// Stores a new registration within the rate of the app's quota for association keys.
    ///
    /// # Errors
    /// Fails if the store is unavailable, or if the id is taken.
    pub async fn start_phone_registration(
        &self,
        new: PhoneRegistration,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<StartRegistrationOutcome, Unavailable> {
        if let Allowance::Within(quota) = &allowance
            && let Err(exceeded) = self.count(RATE, &new.app, quota, now)
        {
            return Ok(StartRegistrationOutcome::Exceeded(exceeded));
        }
        if !self.list_registration(&new, now).await? {
            if let Allowance::Within(quota) = &allowance {
                self.give_back(RATE, &new.app, quota, now);
            }
            return Ok(StartRegistrationOutcome::TooMany);
        }
        let key = Key::PhoneRegistration(new.id);
        match self.put_new(&key, new, now, None).await? {
            StartResult::Made => Ok(StartRegistrationOutcome::Created),
            StartResult::Present(_) | StartResult::Exceeded(_) => Err(Unavailable::new(
                "store: phone registration",
                "the id is taken",
            )),
        }
    }

    /// Adds a registration to its user's list. Returns whether there was room for it.
    async fn list_registration(
        &self,
        new: &PhoneRegistration,
        now: Timestamp,
    ) -> Result<bool, Unavailable> {
        let decide = |list: Option<OwnerRegistrations>| {
            let mut list = list.unwrap_or_default();
            list.registrations.retain(|_, kept_until| now < *kept_until);
            if list.registrations.len() >= MAX_REGISTRATIONS {
                return Decision::refuse(false);
            }
            list.registrations.insert(new.id, new.purge_at);
            Decision {
                outcome: true,
                write: Some(list),
            }
        };
        let key = Key::OwnerRegistrations(new.owner_key());
        self.change(key, decide).await
    }

    /// Registers the key of a registration whose digits were typed, and records that. Does nothing for others. Any call
    /// about such a registration does this, so an interrupted one is completed by the next. With `most_keys`, the app
    /// cannot have more keys than that. Returns the registration, and why its key was refused, if it was.
    ///
    /// # Errors
    /// Fails if the store is unavailable; repeating it then completes the registration.
    pub async fn finish_phone_registration(
        &self,
        item: PhoneRegistration,
        most_keys: Option<NonZeroU32>,
        now: Timestamp,
    ) -> Result<(PhoneRegistration, Option<RegisterRefusal>), Unavailable> {
        let Some(key) = item.accepted_key(now) else {
            return Ok((item, None));
        };
        let id = key.id;
        // The key's own document decides. If this is interrupted after it, the repetition finds the key there.
        let registered = if item.test {
            self.register_test_key(key, Allowance::Unlimited, now)
                .await?
        } else {
            self.register_counted_key(key, most_keys).await?
        };
        let decide = |current| transitions::finish(current, registered.is_ok(), now);
        let finished = self.change(item.id, decide).await?;
        let finished = finished.map_or(item, |finished| *finished);
        if registered.is_ok() && finished.failure().is_some() && !finished.test {
            // A call at the same time found the app's quota full, because this one had counted the key, and ended the
            // registration.
            self.revoke_association_key(&finished.app, id, now).await?;
        }
        Ok((finished, registered.err()))
    }

    /// Returns the registrations of a user of an app that the caller may see, oldest first. A corrupt one is skipped.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn phone_registrations_of(
        &self,
        scope: Scope<'_>,
        owner: &ClaimedUserId,
        now: Timestamp,
    ) -> Result<Vec<PhoneRegistration>, Unavailable> {
        let key = Key::OwnerRegistrations(owner.verified_key(scope.app));
        let list = self.get::<OwnerRegistrations>(key).await?;
        let mut found = Vec::new();
        for id in list.unwrap_or_default().registrations.into_keys() {
            match self.find::<PhoneRegistration>(id, now).await {
                Ok(Some(item)) if scope.has(&item.app, item.test) && item.owner == *owner => {
                    found.push(item);
                }
                Ok(_) => {}
                Err(cause) if cause.is_damage() => {}
                Err(cause) => return Err(cause),
            }
        }
        found.sort_by_key(|item| (item.created_at, item.id));
        Ok(found)
    }

    /// Cancels all open registrations of a user of an app, and returns how many it cancelled. A registration whose
    /// digits were already typed is completed first, so that its key is among the user's keys after this.
    ///
    /// # Errors
    /// Fails if the store is unavailable; some may be cancelled by then.
    pub async fn cancel_phone_registrations_of(
        &self,
        app: &AppId,
        owner: &ClaimedUserId,
        now: Timestamp,
    ) -> Result<usize, Unavailable> {
        let scope = Scope::live(app);
        let mut cancelled = 0;
        for item in self.phone_registrations_of(scope, owner, now).await? {
            if !matches!(
                item.status(now),
                SetupStatus::Created | SetupStatus::Opened | SetupStatus::Signed
            ) {
                continue;
            }
            let decide = |current| transitions::cancel(current, SetupParty::Server(scope), now);
            match self.change(item.id, decide).await? {
                Ok(()) => cancelled += 1,
                Err(SetupRefusal::Completed) => {
                    if let Some(item) = self.find::<PhoneRegistration>(item.id, now).await? {
                        self.finish_phone_registration(item, None, now).await?;
                    }
                }
                Err(_) => {}
            }
        }
        Ok(cancelled)
    }
}
