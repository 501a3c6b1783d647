//! A cache of all apps, for finding apps by attributes that are not keys of the table.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use countersign_domain::app::App;
use countersign_domain::primitives::time::Timestamp;

use super::DynamoStore;
use super::attributes::{APP_SORT, APPS, PK, SK};
use super::fault::Fault;
use super::item::{Item, text};
use super::record::decode_app;
use super::table::{Page, Query};

/// Maximum age of the cache for apps that it contains.
const MAX_AGE: Duration = Duration::from_mins(1);

/// Maximum age of the cache for apps that it does not contain. A new app is found after this time, and
/// callers with unknown keys cause at most one read in it.
const MAX_AGE_OF_ABSENCE: Duration = Duration::from_secs(5);

/// Number of apps that a function reads while it starts. Few deployments have more, and each takes a
/// fraction of a kilobyte.
const FIRST_APPS: usize = 50;

/// All apps, as they were read.
#[derive(Debug, Default)]
struct Apps {
    readable: Vec<Arc<App>>,
    /// The error of an app that this release cannot read.
    unreadable: Option<Fault>,
}

impl Apps {
    /// Returns what `find` finds. If it finds nothing, the reason may be an app that could not be read,
    /// whose error is then returned.
    fn find<T>(&self, find: impl Fn(&[Arc<App>]) -> Option<T>) -> Result<Option<T>, Fault> {
        match (find(&self.readable), &self.unreadable) {
            (None, Some(fault)) => Err(fault.clone()),
            (found, _) => Ok(found),
        }
    }
}

/// The cache.
#[derive(Debug, Default)]
pub(super) struct Listing(Mutex<Remembered>);

#[derive(Debug, Default)]
struct Remembered {
    /// The apps, and the time just before they were read.
    read: Option<(Arc<Apps>, Timestamp)>,
    /// How often the cache was cleared. The result of a read that began before is not stored.
    forgotten: u64,
}

impl Listing {
    /// Returns the apps, if they were read less than `longest` ago.
    fn younger_than(&self, longest: Duration, now: Timestamp) -> Option<Arc<Apps>> {
        let remembered = self.remembered();
        let (apps, read_at) = remembered.read.as_ref()?;
        // After a clock is set back, the age is unknown.
        let young = now >= *read_at && now.since(*read_at) < longest;
        young.then(|| Arc::clone(apps))
    }

    /// Clears the cache.
    pub(super) fn forget(&self) {
        let mut remembered = self.remembered();
        remembered.read = None;
        remembered.forgotten += 1;
    }

    fn forgotten(&self) -> u64 {
        self.remembered().forgotten
    }

    /// Stores apps, unless the cache was cleared since their read began.
    fn put(&self, apps: Arc<Apps>, read_at: Timestamp, forgotten: u64) {
        let mut remembered = self.remembered();
        if remembered.forgotten == forgotten {
            remembered.read = Some((apps, read_at));
        }
    }

    fn remembered(&self) -> MutexGuard<'_, Remembered> {
        // No change can panic halfway.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DynamoStore {
    /// Returns what `find` finds among all apps. Reads the apps again if the cache is older than
    /// [`MAX_AGE`], or if it finds nothing in a cache older than [`MAX_AGE_OF_ABSENCE`].
    pub(super) async fn among_apps<T>(
        &self,
        find: impl Fn(&[Arc<App>]) -> Option<T>,
    ) -> Result<Option<T>, Fault> {
        let now = self.clock.now();
        let remembered = self.listing.younger_than(MAX_AGE, now);
        if let Some(found) = remembered.and_then(|apps| find(&apps.readable)) {
            return Ok(Some(found));
        }
        if let Some(apps) = self.listing.younger_than(MAX_AGE_OF_ABSENCE, now) {
            return apps.find(find);
        }
        let forgotten = self.listing.forgotten();
        let apps = Arc::new(self.read_apps().await?);
        let found = apps.find(find);
        self.listing.put(apps, now, forgotten);
        found
    }

    /// Returns all apps by name, strongly consistent. Fails if one of them cannot be read.
    pub(super) async fn all_apps(&self) -> Result<Vec<Arc<App>>, Fault> {
        let apps = self.read_apps().await?;
        match apps.unreadable {
            None => Ok(apps.readable),
            Some(fault) => Err(fault),
        }
    }

    async fn read_apps(&self) -> Result<Apps, Fault> {
        let mut apps = Apps::default();
        let mut page = None;
        loop {
            let found = self.query_apps(page, None).await?;
            for item in &found.items {
                match decode_app(item) {
                    Ok(item) => apps.readable.push(item.app),
                    Err(error) => apps.unreadable = Some(error.into()),
                }
            }
            page = found.end();
            if page.is_none() {
                return Ok(apps);
            }
        }
    }

    /// Reads the first apps by name, for the cache of apps and their keys. An app that this release cannot
    /// read is left out: requests with its keys get that error.
    pub(super) async fn cache_first_apps(&self) -> Result<(), Fault> {
        let now = self.clock.now();
        let found = self.query_apps(None, Some(FIRST_APPS)).await?;
        for app in found.items.iter().filter_map(|item| decode_app(item).ok()) {
            for key in &app.keys {
                self.cache.put_owner(key.hash, app.app.id.clone());
            }
            self.cache.put(app, now);
        }
        Ok(())
    }

    async fn query_apps(&self, after: Option<Item>, limit: Option<usize>) -> Result<Page, Fault> {
        let query = Query {
            consistent: true,
            condition: &format!("#{PK} = :apps AND begins_with(#{SK}, :app)"),
            values: Item::from([
                (":apps".to_owned(), text(APPS)),
                (":app".to_owned(), text(APP_SORT)),
            ]),
            after,
            limit,
            ..Query::default()
        };
        self.table.query(&query).await
    }
}

#[cfg(test)]
mod tests {
    use countersign_conformance::samples::{MILLI, NOW, app, before};

    use super::*;

    fn apps(name: &str) -> Arc<Apps> {
        Arc::new(Apps {
            readable: vec![Arc::new(app(name))],
            unreadable: None,
        })
    }

    fn names(listing: &Listing) -> Option<Vec<String>> {
        let apps = listing.younger_than(MAX_AGE, NOW)?;
        let names = apps.readable.iter().map(|app| app.id.to_string());
        Some(names.collect())
    }

    #[test]
    fn apps_are_cached_for_less_than_the_maximum_age() {
        let listing = Listing::default();
        assert_eq!(names(&listing), None);
        listing.put(apps("demo"), NOW, 0);
        let end = NOW.plus(MAX_AGE);
        let young = |now| listing.younger_than(MAX_AGE, now).is_some();
        assert!(young(NOW) && young(before(end, MILLI)));
        assert!(!young(end) && !young(before(NOW, MILLI)));
    }

    #[test]
    fn read_that_began_before_a_change_is_not_cached() {
        let listing = Listing::default();
        let before = listing.forgotten();
        listing.forget();
        listing.put(apps("old"), NOW, before);
        assert_eq!(names(&listing), None);
        listing.put(apps("new"), NOW, listing.forgotten());
        assert_eq!(names(&listing), Some(vec!["new".to_owned()]));
        listing.forget();
        assert_eq!(names(&listing), None);
    }
}
