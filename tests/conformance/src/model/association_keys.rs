use std::collections::BTreeMap;
use std::sync::Mutex;

use async_trait::async_trait;
use countersign_domain::app::quota::{Allowance, Quota, RateUsage};
use countersign_domain::delivery::Decision;
use countersign_domain::login::association_key::store::AssociationKeyStore;
use countersign_domain::login::association_key::transitions::{
    self, RegisterOutcome, RevokeOutcome,
};
use countersign_domain::login::{AssociationKey, ClaimedUserId, KeyId};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

use super::locked;

type Keys = BTreeMap<(AppId, KeyId), AssociationKey>;

/// Association keys and their tombstones in memory.
#[derive(Debug, Default)]
pub struct ModelAssociationKeys {
    keys: Mutex<Keys>,
    rates: Mutex<RateUsage>,
}

fn owned_by(keys: &Keys, app: &AppId, owner: &ClaimedUserId) -> Vec<AssociationKey> {
    let is_theirs = |key: &&AssociationKey| key.app == *app && key.owner() == Some(owner);
    let mut found: Vec<_> = keys.values().filter(is_theirs).cloned().collect();
    found.sort_by_key(|key| (key.registered_at(), key.id));
    found
}

impl ModelAssociationKeys {
    /// Returns every key and every tombstone, ordered by app and id.
    #[must_use]
    pub fn items(&self) -> Vec<AssociationKey> {
        locked(&self.keys).values().cloned().collect()
    }

    /// Stores a key or a tombstone, replacing the one with the same id.
    pub fn put(&self, key: AssociationKey) {
        locked(&self.keys).insert((key.app.clone(), key.id), key);
    }

    fn register_key(
        &self,
        new: AssociationKey,
        within: Option<(Quota, Timestamp)>,
    ) -> RegisterOutcome {
        let mut keys = locked(&self.keys);
        let theirs = new.owner().map(|owner| owned_by(&keys, &new.app, owner));
        let owned = theirs.map_or(0, |theirs| theirs.len());
        let kept = keys.keys().filter(|(app, _)| *app == new.app).count() as u64;
        let (app, place) = (new.app.clone(), (new.app.clone(), new.id));
        Self::decide(&mut keys, place, |current| match within {
            None => transitions::register(current, new, owned),
            Some((quota, now)) => {
                let count = || locked(&self.rates).count(&app, &quota, now);
                transitions::register_within(current, new, owned, (&quota, kept), count)
            }
        })
    }

    fn decide<O>(
        keys: &mut Keys,
        place: (AppId, KeyId),
        decide: impl FnOnce(Option<AssociationKey>) -> Decision<AssociationKey, O>,
    ) -> O {
        let decision = decide(keys.get(&place).cloned());
        if let Some(key) = decision.write {
            keys.insert(place, key);
        }
        decision.outcome
    }
}

#[async_trait]
impl AssociationKeyStore for ModelAssociationKeys {
    async fn register(&self, new: AssociationKey) -> Result<RegisterOutcome, Unavailable> {
        Ok(self.register_key(new, None))
    }

    async fn register_within(
        &self,
        new: AssociationKey,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<RegisterOutcome, Unavailable> {
        Ok(match allowance {
            Allowance::Unlimited => self.register_key(new, None),
            Allowance::Within(quota) => self.register_key(new, Some((quota, now))),
        })
    }

    async fn find_key(
        &self,
        app: &AppId,
        id: KeyId,
    ) -> Result<Option<AssociationKey>, Unavailable> {
        Ok(locked(&self.keys).get(&(app.clone(), id)).cloned())
    }

    async fn list(
        &self,
        app: &AppId,
        owner: &ClaimedUserId,
    ) -> Result<Vec<AssociationKey>, Unavailable> {
        Ok(owned_by(&locked(&self.keys), app, owner))
    }

    async fn revoke(
        &self,
        app: &AppId,
        id: KeyId,
        now: Timestamp,
    ) -> Result<RevokeOutcome, Unavailable> {
        let decide = |current| transitions::revoke(current, now);
        Ok(Self::decide(
            &mut locked(&self.keys),
            (app.clone(), id),
            decide,
        ))
    }
}
