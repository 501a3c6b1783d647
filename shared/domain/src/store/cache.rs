//! Apps that were read, for the requests of the next minute.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::app::api_key::{ApiKeyHash, ApiKeyRecord};
use crate::app::{App, InboundProfile};
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;

/// The longest age at which a cached app counts. A revoked key stops working everywhere within it.
pub(super) const MAX_AGE: Duration = Duration::from_mins(1);

/// The longest age at which the list of all apps counts for what it lacks. A new app is found after
/// it, and callers with unknown keys cause at most one read in it.
pub(super) const MAX_AGE_OF_ABSENCE: Duration = Duration::from_secs(5);

/// An app with its keys.
#[derive(Clone, Debug)]
pub(super) struct CachedApp {
    pub(super) app: Arc<App>,
    pub(super) keys: Arc<[ApiKeyRecord]>,
}

/// All apps, and how many more could not be read.
#[derive(Clone, Debug, Default)]
pub(super) struct AllApps {
    pub(super) readable: Vec<Arc<App>>,
    pub(super) unreadable: usize,
}

/// The cache. It holds only apps that exist and keys that were issued, so that callers cannot make it
/// grow.
#[derive(Debug, Default)]
pub(super) struct Apps {
    state: Mutex<State>,
    /// Held by the call that reads all apps.
    reading_all: futures_util::lock::Mutex<()>,
}

#[derive(Debug, Default)]
struct State {
    /// Changed by each write. What was read before is not cached.
    writes: u64,
    /// Each app, and the time just before it was read.
    apps: HashMap<AppId, (CachedApp, Timestamp)>,
    /// The app of each key, which never changes.
    owners: HashMap<ApiKeyHash, AppId>,
    all: Option<(Arc<AllApps>, Timestamp)>,
    profile: Option<(Arc<InboundProfile>, Timestamp)>,
}

/// A point in the order of writes, from before a read.
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

    /// Caches an app, unless something was written since before it was read.
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

    /// Returns all apps, if they were read less than `longest` ago.
    pub(super) fn all(&self, longest: Duration, now: Timestamp) -> Option<Arc<AllApps>> {
        let state = self.state();
        let (all, read_at) = state.all.as_ref()?;
        is_young(*read_at, now, longest).then(|| Arc::clone(all))
    }

    /// Waits until no other call reads all apps.
    pub(super) async fn reading_all(&self) -> futures_util::lock::MutexGuard<'_, ()> {
        self.reading_all.lock().await
    }

    /// Caches all apps, unless something was written since before they were read.
    pub(super) fn put_all(&self, all: Arc<AllApps>, read_at: Timestamp, since: Since) {
        let mut state = self.state();
        if state.writes == since.0 {
            state.all = Some((all, read_at));
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

    /// Forgets an app that was written, or that may have been.
    pub(super) fn written(&self, id: &AppId) {
        let mut state = self.state();
        state.writes += 1;
        state.apps.remove(id);
        state.all = None;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns whether something is younger than `longest`. After a clock is set back, its age is unknown.
fn is_young(read_at: Timestamp, now: Timestamp, longest: Duration) -> bool {
    read_at <= now && now.since(read_at) < longest
}
