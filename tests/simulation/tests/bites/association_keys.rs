//! The faults of stores of association keys: which promises each breaks, and within how many seeds.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use countersign_conformance::model::{ModelAssociationKeys, ModelStore};
use countersign_domain::login::association_key::store::AssociationKeyStore;
use countersign_domain::login::association_key::transitions::{
    self, RegisterOutcome, RevokeOutcome,
};
use countersign_domain::login::{AssociationKey, ClaimedUserId, KeyId};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_simulation::executor::Sim;
use countersign_simulation::oracle::Promise::{self, *};

/// A fault of a store of association keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    RegisterIsNotWritten,
    /// Other tasks run between the read and the write.
    RegisterIsNotAtomic,
    RegisterOverwritesTheOwner,
    RegisterForgetsTombstones,
    RegisterIsNotRepeated,
    /// A key that was registered or found once stays as it was then.
    FindCachesKeys,
    /// A key that was not found once stays unknown.
    FindCachesAbsence,
    FindForgetsTombstones,
    ListForgetsAKey,
    ListHasRevokedKeys,
    ListForgetsTheOwner,
    RevokeIsNotWritten,
    RevokeOfUnknownKeysSucceeds,
}

/// Each fault, the promises that it may break first, and the number of seeds within which it must.
pub(super) const FAULTS: &[(Fault, &[Promise], u64)] = &[
    (Fault::RegisterIsNotWritten, &[KeyKept], 50),
    (Fault::RegisterIsNotAtomic, &[OneOwner, RevokedForEver], 500),
    (Fault::RegisterOverwritesTheOwner, &[OneOwner], 50),
    (Fault::RegisterForgetsTombstones, &[RevokedForEver], 50),
    (Fault::RegisterIsNotRepeated, &[SameAnswerAgain], 50),
    (Fault::FindCachesKeys, &[RevokedAtOnce], 200),
    (Fault::FindCachesAbsence, &[VerifiedUser], 1_000),
    (Fault::FindForgetsTombstones, &[RevokedAtOnce], 200),
    (Fault::ListForgetsAKey, &[KeyKept], 50),
    (Fault::ListHasRevokedKeys, &[RevokedForEver], 100),
    (Fault::ListForgetsTheOwner, &[OneOwner], 50),
    (Fault::RevokeIsNotWritten, &[RevokedAtOnce], 50),
    (Fault::RevokeOfUnknownKeysSucceeds, &[RevokedAtOnce], 50),
];

/// Maximum time that a write takes if it is not atomic.
const ONE_WRITE: Duration = Duration::from_millis(5);

type Found = BTreeMap<KeyId, Option<AssociationKey>>;
type Answer<T> = Result<T, Unavailable>;

/// The model of association keys with a fault.
pub(super) struct Broken {
    model: Arc<ModelAssociationKeys>,
    sim: Sim,
    fault: Fault,
    /// The first answer about each key.
    cache: Mutex<Found>,
}

impl Broken {
    pub(super) fn new(model: &ModelStore, sim: Sim, fault: Fault) -> Self {
        Self {
            model: Arc::clone(model.association_keys()),
            sim,
            fault,
            cache: Mutex::default(),
        }
    }

    /// Returns the first answer about a key.
    fn cached(&self, id: KeyId, found: Option<AssociationKey>) -> Option<AssociationKey> {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.entry(id).or_insert(found).clone()
    }

    /// Returns whether a key was not found once.
    fn was_absent(&self, id: KeyId) -> bool {
        let cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.get(&id).is_some()
    }
}

#[async_trait]
impl AssociationKeyStore for Broken {
    async fn register(&self, new: AssociationKey) -> Answer<RegisterOutcome> {
        let known = self.model.find_key(&new.app, new.id).await?;
        match (self.fault, &known) {
            (Fault::RegisterIsNotWritten, _) => {
                return Ok(transitions::register(known, new, 0).outcome);
            }
            (Fault::RegisterIsNotAtomic, _) => {
                self.sim.pass(ONE_WRITE).await;
                let decision = transitions::register(known, new, 0);
                if let Some(key) = decision.write {
                    self.model.put(key);
                }
                return Ok(decision.outcome);
            }
            (Fault::RegisterIsNotRepeated, Some(key)) if key.owner() == new.owner() => {
                return Ok(RegisterOutcome::OwnedByAnother);
            }
            (Fault::RegisterOverwritesTheOwner, Some(key)) if key.owner().is_some() => {
                self.model.put(new);
                return Ok(RegisterOutcome::Registered);
            }
            (Fault::RegisterForgetsTombstones, Some(key)) if key.owner().is_none() => {
                self.model.put(new);
                return Ok(RegisterOutcome::Registered);
            }
            _ => {}
        }
        if self.fault == Fault::FindCachesKeys {
            self.cached(new.id, Some(known.unwrap_or_else(|| new.clone())));
        }
        self.model.register(new).await
    }

    async fn find_key(&self, app: &AppId, id: KeyId) -> Answer<Option<AssociationKey>> {
        let found = self.model.find_key(app, id).await?;
        Ok(match self.fault {
            Fault::FindCachesKeys if found.is_some() => self.cached(id, found),
            Fault::FindCachesAbsence if found.is_none() || self.was_absent(id) => {
                self.cached(id, None)
            }
            Fault::FindForgetsTombstones => found.filter(|key| key.owner().is_some()),
            _ => found,
        })
    }

    async fn list(&self, app: &AppId, owner: &ClaimedUserId) -> Answer<Vec<AssociationKey>> {
        let mut keys = self.model.list(app, owner).await?;
        let all = || self.model.items().into_iter();
        match self.fault {
            Fault::ListForgetsAKey => {
                keys.pop();
            }
            Fault::ListHasRevokedKeys => keys.extend(all().filter(|key| key.owner().is_none())),
            Fault::ListForgetsTheOwner => keys = all().collect(),
            _ => {}
        }
        Ok(keys)
    }

    async fn revoke(&self, app: &AppId, id: KeyId, now: Timestamp) -> Answer<RevokeOutcome> {
        let known = self.model.find_key(app, id).await?;
        match (self.fault, &known) {
            (Fault::RevokeIsNotWritten, _) => Ok(transitions::revoke(known, now).outcome),
            (Fault::RevokeOfUnknownKeysSucceeds, None) => Ok(RevokeOutcome::Revoked),
            _ => self.model.revoke(app, id, now).await,
        }
    }
}
