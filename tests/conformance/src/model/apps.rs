use std::collections::BTreeMap;
use std::sync::{Arc, MutexGuard, PoisonError};

use async_trait::async_trait;
use countersign_domain::app::api_key::{ApiKeyHash, ApiKeyId, ApiKeyRecord, MAX_ACTIVE_KEYS};
use countersign_domain::app::store::{
    AppStore, CreateAppOutcome, IssueKeyOutcome, KeyLookup, RevokeKeyOutcome, UpdateAppOutcome,
};
use countersign_domain::app::{App, InboundProfile};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

use super::ModelStore;

/// Apps with their API keys, and every version of every app.
#[derive(Debug, Default)]
pub(super) struct Apps {
    by_name: BTreeMap<AppId, Arc<App>>,
    keys: Vec<(AppId, ApiKeyRecord)>,
    history: Vec<Arc<App>>,
}

impl Apps {
    fn put(&mut self, app: App) {
        let app = Arc::new(app);
        self.history.push(Arc::clone(&app));
        self.by_name.insert(app.id.clone(), app);
    }

    fn keys_of(&self, app: &AppId) -> Vec<ApiKeyRecord> {
        let mut keys: Vec<ApiKeyRecord> = self
            .keys
            .iter()
            .filter(|(owner, _)| owner == app)
            .map(|(_, key)| key.clone())
            .collect();
        keys.sort_by_key(|key| (key.issued_at, key.hash));
        keys
    }
}

impl ModelStore {
    fn apps(&self) -> MutexGuard<'_, Apps> {
        self.apps.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl AppStore for ModelStore {
    async fn lookup_key(&self, hash: &ApiKeyHash) -> Result<KeyLookup, Unavailable> {
        let apps = self.apps();
        let Some((owner, key)) = apps.keys.iter().find(|(_, key)| key.hash == *hash) else {
            return Ok(KeyLookup::Unknown);
        };
        Ok(match apps.by_name.get(owner) {
            Some(app) if key.is_active() => KeyLookup::Active(Arc::clone(app)),
            _ => KeyLookup::Revoked,
        })
    }

    async fn find_app(&self, id: &AppId) -> Result<Option<Arc<App>>, Unavailable> {
        Ok(self.apps().by_name.get(id).cloned())
    }

    async fn list_apps(&self) -> Result<Vec<Arc<App>>, Unavailable> {
        Ok(self.apps().by_name.values().cloned().collect())
    }

    async fn create_app(&self, app: App) -> Result<CreateAppOutcome, Unavailable> {
        let mut apps = self.apps();
        if apps.by_name.contains_key(&app.id) {
            return Ok(CreateAppOutcome::NameTaken);
        }
        apps.put(app);
        Ok(CreateAppOutcome::Created)
    }

    async fn update_app(&self, app: App) -> Result<UpdateAppOutcome, Unavailable> {
        let mut apps = self.apps();
        if !apps.by_name.contains_key(&app.id) {
            return Ok(UpdateAppOutcome::Unknown);
        }
        apps.put(app);
        Ok(UpdateAppOutcome::Updated)
    }

    async fn issue_key(
        &self,
        app: &AppId,
        key: ApiKeyRecord,
    ) -> Result<IssueKeyOutcome, Unavailable> {
        let mut apps = self.apps();
        if !apps.by_name.contains_key(app) {
            return Ok(IssueKeyOutcome::UnknownApp);
        }
        if apps.keys.iter().any(|(_, known)| known.hash == key.hash) {
            let cause = "an API key with this hash already exists";
            return Err(Unavailable::new("app store: issue key", cause));
        }
        let active = apps
            .keys_of(app)
            .into_iter()
            .filter(ApiKeyRecord::is_active);
        if active.count() >= MAX_ACTIVE_KEYS {
            return Ok(IssueKeyOutcome::TooMany);
        }
        apps.keys.push((app.clone(), key));
        Ok(IssueKeyOutcome::Issued)
    }

    async fn list_keys(&self, app: &AppId) -> Result<Vec<ApiKeyRecord>, Unavailable> {
        Ok(self.apps().keys_of(app))
    }

    async fn revoke_key(
        &self,
        app: &AppId,
        key: &ApiKeyId,
        now: Timestamp,
    ) -> Result<RevokeKeyOutcome, Unavailable> {
        let mut apps = self.apps();
        let mut keys = apps.keys.iter_mut();
        let Some((_, key)) = keys.find(|(owner, k)| owner == app && k.hash.id() == *key) else {
            return Ok(RevokeKeyOutcome::Unknown);
        };
        if !key.is_active() {
            return Ok(RevokeKeyOutcome::AlreadyRevoked);
        }
        key.revoked_at = Some(now);
        Ok(RevokeKeyOutcome::Revoked)
    }

    async fn inbound_profile(&self) -> Result<Arc<InboundProfile>, Unavailable> {
        let apps = self.apps();
        let history = apps.history.iter().map(Arc::as_ref);
        Ok(Arc::new(InboundProfile::of(history)))
    }
}
