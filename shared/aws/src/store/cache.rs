//! Apps that were read lately, for looking API keys up.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use countersign_domain::app::api_key::ApiKeyHash;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;

use super::record::AppItem;

/// For how long an app is answered from the cache: within this a revocation holds everywhere.
const LONGEST: Duration = Duration::from_mins(1);

/// What is remembered. Only apps that exist and keys that were issued are, so nobody else can make
/// it grow.
#[derive(Debug, Default)]
pub(super) struct AppCache(Mutex<Remembered>);

#[derive(Debug, Default)]
struct Remembered {
    apps: HashMap<AppId, Entry>,
    /// Whose keys are. A key never changes hands, so this needs no end.
    owners: HashMap<ApiKeyHash, AppId>,
}

#[derive(Debug)]
struct Entry {
    item: AppItem,
    /// Before the read began. `None` once it must not be answered any more; it still says which
    /// reads are older.
    read_at: Option<Timestamp>,
}

impl AppCache {
    /// The app, if it was read less than a minute ago.
    pub(super) fn app(&self, id: &AppId, now: Timestamp) -> Option<AppItem> {
        let remembered = self.remembered();
        let entry = remembered.apps.get(id)?;
        let read_at = entry.read_at?;
        // A clock that was set back says nothing about the age.
        let fresh = now >= read_at && now.since(read_at) < LONGEST;
        fresh.then(|| entry.item.clone())
    }

    /// Remembers an app, unless what is remembered is newer: a read that began before a write must
    /// not undo it here.
    pub(super) fn put(&self, item: AppItem, read_at: Timestamp) {
        let mut remembered = self.remembered();
        let known = remembered.apps.get(&item.app.id);
        if known.is_some_and(|known| known.item.revision > item.revision) {
            return;
        }
        let read_at = Some(read_at);
        let id = item.app.id.clone();
        remembered.apps.insert(id, Entry { item, read_at });
    }

    /// Has the app read anew before it is answered again.
    pub(super) fn distrust(&self, id: &AppId) {
        if let Some(entry) = self.remembered().apps.get_mut(id) {
            entry.read_at = None;
        }
    }

    /// Whose a key is.
    pub(super) fn owner(&self, key: &ApiKeyHash) -> Option<AppId> {
        self.remembered().owners.get(key).cloned()
    }

    /// Remembers whose a key is; the app's own item must have said so.
    pub(super) fn put_owner(&self, key: ApiKeyHash, app: AppId) {
        self.remembered().owners.insert(key, app);
    }

    fn remembered(&self) -> MutexGuard<'_, Remembered> {
        // Each change is one insertion: a panic in between leaves nothing half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use countersign_conformance::samples::{MILLI, NOW, app, app_id, before, key};

    use super::*;

    fn item(revision: u64) -> AppItem {
        AppItem {
            app: Arc::new(app("demo")),
            keys: vec![key(1)],
            revision,
        }
    }

    #[test]
    fn an_app_is_answered_for_less_than_a_minute() {
        let cache = AppCache::default();
        let demo = app_id("demo");
        assert_eq!(cache.app(&demo, NOW), None);
        cache.put(item(1), NOW);
        let end = NOW.plus(Duration::from_mins(1));
        assert_eq!(cache.app(&demo, NOW), Some(item(1)));
        assert_eq!(cache.app(&demo, before(end, MILLI)), Some(item(1)));
        assert_eq!(cache.app(&demo, end), None);
        assert_eq!(cache.app(&demo, before(NOW, MILLI)), None);
        assert_eq!(cache.app(&app_id("other"), NOW), None);
    }

    #[test]
    fn a_read_that_began_before_a_write_does_not_undo_it() {
        let cache = AppCache::default();
        let demo = app_id("demo");
        cache.put(item(2), NOW);
        cache.put(item(1), NOW.plus(MILLI));
        assert_eq!(cache.app(&demo, NOW), Some(item(2)));
        // Neither where the newer one is no longer answered.
        cache.put(item(1), NOW.plus(Duration::from_mins(2)));
        assert_eq!(cache.app(&demo, NOW.plus(Duration::from_mins(2))), None);
        cache.put(item(3), NOW);
        assert_eq!(cache.app(&demo, NOW), Some(item(3)));
    }

    #[test]
    fn what_is_distrusted_is_read_anew() {
        let cache = AppCache::default();
        let demo = app_id("demo");
        cache.distrust(&demo);
        cache.put(item(1), NOW);
        cache.distrust(&demo);
        assert_eq!(cache.app(&demo, NOW), None);
        cache.put(item(1), NOW);
        assert_eq!(cache.app(&demo, NOW), Some(item(1)));
    }
}
