use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use countersign_conformance::model::ModelStore;
use countersign_conformance::suite;
use countersign_domain::app::api_key::{ApiKeyHash, ApiKeyId, ApiKeyRecord, MAX_ACTIVE_KEYS};
use countersign_domain::app::login::PayloadEncryption;
use countersign_domain::app::store::{
    AppStore, CreateAppOutcome, IssueKeyOutcome, KeyLookup, RevokeKeyOutcome, UpdateAppOutcome,
};
use countersign_domain::app::template::MessageTemplate;
use countersign_domain::app::{App, InboundProfile};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

/// A fault of an app store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Nothing,
    CreateOverwrites,
    CreateIsNotAtomic,
    ListedBackwards,
    UpdateCreates,
    TemplateLost,
    LoginLost,
    WhatsAppLost,
    LookupFromStaleCache,
    RevocationIsDelayed,
    RevokedIsUnknown,
    RevokesForAnyApp,
    SecondRevocationCounts,
    ThirdKeyIsIssued,
    LimitCountsRevoked,
    LimitIsNotAtomic,
    RefusedKeyWorks,
    KeysSortedByHash,
    KeysOfAppsWithSamePrefix,
    ReissuesKeys,
    ProfileForgetsEarlierSettings,
}

/// Each fault with the case that must catch it.
const FAULTS: &[(Fault, &str)] = &[
    (Fault::CreateOverwrites, "apps: new app is stored"),
    (Fault::CreateIsNotAtomic, "race: one of 64 apps"),
    (Fault::ListedBackwards, "apps: list is sorted"),
    (Fault::UpdateCreates, "apps: update takes effect"),
    (Fault::TemplateLost, "apps: every setting"),
    (Fault::LoginLost, "apps: every setting"),
    (Fault::WhatsAppLost, "apps: every setting"),
    (
        Fault::LookupFromStaleCache,
        "keys: lookup returns the current settings",
    ),
    (Fault::RevocationIsDelayed, "keys: lookup answers unknown"),
    (Fault::RevokedIsUnknown, "keys: lookup answers unknown"),
    (Fault::RevokesForAnyApp, "keys: apps can list and revoke"),
    (
        Fault::SecondRevocationCounts,
        "keys: lookup answers unknown",
    ),
    (Fault::ThirdKeyIsIssued, "keys: two can be active"),
    (Fault::LimitCountsRevoked, "keys: two can be active"),
    (Fault::LimitIsNotAtomic, "race: two of 64 keys"),
    (Fault::RefusedKeyWorks, "keys: two can be active"),
    (Fault::KeysSortedByHash, "keys: list starts with the oldest"),
    (
        Fault::KeysOfAppsWithSamePrefix,
        "keys: apps can list and revoke",
    ),
    (
        Fault::ReissuesKeys,
        "keys: issued key is never issued again",
    ),
    (
        Fault::ReissuesKeys,
        "random: store answers like the model, seed 1",
    ),
    (
        Fault::ProfileForgetsEarlierSettings,
        "profile: earlier prefixes",
    ),
];

#[tokio::test(start_paused = true)]
async fn every_fault_is_caught() {
    let make = async |fault| Arc::new(Broken::new(fault));
    suite::apps(async || make(Fault::Nothing).await)
        .await
        .assert_passed();
    let mut missed = Vec::new();
    for (fault, case) in FAULTS {
        let case = super::named(suite::app_cases(), case);
        let make = async || make(*fault).await as Arc<dyn AppStore>;
        missed.extend(super::caught(fault, &suite::run(vec![case], make).await).err());
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// The model with one fault.
struct Broken {
    model: ModelStore,
    fault: Fault,
    /// Keys that the model does not have.
    extra: Mutex<Vec<(AppId, ApiKeyRecord)>>,
    cached: Mutex<Vec<(ApiKeyHash, KeyLookup)>>,
}

impl Broken {
    fn new(fault: Fault) -> Self {
        Self {
            model: ModelStore::default(),
            fault,
            extra: Mutex::default(),
            cached: Mutex::default(),
        }
    }

    fn extra(&self, hash: &ApiKeyHash) -> Option<AppId> {
        let extra = self.extra.lock().ok()?;
        let found = extra.iter().find(|(_, key)| key.hash == *hash);
        found.map(|(app, _)| app.clone())
    }

    fn add(&self, app: &AppId, key: ApiKeyRecord) {
        if let Ok(mut extra) = self.extra.lock() {
            extra.push((app.clone(), key));
        }
    }
}

#[async_trait]
impl AppStore for Broken {
    async fn lookup_key(&self, hash: &ApiKeyHash) -> Result<KeyLookup, Unavailable> {
        if let Some(app) = self
            .extra(hash)
            .filter(|_| self.fault == Fault::RefusedKeyWorks)
        {
            let app = self.model.find_app(&app).await?;
            return Ok(app.map_or(KeyLookup::Unknown, KeyLookup::Active));
        }
        let mut found = self.model.lookup_key(hash).await?;
        if let Ok(mut cached) = self.cached.lock() {
            let old = cached.iter().find(|(known, _)| known == hash);
            match (self.fault, old, &found) {
                (Fault::LookupFromStaleCache, Some((_, old)), KeyLookup::Active(_))
                | (Fault::RevocationIsDelayed, Some((_, old)), KeyLookup::Revoked) => {
                    found = old.clone();
                }
                (Fault::RevokedIsUnknown, _, KeyLookup::Revoked) => found = KeyLookup::Unknown,
                (_, _, KeyLookup::Active(_)) => cached.push((*hash, found.clone())),
                _ => {}
            }
        }
        Ok(found)
    }

    async fn find_app(&self, id: &AppId) -> Result<Option<Arc<App>>, Unavailable> {
        self.model.find_app(id).await
    }

    async fn list_apps(&self) -> Result<Vec<Arc<App>>, Unavailable> {
        let mut apps = self.model.list_apps().await?;
        if self.fault == Fault::ListedBackwards {
            apps.reverse();
        }
        Ok(apps)
    }

    async fn create_app(&self, mut app: App) -> Result<CreateAppOutcome, Unavailable> {
        match self.fault {
            Fault::CreateOverwrites => {
                self.model.create_app(app.clone()).await?;
                self.model.update_app(app).await?;
                return Ok(CreateAppOutcome::Created);
            }
            Fault::CreateIsNotAtomic => {
                let there = self.model.find_app(&app.id).await?.is_some();
                tokio::task::yield_now().await;
                if !there {
                    self.model.create_app(app.clone()).await?;
                    self.model.update_app(app).await?;
                    return Ok(CreateAppOutcome::Created);
                }
                return Ok(CreateAppOutcome::NameTaken);
            }
            Fault::TemplateLost => app.template = MessageTemplate::default(),
            Fault::WhatsAppLost => app.whatsapp = None,
            Fault::LoginLost => app.login.payload_encryption = PayloadEncryption::Required,
            _ => {}
        }
        self.model.create_app(app).await
    }

    async fn update_app(&self, app: App) -> Result<UpdateAppOutcome, Unavailable> {
        if self.fault == Fault::UpdateCreates {
            self.model.create_app(app.clone()).await?;
        }
        self.model.update_app(app).await
    }

    async fn issue_key(
        &self,
        app: &AppId,
        key: ApiKeyRecord,
    ) -> Result<IssueKeyOutcome, Unavailable> {
        let keys = self.model.list_keys(app).await?;
        let active = keys.iter().filter(|key| key.is_active()).count();
        match self.fault {
            Fault::ThirdKeyIsIssued if active == MAX_ACTIVE_KEYS => {
                self.add(app, key);
                return Ok(IssueKeyOutcome::Issued);
            }
            Fault::LimitCountsRevoked if keys.len() >= MAX_ACTIVE_KEYS => {
                return Ok(IssueKeyOutcome::TooMany);
            }
            Fault::LimitIsNotAtomic => {
                tokio::task::yield_now().await;
                if active < MAX_ACTIVE_KEYS {
                    self.add(app, key.clone());
                    let _ = self.model.issue_key(app, key).await?;
                    return Ok(IssueKeyOutcome::Issued);
                }
            }
            Fault::RefusedKeyWorks if active == MAX_ACTIVE_KEYS => self.add(app, key.clone()),
            Fault::ReissuesKeys
                if self.model.lookup_key(&key.hash).await? != KeyLookup::Unknown =>
            {
                return Ok(IssueKeyOutcome::Issued);
            }
            _ => {}
        }
        self.model.issue_key(app, key).await
    }

    async fn list_keys(&self, app: &AppId) -> Result<Vec<ApiKeyRecord>, Unavailable> {
        let mut keys = self.model.list_keys(app).await?;
        match self.fault {
            Fault::KeysSortedByHash => keys.sort_by_key(|key| key.hash),
            Fault::KeysOfAppsWithSamePrefix => {
                for other in self.model.list_apps().await? {
                    let longer = other.id.as_str().starts_with(app.as_str());
                    if longer && other.id != *app {
                        keys.extend(self.model.list_keys(&other.id).await?);
                    }
                }
            }
            _ => {}
        }
        Ok(keys)
    }

    async fn revoke_key(
        &self,
        app: &AppId,
        key: &ApiKeyId,
        now: Timestamp,
    ) -> Result<RevokeKeyOutcome, Unavailable> {
        let outcome = self.model.revoke_key(app, key, now).await?;
        match (self.fault, outcome) {
            (Fault::SecondRevocationCounts, RevokeKeyOutcome::AlreadyRevoked) => {
                Ok(RevokeKeyOutcome::Revoked)
            }
            (Fault::RevokesForAnyApp, RevokeKeyOutcome::Unknown) => {
                for app in self.model.list_apps().await? {
                    if self.model.revoke_key(&app.id, key, now).await? == RevokeKeyOutcome::Revoked
                    {
                        return Ok(RevokeKeyOutcome::Revoked);
                    }
                }
                Ok(outcome)
            }
            _ => Ok(outcome),
        }
    }

    async fn inbound_profile(&self) -> Result<Arc<InboundProfile>, Unavailable> {
        if self.fault == Fault::ProfileForgetsEarlierSettings {
            let apps = self.model.list_apps().await?;
            return Ok(Arc::new(InboundProfile::of(apps.iter().map(Arc::as_ref))));
        }
        self.model.inbound_profile().await
    }
}
