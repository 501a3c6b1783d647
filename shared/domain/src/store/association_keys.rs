//! Association keys: one document for each key, which is authoritative, and one for each owner,
//! which lists the owner's keys.
//!
//! A registration reserves a slot in the owner's list before it writes the key, and a revocation
//! writes the tombstone before it frees the slot. Therefore, no key is active without a slot, and
//! the list is only used for counting and listing: each key in it is read as well.
//!
//! A registration within a quota first increments the count of the app's keys. A call that is interrupted after
//! that leaves the count one too high. It counts before it reserves the slot, because it must not free a slot
//! once it has one: another registration of the same key may have found the slot and rely on it.

use std::num::NonZeroU32;

use futures_util::future::join_all;

use super::document::{Key, KeyCount, OwnerKeys};
use super::{BEFORE_ANY_PURGE, StartResult, Store};
use crate::app::quota::{Allowance, RateUsage, Rates};
use crate::delivery::Decision;
use crate::login::association_key::transitions::{
    self, RegisterRefusal, Registration, RevokeOutcome,
};
use crate::login::{AssociationKey, ClaimedUserId, KeyId, MAX_KEYS, UserKey};
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

pub(super) const RATE: fn(&mut Rates) -> &mut RateUsage = |rates| &mut rates.association_keys;

/// The result of reserving a slot in an owner's list.
enum OwnerSlot {
    Taken,
    /// The list is full with these keys.
    Full(OwnerKeys),
}

impl Store {
    async fn take_and_write(
        &self,
        new: AssociationKey,
        most: Option<NonZeroU32>,
    ) -> Result<Result<Registration, RegisterRefusal>, Unavailable> {
        if let Some(most) = most
            && !self.count_key(&new.app, most).await?
        {
            return Ok(Err(RegisterRefusal::AppFull));
        }
        let owner = new.owner_key();
        if let OwnerSlot::Full(keys) = self.take_place(owner, new.id).await? {
            let emptied = self.give_back_lost_places(&new.app, owner, keys).await?;
            if !emptied || !matches!(self.take_place(owner, new.id).await?, OwnerSlot::Taken) {
                if most.is_some() {
                    self.uncount_key(&new.app).await?;
                }
                return Ok(Err(RegisterRefusal::TooMany));
            }
        }
        let key = Key::AssociationKey(new.app.clone(), new.id);
        let started = self
            .put_new(&key, new.clone(), BEFORE_ANY_PURGE, None)
            .await?;
        let StartResult::Present(current) = started else {
            return Ok(Ok(Registration::New));
        };
        if most.is_some() {
            self.uncount_key(&new.app).await?;
        }
        let id = new.id;
        let outcome = transitions::register(Some(current), new, 0).outcome;
        if outcome != Ok(Registration::Repeated) {
            // This owner can never get the key.
            self.give_place_back(owner, id).await?;
        }
        Ok(outcome)
    }

    /// Reserves a slot in an owner's list, unless the key already has one.
    async fn take_place(&self, owner: UserKey, id: KeyId) -> Result<OwnerSlot, Unavailable> {
        let decide = |keys: Option<OwnerKeys>| {
            let mut keys = keys.unwrap_or_default();
            if keys.keys.contains(&id) {
                return Decision::refuse(OwnerSlot::Taken);
            }
            if keys.keys.len() >= MAX_KEYS {
                return Decision::refuse(OwnerSlot::Full(keys));
            }
            keys.keys.insert(id);
            Decision {
                outcome: OwnerSlot::Taken,
                write: Some(keys),
            }
        };
        self.change(Key::OwnerKeys(owner), decide).await
    }

    /// Frees a key's slot in its owner's list.
    async fn give_place_back(&self, owner: UserKey, id: KeyId) -> Result<(), Unavailable> {
        let decide = |keys: Option<OwnerKeys>| {
            let mut keys = keys.unwrap_or_default();
            let removed = keys.keys.remove(&id);
            Decision {
                outcome: (),
                write: removed.then_some(keys),
            }
        };
        self.change(Key::OwnerKeys(owner), decide).await
    }

    /// Frees the slots of keys that are not the owner's, left behind by interrupted calls. A key that
    /// does not exist keeps its slot, because a call that registers it may be in progress. Returns
    /// whether any slot was freed.
    async fn give_back_lost_places(
        &self,
        app: &AppId,
        owner: UserKey,
        keys: OwnerKeys,
    ) -> Result<bool, Unavailable> {
        let mut any = false;
        for key in self.keys_in(app, keys).await? {
            if key.owner().is_none() || key.owner_key() != owner {
                self.give_place_back(owner, key.id).await?;
                any = true;
            }
        }
        Ok(any)
    }

    /// Reads the keys in an owner's list. A corrupt key is skipped.
    async fn keys_in(
        &self,
        app: &AppId,
        keys: OwnerKeys,
    ) -> Result<Vec<AssociationKey>, Unavailable> {
        let keys = keys
            .keys
            .into_iter()
            .map(|id| self.find_association_key(app, id));
        let keys = join_all(keys).await.into_iter();
        let keys = keys.filter(|key| !key.as_ref().is_err_and(Unavailable::is_damage));
        Ok(keys
            .collect::<Result<Vec<_>, _>>()?
            .into_iter()
            .flatten()
            .collect())
    }

    /// Counts a new key of an app. Returns whether the quota had room for it.
    async fn count_key(&self, app: &AppId, most: NonZeroU32) -> Result<bool, Unavailable> {
        let decide = |count: Option<KeyCount>| {
            let KeyCount { keys } = count.unwrap_or_default();
            if keys >= u64::from(most.get()) {
                return Decision::refuse(false);
            }
            Decision {
                outcome: true,
                write: Some(KeyCount { keys: keys + 1 }),
            }
        };
        self.change(Key::KeyCount(app.clone()), decide).await
    }

    /// Takes back the count of a key that another call has registered and counted.
    async fn uncount_key(&self, app: &AppId) -> Result<(), Unavailable> {
        let decide = |count: Option<KeyCount>| Decision {
            outcome: (),
            write: count.map(|KeyCount { keys }| KeyCount {
                keys: keys.saturating_sub(1),
            }),
        };
        self.change(Key::KeyCount(app.clone()), decide).await
    }
}

impl Store {
    /// Registers an active key whose registration was already counted against the app's rate. With `most`, the app
    /// cannot have more keys than that.
    pub(super) async fn register_counted_key(
        &self,
        new: AssociationKey,
        most: Option<NonZeroU32>,
    ) -> Result<Result<Registration, RegisterRefusal>, Unavailable> {
        let current = self.find_association_key(&new.app, new.id).await?;
        let decision = transitions::register(current, new.clone(), 0);
        if decision.write.is_none() {
            return Ok(decision.outcome);
        }
        self.take_and_write(new, most).await
    }

    /// Registers an active key within the quota of its app, unless its id already exists or its owner
    /// has too many. A key that already exists is not counted.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn register_association_key(
        &self,
        new: AssociationKey,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<Result<Registration, RegisterRefusal>, Unavailable> {
        // The write itself decides. This read only prevents refused keys from taking a slot.
        let current = self.find_association_key(&new.app, new.id).await?;
        let decision = transitions::register(current, new.clone(), 0);
        if decision.write.is_none() {
            return Ok(decision.outcome);
        }
        let Allowance::Within(quota) = allowance else {
            return self.take_and_write(new, None).await;
        };
        let app = new.app.clone();
        if let Err(exceeded) = self.count(RATE, &app, &quota, now) {
            return Ok(Err(exceeded.into()));
        }
        let outcome = self.take_and_write(new, Some(quota.max_open)).await;
        if !matches!(outcome, Ok(Ok(Registration::New))) {
            self.give_back(RATE, &app, &quota, now);
        }
        outcome
    }

    /// Finds a key or its tombstone, bypassing all caches.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn find_association_key(
        &self,
        app: &AppId,
        id: KeyId,
    ) -> Result<Option<AssociationKey>, Unavailable> {
        self.get(Key::AssociationKey(app.clone(), id)).await
    }

    /// Returns the active keys of a user, ordered by registration and id. There are at most [`MAX_KEYS`] keys. A
    /// corrupt key is skipped.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn association_keys_of(
        &self,
        app: &AppId,
        owner: &ClaimedUserId,
    ) -> Result<Vec<AssociationKey>, Unavailable> {
        let keys = self
            .get::<OwnerKeys>(Key::OwnerKeys(owner.verified_key(app)))
            .await?;
        let mut keys = self.keys_in(app, keys.unwrap_or_default()).await?;
        keys.retain(|key| key.owner() == Some(owner));
        keys.sort_by_key(|key| (key.registered_at(), key.id));
        Ok(keys)
    }

    /// Revokes a key of an app and leaves its tombstone. After this has returned, the key is not
    /// active in any read.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn revoke_association_key(
        &self,
        app: &AppId,
        id: KeyId,
        now: Timestamp,
    ) -> Result<RevokeOutcome, Unavailable> {
        let key = Key::AssociationKey(app.clone(), id);
        let decide = |current: Option<AssociationKey>| {
            let owner = current.as_ref().map(AssociationKey::owner_key);
            let Decision { outcome, write } = transitions::revoke(current, now);
            Decision {
                outcome: (outcome, owner),
                write,
            }
        };
        let (outcome, owner) = self.change(key, decide).await?;
        if let Some(owner) = owner {
            self.give_place_back(owner, id).await?;
        }
        Ok(outcome)
    }
}
