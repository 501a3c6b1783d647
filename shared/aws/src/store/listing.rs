//! All apps, as they were read lately: for finding one by what it is not stored under.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use countersign_domain::app::App;
use countersign_domain::primitives::time::Timestamp;

use super::DynamoStore;
use super::attributes::{APP_SORT, APPS, PK, SK};
use super::change::names_in;
use super::fault::Fault;
use super::item::text;
use super::record::decode_app;

/// For how long an app is found among those that were read.
const LONGEST: Duration = Duration::from_mins(1);

/// For how long it is believed that there is none: within this a new app is found, and whoever tries
/// keys that nobody has makes the table be read no more often.
const MAX_WITHOUT: Duration = Duration::from_secs(5);

/// What is remembered.
#[derive(Debug, Default)]
pub(super) struct Listing(Mutex<Remembered>);

#[derive(Debug, Default)]
struct Remembered {
    /// The apps, and the instant before they were read.
    read: Option<(Arc<[Arc<App>]>, Timestamp)>,
    /// How often something was forgotten: a read that began before does not bring it back.
    forgotten: u64,
}

impl Listing {
    /// The apps, if they were read less than so long ago.
    fn younger_than(&self, longest: Duration, now: Timestamp) -> Option<Arc<[Arc<App>]>> {
        let remembered = self.remembered();
        let (apps, read_at) = remembered.read.as_ref()?;
        // A clock that was set back says nothing about the age.
        let young = now >= *read_at && now.since(*read_at) < longest;
        young.then(|| Arc::clone(apps))
    }

    /// Has the apps read anew before they are answered again.
    pub(super) fn forget(&self) {
        let mut remembered = self.remembered();
        remembered.read = None;
        remembered.forgotten += 1;
    }

    fn forgotten(&self) -> u64 {
        self.remembered().forgotten
    }

    /// Remembers apps, unless something was forgotten since they were read.
    fn put(&self, apps: Arc<[Arc<App>]>, read_at: Timestamp, forgotten: u64) {
        let mut remembered = self.remembered();
        if remembered.forgotten == forgotten {
            remembered.read = Some((apps, read_at));
        }
    }

    fn remembered(&self) -> MutexGuard<'_, Remembered> {
        // Nothing is done with it that could panic half-way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DynamoStore {
    /// What `find` finds among all apps. Where that is nothing, the apps must have been read a
    /// moment ago.
    pub(super) async fn among_apps<T>(
        &self,
        find: impl Fn(&[Arc<App>]) -> Option<T>,
    ) -> Result<Option<T>, Fault> {
        let now = self.clock.now();
        let remembered = self.listing.younger_than(LONGEST, now);
        if let Some(found) = remembered.and_then(|apps| find(&apps)) {
            return Ok(Some(found));
        }
        if self.listing.younger_than(MAX_WITHOUT, now).is_some() {
            return Ok(None);
        }
        let forgotten = self.listing.forgotten();
        let apps: Arc<[_]> = self.all_apps().await?.into();
        let found = find(&apps);
        self.listing.put(apps, now, forgotten);
        Ok(found)
    }

    /// Every app, by name, strongly consistent.
    pub(super) async fn all_apps(&self) -> Result<Vec<Arc<App>>, Fault> {
        let condition = format!("#{PK} = :apps AND begins_with(#{SK}, :app)");
        let mut apps = Vec::new();
        let mut page = None;
        loop {
            let request = self
                .client
                .query()
                .table_name(&self.table)
                .consistent_read(true)
                .set_expression_attribute_names(Some(names_in(&[&condition])))
                .expression_attribute_values(":apps", text(APPS))
                .expression_attribute_values(":app", text(APP_SORT))
                .key_condition_expression(&condition)
                .set_exclusive_start_key(page);
            let output = request.send().await?;
            for item in output.items.unwrap_or_default() {
                apps.push(decode_app(&item)?.app);
            }
            page = output.last_evaluated_key.filter(|key| !key.is_empty());
            if page.is_none() {
                return Ok(apps);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use countersign_conformance::samples::{MILLI, NOW, app, before};

    use super::*;

    fn apps(name: &str) -> Arc<[Arc<App>]> {
        [Arc::new(app(name))].into()
    }

    #[test]
    fn apps_are_young_for_less_than_that() {
        let listing = Listing::default();
        assert_eq!(listing.younger_than(LONGEST, NOW), None);
        listing.put(apps("demo"), NOW, 0);
        let end = NOW.plus(LONGEST);
        let young = |now| listing.younger_than(LONGEST, now).is_some();
        assert!(young(NOW) && young(before(end, MILLI)));
        assert!(!young(end) && !young(before(NOW, MILLI)));
    }

    #[test]
    fn a_read_that_began_before_a_change_is_not_remembered() {
        let listing = Listing::default();
        let before = listing.forgotten();
        listing.forget();
        listing.put(apps("old"), NOW, before);
        assert_eq!(listing.younger_than(LONGEST, NOW), None);
        listing.put(apps("new"), NOW, listing.forgotten());
        assert_eq!(listing.younger_than(LONGEST, NOW), Some(apps("new")));
        listing.forget();
        assert_eq!(listing.younger_than(LONGEST, NOW), None);
    }
}
