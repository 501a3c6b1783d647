#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use countersign_conformance::model::ModelAssociationKeys;
use countersign_conformance::suite;
use countersign_domain::app::quota::Allowance;
use countersign_domain::login::association_key::store::AssociationKeyStore;
use countersign_domain::login::association_key::transitions::{RegisterOutcome, RevokeOutcome};
use countersign_domain::login::{AssociationKey, ClaimedUserId, KeyId, KeyState, MAX_KEYS};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

/// A fault of a store of association keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Nothing,
    KeyBelongsToLastUser,
    RepeatedIsRefused,
    RevokedReturns,
    RevocationIsCached,
    RevokesForAnyApp,
    TombstoneIsRemoved,
    SecondRevocationCounts,
    LimitIsMissing,
    LimitCountsRevoked,
    LimitIsNotAtomic,
    QuotaIsIgnored,
    QuotaRefusesKnownKeys,
    RegistrationIsNotAtomic,
    RevocationIsNotAtomic,
    ListHasRevokedKeys,
    ListIsSortedById,
    ListIgnoresCase,
}

/// Each fault with the case that must catch it.
const FAULTS: &[(Fault, &str)] = &[
    (
        Fault::KeyBelongsToLastUser,
        "association keys: key belongs to one user",
    ),
    (Fault::RepeatedIsRefused, "association keys: new key"),
    (Fault::RevokedReturns, "association keys: revoked key"),
    (Fault::RevocationIsCached, "association keys: revoked key"),
    (Fault::RevokesForAnyApp, "association keys: revoked key"),
    (Fault::TombstoneIsRemoved, "association keys: revoked key"),
    (
        Fault::SecondRevocationCounts,
        "association keys: revoked key",
    ),
    (
        Fault::LimitIsMissing,
        "association keys: users have a limit",
    ),
    (
        Fault::LimitCountsRevoked,
        "association keys: users have a limit",
    ),
    (Fault::LimitIsNotAtomic, "race: users never exceed"),
    (Fault::QuotaIsIgnored, "association keys: apps have a limit"),
    (Fault::QuotaIsIgnored, "association keys: apps have a rate"),
    (
        Fault::QuotaRefusesKnownKeys,
        "association keys: apps have a limit",
    ),
    (Fault::RegistrationIsNotAtomic, "race: one of 64 users"),
    (
        Fault::RevocationIsNotAtomic,
        "race: one of 64 revocations of an association key",
    ),
    (Fault::ListHasRevokedKeys, "association keys: list"),
    (Fault::ListIsSortedById, "association keys: list"),
    (
        Fault::ListIgnoresCase,
        "association keys: key belongs to one user",
    ),
    (
        Fault::RevokedReturns,
        "random: keys are those of the model, seed 1",
    ),
];

#[tokio::test(start_paused = true)]
async fn every_fault_is_caught() {
    let make = async |fault| Arc::new(Broken::new(fault));
    suite::association_keys(async || make(Fault::Nothing).await)
        .await
        .assert_passed();
    let mut missed = Vec::new();
    for (fault, case) in FAULTS {
        let case = super::named(suite::association_key_cases(), case);
        let make = async || make(*fault).await as Arc<dyn AssociationKeyStore>;
        missed.extend(super::caught(fault, &suite::run(vec![case], make).await).err());
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// The model with one fault.
struct Broken {
    model: ModelAssociationKeys,
    fault: Fault,
    /// The keys that were registered, in this order.
    registered: Mutex<Vec<AssociationKey>>,
    revoked: Mutex<Vec<KeyId>>,
}

impl Broken {
    fn new(fault: Fault) -> Self {
        Self {
            model: ModelAssociationKeys::default(),
            fault,
            registered: Mutex::default(),
            revoked: Mutex::default(),
        }
    }

    /// Returns what is known of a key besides the model, latest registration first.
    fn registered(&self, app: &AppId, id: KeyId) -> Option<AssociationKey> {
        let registered = self.registered.lock().unwrap();
        let mut latest = registered.iter().rev();
        latest.find(|key| key.app == *app && key.id == id).cloned()
    }

    fn is_revoked(&self, id: KeyId) -> bool {
        self.revoked.lock().unwrap().contains(&id)
    }
}

#[async_trait]
impl AssociationKeyStore for Broken {
    async fn register(&self, new: AssociationKey) -> Result<RegisterOutcome, Unavailable> {
        let before = self.model.find_key(&new.app, new.id).await?;
        if self.fault == Fault::RegistrationIsNotAtomic {
            tokio::task::yield_now().await;
        }
        let count = match (self.fault, new.owner()) {
            (Fault::LimitIsNotAtomic, Some(owner)) => {
                let count = self.model.list(&new.app, owner).await?.len();
                tokio::task::yield_now().await;
                count
            }
            _ => MAX_KEYS,
        };
        let ever = {
            let mut registered = self.registered.lock().unwrap();
            registered.push(new.clone());
            let same = |key: &&AssociationKey| key.owner_key() == new.owner_key();
            registered.iter().filter(same).count()
        };
        let outcome = self.model.register(new).await?;
        Ok(match (self.fault, outcome) {
            (Fault::KeyBelongsToLastUser, RegisterOutcome::OwnedByAnother)
            | (Fault::RevokedReturns, RegisterOutcome::Revoked)
            | (Fault::LimitIsMissing, RegisterOutcome::TooMany) => RegisterOutcome::Registered,
            (Fault::RegistrationIsNotAtomic, _) if before.is_none() => RegisterOutcome::Registered,
            (Fault::LimitIsNotAtomic, RegisterOutcome::TooMany) if count < MAX_KEYS => {
                RegisterOutcome::Registered
            }
            (Fault::RepeatedIsRefused, RegisterOutcome::Repeated) => {
                RegisterOutcome::OwnedByAnother
            }
            (Fault::LimitCountsRevoked, RegisterOutcome::Registered) if ever > MAX_KEYS => {
                RegisterOutcome::TooMany
            }
            (_, outcome) => outcome,
        })
    }

    async fn register_within(
        &self,
        new: AssociationKey,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<RegisterOutcome, Unavailable> {
        if self.fault == Fault::QuotaIsIgnored {
            return self.model.register(new).await;
        }
        let outcome = self.model.register_within(new, allowance, now).await?;
        Ok(match (self.fault, outcome) {
            (Fault::QuotaRefusesKnownKeys, RegisterOutcome::Repeated) => RegisterOutcome::AppFull,
            (_, outcome) => outcome,
        })
    }

    async fn find_key(
        &self,
        app: &AppId,
        id: KeyId,
    ) -> Result<Option<AssociationKey>, Unavailable> {
        let found = self.model.find_key(app, id).await?;
        let is_tombstone = found.as_ref().is_some_and(|key| key.owner().is_none());
        Ok(match self.fault {
            Fault::RevocationIsCached if is_tombstone => self.registered(app, id),
            Fault::TombstoneIsRemoved if is_tombstone => None,
            _ => found,
        })
    }

    async fn list(
        &self,
        app: &AppId,
        owner: &ClaimedUserId,
    ) -> Result<Vec<AssociationKey>, Unavailable> {
        let mut keys = self.model.list(app, owner).await?;
        match self.fault {
            Fault::ListIsSortedById => keys.sort_by_key(|key| key.id),
            Fault::ListHasRevokedKeys => {
                let registered = self.registered.lock().unwrap();
                let revoked = registered.iter().filter(|key| self.is_revoked(key.id));
                keys.extend(revoked.cloned());
            }
            Fault::ListIgnoresCase => {
                let lower: ClaimedUserId = owner.as_str().to_lowercase().parse().unwrap();
                keys = self.model.list(app, &lower).await?;
            }
            _ => {}
        }
        Ok(keys)
    }

    async fn revoke(
        &self,
        app: &AppId,
        id: KeyId,
        now: Timestamp,
    ) -> Result<RevokeOutcome, Unavailable> {
        let before = self.model.find_key(app, id).await?;
        if self.fault == Fault::RevocationIsNotAtomic {
            tokio::task::yield_now().await;
        }
        let was_active = before.is_some_and(|key| matches!(key.state, KeyState::Active { .. }));
        let outcome = self.model.revoke(app, id, now).await?;
        self.revoked.lock().unwrap().push(id);
        let other = self.registered.lock().unwrap().first().cloned();
        Ok(match (self.fault, outcome, other) {
            (Fault::SecondRevocationCounts, RevokeOutcome::AlreadyRevoked, _) => {
                RevokeOutcome::Revoked
            }
            (Fault::RevocationIsNotAtomic, _, _) if was_active => RevokeOutcome::Revoked,
            (Fault::RevokesForAnyApp, RevokeOutcome::Unknown, Some(other)) if other.id == id => {
                self.model.revoke(&other.app, id, now).await?
            }
            (_, outcome, _) => outcome,
        })
    }
}
