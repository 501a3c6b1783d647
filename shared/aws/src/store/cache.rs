//! A cache of apps for API key lookups.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use countersign_domain::app::api_key::ApiKeyHash;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;

use super::record::AppItem;

/// Maximum age of a cached app. A revoked key stops working everywhere within this time.
const MAX_AGE: Duration = Duration::from_mins(1);

/// Apps and the owners of keys. Holds only apps that exist and keys that were issued, so that callers
/// cannot make it grow.
#[derive(Debug, Default)]
pub(super) struct AppCache(Mutex<Remembered>);

#[derive(Debug, Default)]
struct Remembered {
    apps: HashMap<AppId, Entry>,
    /// The app of each key. A key never changes its app, so entries do not expire.
    owners: HashMap<ApiKeyHash, AppId>,
}

#[derive(Debug)]
struct Entry {
    item: AppItem,
    /// The time just before the read began. `None` if the item must be read again; the entry then only
    /// shows which reads are older.
    read_at: Option<Timestamp>,
}

impl AppCache {
    /// Returns the app, if it was read less than [`MAX_AGE`] ago.
    pub(super) fn app(&self, id: &AppId, now: Timestamp) -> Option<AppItem> {
        let remembered = self.remembered();
        let entry = remembered.apps.get(id)?;
        let read_at = entry.read_at?;
        // After a clock is set back, the age is unknown.
        let fresh = now >= read_at && now.since(read_at) < MAX_AGE;
        fresh.then(|| entry.item.clone())
    }

    /// Stores an app, unless a newer one is stored: a read that began before a write must not undo
    /// it.
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

    /// Makes the next lookup read the app again.
    pub(super) fn distrust(&self, id: &AppId) {
        if let Some(entry) = self.remembered().apps.get_mut(id) {
            entry.read_at = None;
        }
    }

    /// Returns the app of a key.
    pub(super) fn owner(&self, key: &ApiKeyHash) -> Option<AppId> {
        self.remembered().owners.get(key).cloned()
    }

    /// Stores the app of a key, which the app's own item must list.
    pub(super) fn put_owner(&self, key: ApiKeyHash, app: AppId) {
        self.remembered().owners.insert(key, app);
    }

    fn remembered(&self) -> MutexGuard<'_, Remembered> {
        // Each change is one insertion, so a panic cannot leave it half done.
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
    fn app_is_cached_for_less_than_a_minute() {
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
    fn older_read_does_not_replace_a_newer_one() {
        let cache = AppCache::default();
        let demo = app_id("demo");
        cache.put(item(2), NOW);
        cache.put(item(1), NOW.plus(MILLI));
        assert_eq!(cache.app(&demo, NOW), Some(item(2)));
        // Not even if the newer one has expired.
        cache.put(item(1), NOW.plus(Duration::from_mins(2)));
        assert_eq!(cache.app(&demo, NOW.plus(Duration::from_mins(2))), None);
        cache.put(item(3), NOW);
        assert_eq!(cache.app(&demo, NOW), Some(item(3)));
    }

    #[test]
    fn distrusted_app_is_read_again() {
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
