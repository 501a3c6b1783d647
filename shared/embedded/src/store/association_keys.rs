//! The store of association keys.

use async_trait::async_trait;
use countersign_domain::app::quota::{Allowance, Quota};
use countersign_domain::delivery::Decision;
use countersign_domain::login::association_key::store::AssociationKeyStore;
use countersign_domain::login::association_key::transitions::{
    self, RegisterOutcome, RevokeOutcome,
};
use countersign_domain::login::{AssociationKey, ClaimedUserId, KeyId, UserKey};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use redb::{ReadTransaction, ReadableTable};

use super::EmbeddedStore;
use super::batch::Batch;
use super::checked::{self, RecordError, Stored};
use super::fault::Fault;
use super::numbers::{self, Number};
use super::tables::{
    ASSOCIATION_KEYS, KEYS_OF_OWNERS, META, association_key_key, association_keys_of, keys_of_app,
    owned_by, owned_key, read_association_key_key, read_owned_key,
};

#[async_trait]
impl AssociationKeyStore for EmbeddedStore {
    async fn register(&self, new: AssociationKey) -> Result<RegisterOutcome, Unavailable> {
        self.register_key(new, None).await
    }

    async fn register_within(
        &self,
        new: AssociationKey,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<RegisterOutcome, Unavailable> {
        let within = match allowance {
            Allowance::Unlimited => None,
            Allowance::Within(quota) => Some((quota, now)),
        };
        self.register_key(new, within).await
    }

    async fn find_key(
        &self,
        app: &AppId,
        id: KeyId,
    ) -> Result<Option<AssociationKey>, Unavailable> {
        self.read("association keys: find", |transaction| {
            let table = transaction.open_table(ASSOCIATION_KEYS)?;
            find(&table, app, id)
        })
    }

    async fn list(
        &self,
        app: &AppId,
        owner: &ClaimedUserId,
    ) -> Result<Vec<AssociationKey>, Unavailable> {
        self.read("association keys: list", |transaction| {
            list(transaction, app, &owner.verified_key(app))
        })
    }

    async fn revoke(
        &self,
        app: &AppId,
        id: KeyId,
        now: Timestamp,
    ) -> Result<RevokeOutcome, Unavailable> {
        let app = app.clone();
        self.write("association keys: revoke", move |batch| {
            let current = batch.association_key(&app, id)?;
            batch.enter(transitions::revoke(current, now))
        })
        .await
    }
}

impl EmbeddedStore {
    /// Registers a key, within a quota if there is one.
    async fn register_key(
        &self,
        new: AssociationKey,
        within: Option<(Quota, Timestamp)>,
    ) -> Result<RegisterOutcome, Unavailable> {
        self.write("association keys: register", move |batch| {
            let app = new.app.clone();
            let kept = batch.count_kept(&app)?;
            let owned = batch.count_owned(&app, &new.owner_key())?;
            let current = batch.association_key(&app, new.id)?;
            let decision = match within {
                None => transitions::register(current, new, owned),
                Some((quota, now)) => {
                    let mut usage = batch.usage().locked();
                    let count = || usage.association_keys.count(&app, &quota, now);
                    transitions::register_within(current, new, owned, (&quota, kept), count)
                }
            };
            batch.add(decision, kept)
        })
        .await
    }
}

/// Decodes a record of [`ASSOCIATION_KEYS`].
pub(super) fn read(place: &[u8], stored: Stored<'_>) -> Result<AssociationKey, RecordError> {
    let id = read_association_key_key(place).ok_or(RecordError::Key)?;
    checked::read(&ASSOCIATION_KEYS, place, id, stored)
}

fn find(
    table: &impl ReadableTable<&'static [u8], Stored<'static>>,
    app: &AppId,
    id: KeyId,
) -> Result<Option<AssociationKey>, Fault> {
    let place = association_key_key(app, id);
    let stored = table.get(place.as_slice())?;
    let key = stored.map(|stored| read(&place, stored.value()));
    Ok(key.transpose()?)
}

fn list(
    transaction: &ReadTransaction,
    app: &AppId,
    owner: &UserKey,
) -> Result<Vec<AssociationKey>, Fault> {
    let table = transaction.open_table(ASSOCIATION_KEYS)?;
    let index = transaction.open_table(KEYS_OF_OWNERS)?;
    let (first, end) = owned_by(app, owner);
    let mut keys = Vec::new();
    for entry in index.range(first.as_slice()..end.as_slice())? {
        let (entry, _) = entry?;
        let id = read_owned_key(entry.value()).ok_or(RecordError::Key)?;
        // The records decide; an index may be damaged.
        let key = find(&table, app, id)?;
        keys.extend(key.filter(|key| key.owner().is_some() && key.owner_key() == *owner));
    }
    keys.sort_by_key(|key| (key.registered_at(), key.id));
    Ok(keys)
}

impl Batch<'_> {
    fn association_key(&self, app: &AppId, id: KeyId) -> Result<Option<AssociationKey>, Fault> {
        let table = self.transaction.open_table(ASSOCIATION_KEYS)?;
        find(&table, app, id)
    }

    fn count_owned(&self, app: &AppId, owner: &UserKey) -> Result<usize, Fault> {
        let index = self.transaction.open_table(KEYS_OF_OWNERS)?;
        let (first, end) = owned_by(app, owner);
        let range = index.range(first.as_slice()..end.as_slice())?;
        Ok(range.count())
    }

    /// Returns the number of an app's keys and tombstones, which are counted if [`META`] does not say it.
    fn count_kept(&self, app: &AppId) -> Result<u64, Fault> {
        let meta = self.transaction.open_table(META)?;
        if let Number::Kept(kept) = numbers::read(&meta, &keys_of_app(app))? {
            return Ok(kept);
        }
        let table = self.transaction.open_table(ASSOCIATION_KEYS)?;
        let (first, end) = association_keys_of(app);
        let range = table.range(first.as_slice()..end.as_slice())?;
        Ok(range.count() as u64)
    }

    /// Writes a new key, and the number of its app's keys.
    fn add(
        &mut self,
        decision: Decision<AssociationKey, RegisterOutcome>,
        kept: u64,
    ) -> Result<RegisterOutcome, Fault> {
        if let Some(key) = &decision.write {
            let mut meta = self.transaction.open_table(META)?;
            numbers::write(&mut meta, &keys_of_app(&key.app), kept + 1)?;
        }
        self.enter(decision)
    }

    /// Writes the key that a transition decided, and its entry in the index.
    fn enter<O>(&mut self, decision: Decision<AssociationKey, O>) -> Result<O, Fault> {
        let Some(key) = decision.write else {
            return Ok(decision.outcome);
        };
        let place = association_key_key(&key.app, key.id);
        let sealed = checked::write(&ASSOCIATION_KEYS, &place, &key)?;
        let mut table = self.transaction.open_table(ASSOCIATION_KEYS)?;
        table.insert(place.as_slice(), sealed.stored())?;
        let mut index = self.transaction.open_table(KEYS_OF_OWNERS)?;
        let entry = owned_key(&key);
        if key.owner().is_some() {
            index.insert(entry.as_slice(), ())?;
        } else {
            index.remove(entry.as_slice())?;
        }
        drop((table, index));
        self.mark_changed();
        Ok(decision.outcome)
    }
}
