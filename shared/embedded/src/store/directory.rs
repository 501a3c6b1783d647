//! Apps, keys and profile in memory, as the file has them: looking one up touches no disk.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use countersign_domain::api_key::{ApiKeyHash, ApiKeyRecord};
use countersign_domain::app::{App, InboundProfile};
use countersign_domain::ids::AppId;
use countersign_domain::ports::KeyLookup;
use redb::{Database, ReadableDatabase, ReadableTable};

use super::fault::Fault;
use super::tables::{APPS, KEYS, META, PROFILE, read_key_key};
use crate::record::{RecordError, decode_app, decode_key, decode_profile};

/// What changed on disk.
pub(super) enum Change {
    App(Arc<App>),
    Key(AppId, ApiKeyRecord),
    Profile(InboundProfile),
}

/// All apps with their keys.
#[derive(Debug, Default)]
pub(super) struct Directory {
    apps: BTreeMap<AppId, Arc<App>>,
    /// The oldest first.
    keys: BTreeMap<AppId, Vec<ApiKeyRecord>>,
    owners: HashMap<ApiKeyHash, AppId>,
    profile: Arc<InboundProfile>,
}

impl Directory {
    pub(super) fn load(database: &Database) -> Result<Self, Fault> {
        let transaction = database.begin_read()?;
        let mut directory = Self::default();
        for entry in transaction.open_table(APPS)?.iter()? {
            let (name, record) = entry?;
            let id = AppId::parse(name.value()).map_err(|_| RecordError::Member("app"))?;
            directory.apply(Change::App(Arc::new(decode_app(id, record.value())?)));
        }
        for entry in transaction.open_table(KEYS)?.iter()? {
            let (key, record) = entry?;
            let (app, hash) = read_key_key(key.value()).ok_or(RecordError::Member("key"))?;
            directory.apply(Change::Key(app, decode_key(hash, record.value())?));
        }
        if let Some(record) = transaction.open_table(META)?.get(PROFILE)? {
            directory.apply(Change::Profile(decode_profile(record.value())?));
        }
        Ok(directory)
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

    pub(super) fn lookup(&self, hash: &ApiKeyHash) -> KeyLookup {
        let found = self.owners.get(hash).and_then(|id| {
            let key = self.keys.get(id)?.iter().find(|key| key.hash == *hash)?;
            Some((key, self.apps.get(id)?))
        });
        match found {
            Some((key, app)) if key.is_active() => KeyLookup::Active(Arc::clone(app)),
            Some(_) => KeyLookup::Revoked,
            None => KeyLookup::Unknown,
        }
    }

    pub(super) fn app(&self, id: &AppId) -> Option<Arc<App>> {
        self.apps.get(id).cloned()
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
