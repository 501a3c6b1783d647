//! Apps, API keys and the profile in memory, so that looking them up does not touch the disk.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use countersign_domain::app::api_key::{ApiKeyHash, ApiKeyRecord};
use countersign_domain::app::store::KeyLookup;
use countersign_domain::app::{App, InboundProfile};
use countersign_domain::primitives::ids::AppId;
use redb::{Database, ReadableDatabase, ReadableTable};

use super::app_records::{read_app, read_key, read_profile};
use super::checked::RecordError;
use super::fault::Fault;
use super::tables::{APPS, KEYS, META, PROFILE, read_key_key};

/// A change that is on disk and that the directory has to take over.
pub(super) enum Change {
    App(Arc<App>),
    Key(AppId, ApiKeyRecord),
    Profile(InboundProfile),
}

/// All apps with their API keys, and the profile.
#[derive(Debug, Default)]
pub(super) struct Directory {
    apps: BTreeMap<AppId, Arc<App>>,
    /// API keys of each app, oldest first.
    keys: BTreeMap<AppId, Vec<ApiKeyRecord>>,
    owners: HashMap<ApiKeyHash, AppId>,
    damaged_apps: BTreeMap<AppId, RecordError>,
    damaged_keys: HashMap<ApiKeyHash, RecordError>,
    profile: Arc<InboundProfile>,
}

impl Directory {
    /// Reads the directory from the file. Damaged records are logged; all others stay usable.
    pub(super) fn load(database: &Database) -> Result<Self, Fault> {
        let transaction = database.begin_read()?;
        let mut directory = Self::default();
        for entry in transaction.open_table(APPS)?.iter()? {
            let (name, record) = entry?;
            match read_app(name.value(), record.value()) {
                Ok(app) => directory.apply(Change::App(Arc::new(app))),
                Err(cause) => directory.damaged_app(name.value(), cause),
            }
        }
        for entry in transaction.open_table(KEYS)?.iter()? {
            let (place, record) = entry?;
            match read_key(place.value(), record.value()) {
                Ok((app, key)) => directory.apply(Change::Key(app, key)),
                Err(cause) => directory.damaged_key(place.value(), cause),
            }
        }
        match transaction.open_table(META)?.get(PROFILE)? {
            None => {}
            Some(record) => directory.read_profile(record.value()),
        }
        Ok(directory)
    }

    fn damaged_app(&mut self, name: &str, cause: RecordError) {
        tracing::error!(app = ?name, %cause, "cannot read an app; its requests are refused");
        if let Ok(id) = name.parse::<AppId>() {
            self.damaged_apps.insert(id, cause);
        }
    }

    fn damaged_key(&mut self, place: &[u8], cause: RecordError) {
        let found = read_key_key(place);
        let app = found.as_ref().map(|(app, _)| tracing::field::display(app));
        tracing::error!(app, %cause, "cannot read an API key; it is refused");
        if let Some((_, hash)) = found {
            self.damaged_keys.insert(hash, cause);
        }
    }

    /// Reads the profile. If it is damaged, the prefixes and numbers of the readable apps replace it.
    fn read_profile(&mut self, bytes: &[u8]) {
        let profile = read_profile(bytes).unwrap_or_else(|cause| {
            tracing::error!(%cause, "cannot read the prefixes and numbers of former apps");
            InboundProfile::of(self.apps.values().map(AsRef::as_ref))
        });
        self.apply(Change::Profile(profile));
    }

    pub(super) fn apply(&mut self, change: Change) {
        match change {
            Change::App(app) => {
                self.apps.insert(app.id.clone(), app);
            }
            Change::Key(app, key) => {
                self.owners.insert(key.hash, app.clone());
                let keys = self.keys.entry(app).or_default();
                keys.retain(|known| known.hash != key.hash);
                keys.push(key);
                keys.sort_by_key(|key| (key.issued_at, key.hash));
            }
            Change::Profile(profile) => self.profile = Arc::new(profile),
        }
    }

    pub(super) fn lookup(&self, hash: &ApiKeyHash) -> Result<KeyLookup, RecordError> {
        if let Some(cause) = self.damaged_keys.get(hash) {
            return Err(*cause);
        }
        let found = self.owners.get(hash).and_then(|id| {
            let key = self.keys.get(id)?.iter().find(|key| key.hash == *hash)?;
            Some((id, key))
        });
        let Some((id, key)) = found else {
            return Ok(KeyLookup::Unknown);
        };
        if !key.is_active() {
            return Ok(KeyLookup::Revoked);
        }
        // Apps are never removed, so a missing one was lost to damage.
        let app = self.app(id)?.ok_or(RecordError::Damaged)?;
        Ok(KeyLookup::Active(app))
    }

    pub(super) fn app(&self, id: &AppId) -> Result<Option<Arc<App>>, RecordError> {
        match self.damaged_apps.get(id) {
            Some(cause) => Err(*cause),
            None => Ok(self.apps.get(id).cloned()),
        }
    }

    pub(super) fn apps(&self) -> Vec<Arc<App>> {
        self.apps.values().cloned().collect()
    }

    pub(super) fn keys(&self, id: &AppId) -> Vec<ApiKeyRecord> {
        self.keys.get(id).cloned().unwrap_or_default()
    }

    pub(super) fn profile(&self) -> Arc<InboundProfile> {
        Arc::clone(&self.profile)
    }
}
