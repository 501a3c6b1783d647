//! Apps. An app and its API keys are one document, so issuing a key, revoking a key and changing the
//! app each take one conditional write.

use std::sync::Arc;

use futures_util::future::join_all;

use super::cache::CachedApp;
use super::document::{AppDocument, Candidates, Key, KeyOwner};
use super::items::Collection;
use super::{BEFORE_ANY_PURGE, MAX_DECISIONS, StartResult, Store, entity, others_keep_changing};
use crate::app::api_key::{ApiKeyHash, ApiKeyId, ApiKeyRecord, KeyMode, MAX_ACTIVE_KEYS};
use crate::app::login::WebPhoneRefusal;
use crate::app::{App, AppKey, InboundProfile};
use crate::delivery::Decision;
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;
use crate::web::link_host::LinkHost;

/// Maximum number of apps that a host reads on start. Few deployments have more, and each app takes
/// less than a kilobyte.
const FIRST_APPS: usize = 50;

const COLLISION: &str = "an API key with this hash already exists";

impl Store {
    /// Reads the first apps with their keys, so that the first request of each app needs no read for its
    /// key. An app that cannot be read is skipped: requests with its keys fail with the error.
    ///
    /// # Errors
    /// Fails if apps cannot be listed.
    pub async fn read_first_apps(&self) -> Result<(), Unavailable> {
        let (now, since) = (self.clock.now(), self.apps.since());
        for app in self.read_apps(FIRST_APPS).await?.into_iter().flatten() {
            let app = cached(app);
            for key in app.keys.iter() {
                self.apps.put_owner(key.hash, app.app.id.clone());
            }
            self.apps.put(app, now, since);
        }
        Ok(())
    }

    async fn read_apps(
        &self,
        limit: usize,
    ) -> Result<Vec<Result<AppDocument, Unavailable>>, Unavailable> {
        let apps = self.items.list(Collection::Apps, limit).await?.into_iter();
        Ok(apps.map(|app| entity(app?)).collect())
    }

    pub(super) async fn app_document(
        &self,
        id: &AppId,
    ) -> Result<Option<AppDocument>, Unavailable> {
        self.present_or_deleted(id).await.map(live)
    }

    async fn present_or_deleted(&self, id: &AppId) -> Result<Option<AppDocument>, Unavailable> {
        self.get(Key::App(id.clone())).await
    }

    async fn owner_of(&self, key: &ApiKeyHash) -> Result<Option<AppId>, Unavailable> {
        let owner = self.get::<KeyOwner>(Key::ApiKey(*key)).await?;
        Ok(owner.map(|owner| owner.app))
    }

    /// Reads an app, even if it is deleted, and caches it.
    pub(super) async fn read_app(&self, id: &AppId) -> Result<Option<CachedApp>, Unavailable> {
        let (now, since) = (self.clock.now(), self.apps.since());
        let Some(app) = self.present_or_deleted(id).await? else {
            return Ok(None);
        };
        let app = cached(app);
        self.apps.put(app.clone(), now, since);
        Ok(Some(app))
    }

    /// Reads an app, even if it is deleted, unless it is cached.
    async fn known_app(&self, id: &AppId) -> Result<Option<CachedApp>, Unavailable> {
        match self.apps.app(id, self.clock.now()) {
            Some(known) => Ok(Some(known)),
            None => self.read_app(id).await,
        }
    }

    /// Returns the candidates for an app key or a link host whose own documents have it too, ordered by id.
    /// Reads them again if no cached candidate has it.
    ///
    /// An app that cannot be read is skipped if another one is found, because several apps may share a
    /// link host.
    async fn apps_under(
        &self,
        key: Key,
        fits: impl Fn(&App) -> bool,
    ) -> Result<Vec<Arc<App>>, Unavailable> {
        if let Some(known) = self.apps.candidates(&key, self.clock.now()) {
            let apps = join_all(known.apps.iter().map(|id| self.known_app(id))).await;
            let found = fitting(apps, &fits);
            if !matches!(&found, Ok(found) if found.is_empty()) {
                return found;
            }
        }
        let (now, since) = (self.clock.now(), self.apps.since());
        let Some(candidates) = self.get::<Candidates>(key.clone()).await? else {
            return Ok(Vec::new());
        };
        let apps = join_all(candidates.apps.iter().map(|id| self.read_app(id))).await;
        let found = fitting(apps, &fits)?;
        if !found.is_empty() {
            self.apps.put_candidates(key, candidates, now, since);
        }
        Ok(found)
    }

    /// Makes an app a candidate for an app key. Must be called before the app is written, so that the app can be
    /// found as soon as it is.
    async fn add_candidate(&self, key: Key, app: &AppId) -> Result<(), Unavailable> {
        let decide = |candidates: Option<Candidates>| {
            let mut after = candidates.unwrap_or_default();
            let is_new = after.apps.insert(app.clone());
            Decision {
                write: is_new.then_some(after),
                outcome: (),
            }
        };
        self.change(key, decide).await
    }

    /// Adds an app's prefix and numbers to the profile. Must be called before the app is
    /// written, so that no confirmation has a prefix or number whose texts would be refused.
    async fn widen_profile(&self, app: &App) -> Result<(), Unavailable> {
        let decide = |profile: Option<InboundProfile>| {
            let before = profile.unwrap_or_default();
            let after = before.clone().with(app);
            Decision {
                write: (after != before).then_some(after),
                outcome: (),
            }
        };
        self.change(Key::Profile, decide).await
    }

    /// Changes an app's document, and removes it from the cache. A deleted app counts as absent.
    pub(super) async fn change_document<O>(
        &self,
        id: &AppId,
        decide: impl Fn(Option<AppDocument>) -> Decision<AppDocument, O>,
    ) -> Result<O, Unavailable> {
        let decide = |current| decide(live(current));
        let changed = self.change(Key::App(id.clone()), decide).await;
        self.apps.written(id);
        changed
    }
}

impl Store {
    /// Finds the app of an API key. The answer may come from a cache that is at most 60 s old; a key
    /// revoked by this process counts as revoked immediately.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn lookup_key(&self, hash: &ApiKeyHash) -> Result<KeyLookup, Unavailable> {
        let now = self.clock.now();
        let known = self.apps.owner(hash);
        let owner = match &known {
            Some(owner) => owner.clone(),
            None => match self.owner_of(hash).await? {
                Some(owner) => owner,
                None => return Ok(KeyLookup::Unknown),
            },
        };
        let mut found = self
            .apps
            .app(&owner, now)
            .and_then(|app| answer(&app, hash));
        if found.is_none() {
            // The key is not cached, or is newer than the cached app.
            let Some(app) = self.read_app(&owner).await? else {
                return Ok(KeyLookup::Unknown);
            };
            found = answer(&app, hash);
        }
        let Some(found) = found else {
            return Ok(KeyLookup::Unknown);
        };
        if known.is_none() {
            self.apps.put_owner(*hash, owner);
        }
        Ok(found)
    }

    /// Finds an app by its id.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn find_app(&self, id: &AppId) -> Result<Option<Arc<App>>, Unavailable> {
        let found = self.app_document(id).await?;
        Ok(found.map(|found| Arc::new(found.app)))
    }

    /// Finds an app by its id, even if it is deleted. The answer may come from a cache that is at most 60 s
    /// old.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn lookup_app(&self, id: &AppId) -> Result<Option<Arc<App>>, Unavailable> {
        Ok(self.known_app(id).await?.map(|known| known.app))
    }

    /// Returns all apps, ordered by id, and the number of apps that were skipped because they cannot be read.
    /// Apps created in the last few seconds may be missing.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn list_apps(&self) -> Result<(Vec<Arc<App>>, usize), Unavailable> {
        let (mut readable, mut unreadable) = (Vec::new(), 0);
        for app in self.read_apps(usize::MAX).await? {
            match app {
                Ok(app) if app.is_deleted() => {}
                Ok(app) => readable.push(Arc::new(app.app)),
                Err(_) => unreadable += 1,
            }
        }
        Ok((readable, unreadable))
    }

    /// Finds an app by its public key. The answer may come from a cache that is at most 60 s old.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn lookup_app_key(&self, key: &AppKey) -> Result<Option<Arc<App>>, Unavailable> {
        let found = self.apps_under(Key::AppKey(key.clone()), |app| app.app_key == *key);
        Ok(found.await?.into_iter().next())
    }

    /// Finds the apps whose links have this host, ordered by id; several apps may share a host. The answer
    /// may come from a cache that is at most 60 s old.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn apps_of_link_host(&self, host: &LinkHost) -> Result<Vec<Arc<App>>, Unavailable> {
        let of_host = |app: &App| app.login.link_host.as_ref() == Some(host);
        self.apps_under(Key::LinkHost(host.clone()), of_host).await
    }

    /// Stores a new app, unless another app has or had its id, or one at its link host forbids it.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn create_app(&self, app: App) -> Result<CreateAppOutcome, Unavailable> {
        for _ in 0..MAX_DECISIONS {
            // The write itself decides. These reads only keep a refused app out of what is written before.
            if let Some(present) = self.present_or_deleted(&app.id).await? {
                return Ok(name_taken(&present));
            }
            let at_host = match self.taken_host(&app, None).await? {
                Ok(at_host) => at_host,
                Err(refusal) => return Ok(CreateAppOutcome::HostRefused(refusal)),
            };
            self.widen_profile(&app).await?;
            let key = Key::AppKey(app.app_key.clone());
            self.add_candidate(key, &app.id).await?;
            let new = AppDocument {
                app: app.clone(),
                keys: Vec::new(),
                client_secrets: Vec::new(),
                deleted_at: None,
            };
            if self.write_app(None, new, at_host).await? {
                return Ok(CreateAppOutcome::Created);
            }
        }
        Err(others_keep_changing())
    }

    /// Changes an app. `decide` gets the current app and returns the changed one, or a refusal. It is called
    /// again if another caller has changed the app in the meantime, so no change is lost.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn change_app<R>(
        &self,
        id: &AppId,
        decide: impl Fn(App) -> Result<App, R>,
    ) -> Result<ChangeAppOutcome<R>, Unavailable> {
        for _ in 0..MAX_DECISIONS {
            let read = self.read::<AppDocument>(Key::App(id.clone())).await?;
            let Some(current) = live(read.entity) else {
                return Ok(ChangeAppOutcome::Unknown);
            };
            let app = match decide(current.app.clone()) {
                Ok(app) => app,
                Err(why) => return Ok(ChangeAppOutcome::Refused(why)),
            };
            let at_host = match self.taken_host(&app, Some(&current.app)).await? {
                Ok(at_host) => at_host,
                Err(refusal) => return Ok(ChangeAppOutcome::HostRefused(refusal)),
            };
            self.widen_profile(&app).await?;
            if app.app_key != current.app.app_key {
                let key = Key::AppKey(app.app_key.clone());
                self.add_candidate(key, id).await?;
            }
            let changed = ChangeAppOutcome::Changed(app.clone().into());
            if app == current.app {
                return Ok(changed);
            }
            let new = AppDocument { app, ..current };
            if self.write_app(read.stored, new, at_host).await? {
                return Ok(changed);
            }
        }
        Err(others_keep_changing())
    }

    /// Deletes an app and revokes its keys. Its confirmations and logins continue to their end.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn delete_app(
        &self,
        app: &AppId,
        now: Timestamp,
    ) -> Result<DeleteAppOutcome, Unavailable> {
        let decide = |current: Option<AppDocument>| {
            let Some(mut current) = current else {
                return Decision::refuse(DeleteAppOutcome::Unknown);
            };
            current.deleted_at = Some(now);
            for key in &mut current.keys {
                key.revoked_at.get_or_insert(now);
            }
            for secret in &mut current.client_secrets {
                secret.revoked_at.get_or_insert(now);
            }
            Decision {
                outcome: DeleteAppOutcome::Deleted,
                write: Some(current),
            }
        };
        self.change_document(app, decide).await
    }

    /// Adds a key to an app, unless it has too many.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn issue_key(
        &self,
        app: &AppId,
        key: ApiKeyRecord,
    ) -> Result<IssueKeyOutcome, Unavailable> {
        // The change itself decides. These reads only prevent refused keys from leaving a pointer
        // behind.
        let Some(current) = self.app_document(app).await? else {
            return Ok(IssueKeyOutcome::UnknownApp);
        };
        let collision = || Unavailable::new("store: issue key", COLLISION);
        let owner = self.owner_of(&key.hash).await?;
        if owner.is_some_and(|owner| owner != *app)
            || current.keys.iter().any(|known| known.hash == key.hash)
        {
            return Err(collision());
        }
        if has_too_many(&current, key.mode) {
            return Ok(IssueKeyOutcome::TooMany);
        }
        let pointer = Key::ApiKey(key.hash);
        let started = self
            .put_new(
                &pointer,
                KeyOwner { app: app.clone() },
                BEFORE_ANY_PURGE,
                None,
            )
            .await?;
        if let StartResult::Present(owner) = started
            && owner.app != *app
        {
            return Err(collision());
        }
        let decide = |current: Option<AppDocument>| match current {
            None => Decision::refuse(IssueKeyOutcome::UnknownApp),
            Some(current) if has_too_many(&current, key.mode) => {
                Decision::refuse(IssueKeyOutcome::TooMany)
            }
            Some(mut current) => {
                if !current.keys.iter().any(|known| known.hash == key.hash) {
                    current.keys.push(key.clone());
                }
                Decision {
                    outcome: IssueKeyOutcome::Issued,
                    write: Some(current),
                }
            }
        };
        self.change_document(app, decide).await
    }

    /// Returns an app's keys, including revoked ones, oldest first; empty if there is no such app.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn list_keys(&self, app: &AppId) -> Result<Vec<ApiKeyRecord>, Unavailable> {
        let mut keys = self
            .app_document(app)
            .await?
            .map_or_else(Vec::new, |app| app.keys);
        keys.sort_by_key(|key| (key.issued_at, key.hash));
        Ok(keys)
    }

    /// Revokes an app's key.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn revoke_key(
        &self,
        app: &AppId,
        key: &ApiKeyId,
        now: Timestamp,
    ) -> Result<RevokeKeyOutcome, Unavailable> {
        let decide = |current: Option<AppDocument>| {
            let Some(mut current) = current else {
                return Decision::refuse(RevokeKeyOutcome::Unknown);
            };
            let known = current
                .keys
                .iter_mut()
                .find(|known| known.hash.id() == *key);
            match known {
                None => Decision::refuse(RevokeKeyOutcome::Unknown),
                Some(known) if !known.is_active() => {
                    Decision::refuse(RevokeKeyOutcome::AlreadyRevoked)
                }
                Some(known) => {
                    known.revoked_at = Some(now);
                    Decision {
                        outcome: RevokeKeyOutcome::Revoked,
                        write: Some(current),
                    }
                }
            }
        };
        self.change_document(app, decide).await
    }

    /// Returns the prefixes and numbers that any app has or had: open confirmations refer to former
    /// ones.
    ///
    /// If this document is corrupt, the apps' current prefixes and numbers are used, so that texts to
    /// other apps do not fail.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn inbound_profile(&self) -> Result<Arc<InboundProfile>, Unavailable> {
        let now = self.clock.now();
        let profile = match self.get::<InboundProfile>(Key::Profile).await {
            Err(error) if error.is_damage() => {
                let (apps, _) = self.list_apps().await?;
                let none = InboundProfile::default();
                Some(apps.iter().fold(none, |profile, app| profile.with(app)))
            }
            profile => profile?,
        };
        let profile = Arc::new(profile.unwrap_or_default());
        self.apps.put_profile(Arc::clone(&profile), now);
        Ok(profile)
    }

    /// Returns the profile if it was read within the last minute. Prefixes and numbers added since
    /// may be missing: before a text is refused because of them, the profile must be read again.
    #[must_use]
    pub fn known_profile(&self) -> Option<Arc<InboundProfile>> {
        self.apps.profile(self.clock.now())
    }
}

/// Returns the app unless it is deleted.
fn live(found: Option<AppDocument>) -> Option<AppDocument> {
    found.filter(|found| !found.is_deleted())
}

const fn name_taken(by: &AppDocument) -> CreateAppOutcome {
    if by.is_deleted() {
        CreateAppOutcome::NameOfDeleted
    } else {
        CreateAppOutcome::NameTaken
    }
}

/// Returns the apps that match and are not deleted. Fails if none matches and one cannot be read, because it
/// might match.
fn fitting(
    apps: Vec<Result<Option<CachedApp>, Unavailable>>,
    fits: impl Fn(&App) -> bool,
) -> Result<Vec<Arc<App>>, Unavailable> {
    let (mut found, mut failure) = (Vec::new(), None);
    for app in apps {
        match app {
            Ok(Some(app)) if !app.is_deleted && fits(&app.app) => found.push(app.app),
            Ok(_) => {}
            Err(cause) => failure = Some(cause),
        }
    }
    match failure {
        Some(cause) if found.is_empty() => Err(cause),
        _ => Ok(found),
    }
}

fn cached(document: AppDocument) -> CachedApp {
    let is_deleted = document.is_deleted();
    let AppDocument {
        app,
        keys,
        client_secrets,
        ..
    } = document;
    CachedApp {
        is_deleted,
        app: Arc::new(app),
        keys: keys.into(),
        client_secrets: client_secrets.into(),
    }
}

/// Returns the state of an app's key, or `None` if the app has no such key.
fn answer(app: &CachedApp, hash: &ApiKeyHash) -> Option<KeyLookup> {
    let key = app.keys.iter().find(|key| key.hash == *hash)?;
    Some(if key.is_active() {
        KeyLookup::Active(Arc::clone(&app.app))
    } else {
        KeyLookup::Revoked
    })
}

fn has_too_many(app: &AppDocument, mode: KeyMode) -> bool {
    let active = app
        .keys
        .iter()
        .filter(|key| key.is_active() && key.mode == mode);
    active.count() >= MAX_ACTIVE_KEYS
}

/// The result of looking up a presented API key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyLookup {
    /// The key belongs to this app.
    Active(Arc<App>),
    Revoked,
    /// The key was never issued.
    Unknown,
}

/// The result of creating an app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CreateAppOutcome {
    Created,
    /// Another app already has this id.
    NameTaken,
    /// A deleted app had this id. A new app could take over its remaining confirmations and logins.
    NameOfDeleted,
    /// The app cannot have its link host.
    HostRefused(WebPhoneRefusal),
}

/// The result of changing an app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeAppOutcome<R> {
    /// The app was changed to this.
    Changed(Box<App>),
    /// The decision refused the change.
    Refused(R),
    /// The app cannot have its link host.
    HostRefused(WebPhoneRefusal),
    /// There is no such app.
    Unknown,
}

/// The result of deleting an app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeleteAppOutcome {
    Deleted,
    /// There is no such app.
    Unknown,
}

/// The result of issuing a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IssueKeyOutcome {
    Issued,
    /// The app already has [`crate::app::api_key::MAX_ACTIVE_KEYS`] active keys.
    TooMany,
    /// There is no such app.
    UnknownApp,
}

/// The result of revoking a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RevokeKeyOutcome {
    Revoked,
    /// The key was already revoked.
    AlreadyRevoked,
    /// The app has no such key.
    Unknown,
}
