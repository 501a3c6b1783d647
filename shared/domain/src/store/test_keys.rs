//! The association keys of tests, in one document for each app.

use super::Store;
use super::association_keys::RATE;
use super::document::Key;
use crate::app::quota::Allowance;
use crate::login::association_key::test_keys::{TestKeys, register_test, revoke_test};
use crate::login::association_key::transitions::{RegisterRefusal, Registration, RevokeOutcome};
use crate::login::{AssociationKey, ClaimedUserId, KeyId};
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

impl Store {
    /// Registers an app's test key within the rate of the app's quota. The number of test keys has its own limit.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn register_test_key(
        &self,
        new: AssociationKey,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<Result<Registration, RegisterRefusal>, Unavailable> {
        let app = new.app.clone();
        let quota = match allowance {
            Allowance::Unlimited => None,
            Allowance::Within(quota) => Some(quota),
        };
        if let Some(quota) = &quota
            && let Err(exceeded) = self.count(RATE, &app, quota, now)
        {
            return Ok(Err(exceeded.into()));
        }
        let decide = |current| register_test(current, new.clone(), now);
        let outcome = self.change(Key::TestKeys(app.clone()), decide).await;
        if let Some(quota) = &quota
            && !matches!(outcome, Ok(Ok(Registration::New)))
        {
            self.give_back(RATE, &app, quota, now);
        }
        outcome
    }

    /// Finds the first of these test keys of an app, or its tombstone, bypassing all caches.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn find_test_key(
        &self,
        app: &AppId,
        ids: &[KeyId],
        now: Timestamp,
    ) -> Result<Option<AssociationKey>, Unavailable> {
        let keys: Option<TestKeys> = self.get(Key::TestKeys(app.clone())).await?;
        let found = keys.and_then(|keys| ids.iter().find_map(|id| keys.find(*id, now).cloned()));
        Ok(found)
    }

    /// Returns the active test keys of a user of an app, oldest first.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn test_keys_of(
        &self,
        app: &AppId,
        owner: &ClaimedUserId,
        now: Timestamp,
    ) -> Result<Vec<AssociationKey>, Unavailable> {
        let keys: Option<TestKeys> = self.get(Key::TestKeys(app.clone())).await?;
        let keys = keys.unwrap_or_default();
        let of_owner = keys.at(now).filter(|key| key.owner() == Some(owner));
        Ok(of_owner.cloned().collect())
    }

    /// Revokes an app's test key.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn revoke_test_key(
        &self,
        app: &AppId,
        id: KeyId,
        now: Timestamp,
    ) -> Result<RevokeOutcome, Unavailable> {
        let decide = |current| revoke_test(current, id, now);
        self.change(Key::TestKeys(app.clone()), decide).await
    }
}
