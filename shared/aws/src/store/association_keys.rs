//! The store of association keys: one item for each key, which decides, and one for each owner that
//! lists the owner's keys.
//!
//! A registration takes a place in the owner's list before it writes the key, and a revocation leaves
//! the tombstone before it gives the place back. So no key is active without a place, and the list is
//! only read to count and to list: each key that it names is read, too.
//!
//! A registration within a quota also adds one to the count of the app's keys before it writes the key.
//! A call that breaks off in between leaves the count one too high.

use std::num::NonZeroU32;

use async_trait::async_trait;
use countersign_domain::app::quota::{Allowance, Quota};
use countersign_domain::login::association_key::store::AssociationKeyStore;
use countersign_domain::login::association_key::transitions::{
    self, RegisterOutcome, RevokeOutcome,
};
use countersign_domain::login::{AssociationKey, ClaimedUserId, KeyId, MAX_KEYS, UserKey};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_records::RecordError;
use futures_util::future::try_join_all;

use super::attributes::association_key::REVOKED_AT;
use super::attributes::{Key, PK, key_count, owner_keys};
use super::change::{Change, difference};
use super::fault::Fault;
use super::item::{AttributeValue, Item, number};
use super::rates::ASSOCIATION_KEYS;
use super::record::{from_item, to_item};
use super::{DynamoStore, Written, unavailable};

#[async_trait]
impl AssociationKeyStore for DynamoStore {
    async fn register(&self, new: AssociationKey) -> Result<RegisterOutcome, Unavailable> {
        self.register_key(&new, None)
            .await
            .map_err(unavailable("association keys: register"))
    }

    /// Counts the rate in this instance only.
    async fn register_within(
        &self,
        new: AssociationKey,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<RegisterOutcome, Unavailable> {
        let within = match &allowance {
            Allowance::Unlimited => None,
            Allowance::Within(quota) => Some((quota, now)),
        };
        self.register_key(&new, within)
            .await
            .map_err(unavailable("association keys: register"))
    }

    async fn find_key(
        &self,
        app: &AppId,
        id: KeyId,
    ) -> Result<Option<AssociationKey>, Unavailable> {
        self.association_key(app, id)
            .await
            .map_err(unavailable("association keys: find"))
    }

    async fn list(
        &self,
        app: &AppId,
        owner: &ClaimedUserId,
    ) -> Result<Vec<AssociationKey>, Unavailable> {
        let read = async {
            let item = self.get(Key::keys_of(owner.verified_key(app))).await?;
            let mut keys = self.keys_in(app, item.as_ref()).await?;
            keys.retain(|key| key.owner() == Some(owner));
            keys.sort_by_key(|key| (key.registered_at(), key.id));
            Ok(keys)
        };
        read.await.map_err(unavailable("association keys: list"))
    }

    async fn revoke(
        &self,
        app: &AppId,
        id: KeyId,
        now: Timestamp,
    ) -> Result<RevokeOutcome, Unavailable> {
        self.revoke_association_key(app, id, now)
            .await
            .map_err(unavailable("association keys: revoke"))
    }
}

/// The outcome of taking a place in an owner's list.
enum Place {
    /// The key has a place.
    Taken,
    /// The list is full. Holds its item.
    Full(Option<Item>),
}

impl DynamoStore {
    async fn association_key(
        &self,
        app: &AppId,
        id: KeyId,
    ) -> Result<Option<AssociationKey>, Fault> {
        let item = self.get(Key::association_key(app, id)).await?;
        Ok(item.map(|item| decode(app, id, &item)).transpose()?)
    }

    /// Registers a key, within a quota if there is one.
    async fn register_key(
        &self,
        new: &AssociationKey,
        within: Option<(&Quota, Timestamp)>,
    ) -> Result<RegisterOutcome, Fault> {
        // The condition below decides. This read only keeps refused keys from taking a place.
        let current = self.association_key(&new.app, new.id).await?;
        let decision = transitions::register(current, new.clone(), 0);
        if decision.write.is_none() {
            return Ok(decision.outcome);
        }
        let Some((quota, now)) = within else {
            return self.write_key(new, None).await;
        };
        if let Err(exceeded) = self.rates.take(ASSOCIATION_KEYS, &new.app, quota, now) {
            return Ok(RegisterOutcome::Exceeded(exceeded));
        }
        let outcome = self.write_key(new, Some(quota.max_open)).await;
        if !matches!(outcome, Ok(RegisterOutcome::Registered)) {
            let rates = &self.rates;
            rates.give_back(ASSOCIATION_KEYS, &new.app, quota, now);
        }
        outcome
    }

    /// Writes a new key, if its owner has room for it and the app has fewer than `most`.
    async fn write_key(
        &self,
        new: &AssociationKey,
        most: Option<NonZeroU32>,
    ) -> Result<RegisterOutcome, Fault> {
        let owner = new.owner_key();
        if let Place::Full(list) = self.take_place(owner, new.id).await? {
            let emptied = self.give_back_lost_places(&new.app, owner, list).await?;
            if !emptied || !matches!(self.take_place(owner, new.id).await?, Place::Taken) {
                return Ok(RegisterOutcome::TooMany);
            }
        }
        if let Some(most) = most
            && !self.count_key(&new.app, most).await?
        {
            self.give_back(owner, new.id).await?;
            return Ok(RegisterOutcome::AppFull);
        }
        let change = Change::of_any(Key::association_key(&new.app, new.id))
            .when(format!("attribute_not_exists(#{PK})"));
        let change = to_item(new)?
            .into_iter()
            .fold(change, |change, (name, value)| change.set(&name, value));
        let stored = match self.make(change).await? {
            Written::Made(_) => return Ok(RegisterOutcome::Registered),
            Written::Refused(stored) => stored.ok_or(Fault::Contradiction("the key"))?,
        };
        if most.is_some() {
            self.uncount_key(&new.app).await?;
        }
        let current = decode(&new.app, new.id, &stored)?;
        let outcome = transitions::register(Some(current), new.clone(), 0).outcome;
        if outcome != RegisterOutcome::Repeated {
            // The key can never become this owner's.
            self.give_back(owner, new.id).await?;
        }
        Ok(outcome)
    }

    async fn revoke_association_key(
        &self,
        app: &AppId,
        id: KeyId,
        now: Timestamp,
    ) -> Result<RevokeOutcome, Fault> {
        let place = Key::association_key(app, id);
        let Some(stored) = self.get(place.clone()).await? else {
            return Ok(RevokeOutcome::Unknown);
        };
        let current = decode(app, id, &stored)?;
        let owner = current.owner_key();
        let before = to_item(&current)?;
        let decision = transitions::revoke(Some(current), now);
        let mut outcome = decision.outcome;
        if let Some(tombstone) = decision.write {
            let change = Change::of(place).when(format!("attribute_not_exists(#{REVOKED_AT})"));
            let change = difference(change, &stored, &before, to_item(&tombstone)?);
            // An active key changes only by its revocation.
            if let Written::Refused(_) = self.make(change).await? {
                outcome = RevokeOutcome::AlreadyRevoked;
            }
        }
        self.give_back(owner, id).await?;
        Ok(outcome)
    }

    /// Takes a place in an owner's list, unless the key has one.
    async fn take_place(&self, owner: UserKey, id: KeyId) -> Result<Place, Fault> {
        let keys = owner_keys::KEYS;
        let change = Change::of_any(Key::keys_of(owner))
            .when(format!(
                "(attribute_not_exists(#{keys}) OR contains(#{keys}, :id) OR size(#{keys}) < :most)"
            ))
            .given(":most", number(MAX_KEYS as u64))
            .given(":id", AttributeValue::S(id.to_string()))
            .add(keys, ":ids")
            .given(":ids", set_of(id));
        Ok(match self.make(change).await? {
            Written::Made(_) => Place::Taken,
            Written::Refused(item) => Place::Full(item),
        })
    }

    /// Counts a new key of an app. Returns whether there was room for it.
    async fn count_key(&self, app: &AppId, most: NonZeroU32) -> Result<bool, Fault> {
        let kept = key_count::KEPT;
        let change = Change::of_any(Key::key_count(app))
            .once()
            .when(format!(
                "(attribute_not_exists(#{kept}) OR #{kept} < :most)"
            ))
            .given(":most", number(most.get()))
            .add(kept, ":counted")
            .given(":counted", number(1_u32));
        Ok(matches!(self.make(change).await?, Written::Made(_)))
    }

    /// Takes back the count of a key that another call has registered and counted.
    async fn uncount_key(&self, app: &AppId) -> Result<(), Fault> {
        let change = Change::of(Key::key_count(app))
            .once()
            .add(key_count::KEPT, ":uncounted")
            .given(":uncounted", AttributeValue::N("-1".to_owned()));
        self.make(change).await.map(|_| ())
    }

    /// Gives a key's place in its owner's list back.
    async fn give_back(&self, owner: UserKey, id: KeyId) -> Result<(), Fault> {
        let change = Change::of(Key::keys_of(owner))
            .when(format!("contains(#{}, :id)", owner_keys::KEYS))
            .given(":id", AttributeValue::S(id.to_string()))
            .take(owner_keys::KEYS, ":ids")
            .given(":ids", set_of(id));
        // Refused if another call gave it back.
        self.make(change).await.map(|_| ())
    }

    /// Gives back the places of keys that are not the owner's, which a call that died left behind. A key
    /// that does not exist keeps its place, because a call that registers it may be under way. Returns
    /// whether there were any.
    async fn give_back_lost_places(
        &self,
        app: &AppId,
        owner: UserKey,
        list: Option<Item>,
    ) -> Result<bool, Fault> {
        let keys = self.keys_in(app, list.as_ref()).await?;
        let strays = keys
            .iter()
            .filter(|key| key.owner().is_none() || key.owner_key() != owner);
        let strays: Vec<_> = strays.map(|key| self.give_back(owner, key.id)).collect();
        let any = !strays.is_empty();
        try_join_all(strays).await?;
        Ok(any)
    }

    /// Reads the keys that an owner's list names.
    async fn keys_in(
        &self,
        app: &AppId,
        list: Option<&Item>,
    ) -> Result<Vec<AssociationKey>, Fault> {
        let ids = list.map(ids_in).transpose()?.unwrap_or_default();
        let keys = ids.into_iter().map(|id| self.association_key(app, id));
        let keys = try_join_all(keys).await?;
        Ok(keys.into_iter().flatten().collect())
    }
}

fn decode(app: &AppId, id: KeyId, item: &Item) -> Result<AssociationKey, RecordError> {
    from_item((app.clone(), id), item)
}

fn ids_in(list: &Item) -> Result<Vec<KeyId>, RecordError> {
    let invalid = RecordError::Invalid(owner_keys::KEYS);
    let Some(ids) = list.get(owner_keys::KEYS) else {
        // DynamoDB keeps no empty sets.
        return Ok(Vec::new());
    };
    let AttributeValue::Ss(ids) = ids else {
        return Err(invalid);
    };
    let ids = ids
        .iter()
        .map(|id| id.parse::<KeyId>().map_err(|_| invalid));
    ids.collect()
}

fn set_of(id: KeyId) -> AttributeValue {
    AttributeValue::Ss(vec![id.to_string()])
}
