//! Cache of recently read apps, for the requests of the next minute.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::document::{Candidates, Key};
use crate::app::api_key::{ApiKeyHash, ApiKeyRecord};
use crate::app::client_secret::ClientSecretRecord;
use crate::app::{App, InboundProfile};
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;

/// Maximum age of a cached app. A revoked key stops working everywhere within this time.
pub(super) const MAX_AGE: Duration = Duration::from_mins(1);

/// An app with its keys and client secrets.
#[derive(Clone, Debug)]
pub(super) struct CachedApp {
    pub(super) app: Arc<App>,
    pub(super) keys: Arc<[ApiKeyRecord]>,
    pub(super) client_secrets: Arc<[ClientSecretRecord]>,
    pub(super) is_deleted: bool,
}

/// The cache of apps, their keys and their hosts. It contains only existing apps, and keys and hosts that
/// they have, so callers cannot make it grow.
#[derive(Debug, Default)]
pub(super) struct Apps(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Number of writes so far. Data that was read before the last write is not cached.
    writes: u64,
    /// Each app, and the time just before it was read.
    apps: HashMap<AppId, (CachedApp, Timestamp)>,
    /// The app of each key, which never changes.
    owners: HashMap<ApiKeyHash, AppId>,
    /// The candidates for each app key or link host.
    candidates: HashMap<Key, (Candidates, Timestamp)>,
    profile: Option<(Arc<InboundProfile>, Timestamp)>,
}

/// The number of writes before a read started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Since(u64);

impl Apps {
    pub(super) fn since(&self) -> Since {
        Since(self.state().writes)
    }

    pub(super) fn app(&self, id: &AppId, now: Timestamp) -> Option<CachedApp> {
        let state = self.state();
        let (app, read_at) = state.apps.get(id)?;
        is_young(*read_at, now, MAX_AGE).then(|| app.clone())
    }

    /// Caches an app, unless a write has happened since the read started.
    pub(super) fn put(&self, app: CachedApp, read_at: Timestamp, since: Since) {
        let mut state = self.state();
        if state.writes == since.0 {
            state.apps.insert(app.app.id.clone(), (app, read_at));
        }
    }

    pub(super) fn owner(&self, key: &ApiKeyHash) -> Option<AppId> {
        self.state().owners.get(key).cloned()
    }

    /// Caches the app of a key, which the app's own document must list.
    pub(super) fn put_owner(&self, key: ApiKeyHash, app: AppId) {
        self.state().owners.insert(key, app);
    }

    pub(super) fn candidates(&self, key: &Key, now: Timestamp) -> Option<Candidates> {
        let state = self.state();
        let (candidates, read_at) = state.candidates.get(key)?;
        is_young(*read_at, now, MAX_AGE).then(|| candidates.clone())
    }

    /// Caches the candidates for a key, one of which must have it, unless a write has happened since the read
    /// started.
    pub(super) fn put_candidates(
        &self,
        key: Key,
        candidates: Candidates,
        read_at: Timestamp,
        since: Since,
    ) {
        let mut state = self.state();
        if state.writes == since.0 {
            state.candidates.insert(key, (candidates, read_at));
        }
    }

    pub(super) fn profile(&self, now: Timestamp) -> Option<Arc<InboundProfile>> {
        let state = self.state();
        let (profile, read_at) = state.profile.as_ref()?;
        is_young(*read_at, now, MAX_AGE).then(|| Arc::clone(profile))
    }

    pub(super) fn put_profile(&self, profile: Arc<InboundProfile>, read_at: Timestamp) {
        self.state().profile = Some((profile, read_at));
    }

    /// Removes an app that was written, or may have been.
    pub(super) fn written(&self, id: &AppId) {
        let mut state = self.state();
        state.writes += 1;
        state.apps.remove(id);
        state.candidates.clear();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns whether cached data is younger than `longest`. After a clock was set back, the age is
/// unknown.
fn is_young(read_at: Timestamp, now: Timestamp, longest: Duration) -> bool {
    read_at <= now && now.since(read_at) < longest
}
