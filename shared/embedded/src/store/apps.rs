//! The app store. Reads are answered from memory; changes go to disk first.

use std::sync::{Arc, PoisonError, RwLockReadGuard};

use async_trait::async_trait;
use countersign_domain::app::api_key::{ApiKeyHash, ApiKeyId, ApiKeyRecord, MAX_ACTIVE_KEYS};
use countersign_domain::app::store::{
    AppStore, CreateAppOutcome, IssueKeyOutcome, KeyLookup, RevokeKeyOutcome, UpdateAppOutcome,
};
use countersign_domain::app::{App, InboundProfile};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use redb::ReadableTable;

use super::EmbeddedStore;
use super::app_records::{read_key, read_profile};
use super::batch::Batch;
use super::checked::{self, RecordError};
use super::directory::{Change, Directory};
use super::fault::Fault;
use super::tables::{APPS, KEYS, META, PROFILE, key_key, keys_of};

impl EmbeddedStore {
    fn directory(&self) -> RwLockReadGuard<'_, Directory> {
        // Changes to the directory cannot panic half-way, so a poisoned lock still guards whole data.
        self.directory
            .read()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl AppStore for EmbeddedStore {
    async fn lookup_key(&self, hash: &ApiKeyHash) -> Result<KeyLookup, Unavailable> {
        let found = self.directory().lookup(hash);
        found.map_err(|fault| Unavailable::new("app store: lookup key", fault))
    }

    async fn find_app(&self, id: &AppId) -> Result<Option<Arc<App>>, Unavailable> {
        let found = self.directory().app(id);
        found.map_err(|fault| Unavailable::new("app store: find app", fault))
    }

    async fn list_apps(&self) -> Result<Vec<Arc<App>>, Unavailable> {
        Ok(self.directory().apps())
    }

    async fn create_app(&self, app: App) -> Result<CreateAppOutcome, Unavailable> {
        let present = self.directory().profile();
        self.write("app store: create app", move |batch| {
            if batch.has_app(&app.id)? {
                return Ok(CreateAppOutcome::NameTaken);
            }
            batch.put_app(app, &present)?;
            Ok(CreateAppOutcome::Created)
        })
        .await
    }

    async fn update_app(&self, app: App) -> Result<UpdateAppOutcome, Unavailable> {
        let present = self.directory().profile();
        self.write("app store: update app", move |batch| {
            if !batch.has_app(&app.id)? {
                return Ok(UpdateAppOutcome::Unknown);
            }
            batch.put_app(app, &present)?;
            Ok(UpdateAppOutcome::Updated)
        })
        .await
    }

    async fn issue_key(
        &self,
        app: &AppId,
        key: ApiKeyRecord,
    ) -> Result<IssueKeyOutcome, Unavailable> {
        let app = app.clone();
        let directory = Arc::clone(&self.directory);
        self.write("app store: issue key", move |batch| {
            if !batch.has_app(&app)? {
                return Ok(IssueKeyOutcome::UnknownApp);
            }
            let keys: Vec<_> = batch.keys(&app)?.into_iter().collect::<Result<_, _>>()?;
            let known = directory.read().unwrap_or_else(PoisonError::into_inner);
            if keys.iter().any(|known| known.hash == key.hash)
                || known.lookup(&key.hash)? != KeyLookup::Unknown
            {
                return Err(Fault::Collision("an API key with this hash"));
            }
            drop(known);
            if keys.iter().filter(|key| key.is_active()).count() >= MAX_ACTIVE_KEYS {
                return Ok(IssueKeyOutcome::TooMany);
            }
            batch.put_key(app, key)?;
            Ok(IssueKeyOutcome::Issued)
        })
        .await
    }

    async fn list_keys(&self, app: &AppId) -> Result<Vec<ApiKeyRecord>, Unavailable> {
        Ok(self.directory().keys(app))
    }

    async fn revoke_key(
        &self,
        app: &AppId,
        key: &ApiKeyId,
        now: Timestamp,
    ) -> Result<RevokeKeyOutcome, Unavailable> {
        let (app, id) = (app.clone(), key.clone());
        self.write("app store: revoke key", move |batch| {
            // Skips damaged keys, so that the others can still be revoked.
            let mut keys = batch.keys(&app)?.into_iter().flatten();
            let Some(mut key) = keys.find(|key| key.hash.id() == id) else {
                return Ok(RevokeKeyOutcome::Unknown);
            };
            if !key.is_active() {
                return Ok(RevokeKeyOutcome::AlreadyRevoked);
            }
            key.revoked_at = Some(now);
            batch.put_key(app, key)?;
            Ok(RevokeKeyOutcome::Revoked)
        })
        .await
    }

    async fn inbound_profile(&self) -> Result<Arc<InboundProfile>, Unavailable> {
        Ok(self.directory().profile())
    }
}

impl Batch<'_> {
    fn has_app(&self, id: &AppId) -> Result<bool, Fault> {
        let apps = self.transaction.open_table(APPS)?;
        let found = apps.get(id.as_str())?.is_some();
        Ok(found)
    }

    /// Writes an app, and adds its prefix and numbers to the profile. `present` is the profile in memory.
    fn put_app(&mut self, app: App, present: &InboundProfile) -> Result<(), Fault> {
        let name = app.id.as_str();
        let sealed = checked::write(&APPS, name.as_bytes(), &app)?;
        self.widen_profile(&app, present)?;
        self.transaction
            .open_table(APPS)?
            .insert(name, sealed.stored())?;
        self.announce(Change::App(Arc::new(app)));
        Ok(())
    }

    /// Adds an app's prefix and numbers to the profile, which keeps those of all present and former apps. A
    /// damaged profile is replaced by the one in memory.
    fn widen_profile(&mut self, app: &App, present: &InboundProfile) -> Result<(), Fault> {
        let mut meta = self.transaction.open_table(META)?;
        let stored = meta
            .get(PROFILE)?
            .map(|record| read_profile(record.value()));
        let is_damaged = matches!(stored, Some(Err(_)));
        let mut profile = match stored {
            Some(stored) => stored.unwrap_or_else(|_| present.clone()),
            None => InboundProfile::default(),
        };
        let InboundProfile {
            prefixes,
            recipients,
        } = InboundProfile::of([app]);
        let before = (profile.prefixes.len(), profile.recipients.len());
        profile.prefixes.extend(prefixes);
        for recipient in recipients {
            if !profile.recipients.contains(&recipient) {
                profile.recipients.push(recipient);
            }
        }
        if is_damaged || before != (profile.prefixes.len(), profile.recipients.len()) {
            let sealed = checked::write(&META, PROFILE.as_bytes(), &profile)?;
            meta.insert(PROFILE, sealed.as_bytes())?;
            self.announce(Change::Profile(profile));
        }
        Ok(())
    }

    fn keys(&self, app: &AppId) -> Result<Vec<Result<ApiKeyRecord, RecordError>>, Fault> {
        let table = self.transaction.open_table(KEYS)?;
        let (first, end) = keys_of(app);
        let mut keys = Vec::new();
        for entry in table.range(first.as_slice()..end.as_slice())? {
            let (key, record) = entry?;
            keys.push(read_key(key.value(), record.value()).map(|(_, key)| key));
        }
        Ok(keys)
    }

    fn put_key(&mut self, app: AppId, key: ApiKeyRecord) -> Result<(), Fault> {
        let place = key_key(&app, &key.hash);
        let sealed = checked::write(&KEYS, &place, &key)?;
        self.transaction
            .open_table(KEYS)?
            .insert(place.as_slice(), sealed.stored())?;
        self.announce(Change::Key(app, key));
        Ok(())
    }
}
