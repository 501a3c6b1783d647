//! An app's usage of its quota for lists.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::Store;
use crate::app::quota::{Allowance, QuotaExceeded, QuotaLimit};
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;

/// Time to wait until one of the lists in progress ends. Each list takes only milliseconds.
const UNDER_WAY_RETRY: Duration = Duration::from_secs(1);

/// The number of lists that each app has in progress.
#[derive(Debug, Default)]
pub(super) struct ListCounts(Mutex<BTreeMap<AppId, u32>>);

impl ListCounts {
    fn counts(&self) -> MutexGuard<'_, BTreeMap<AppId, u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A permit for an app to list. The list is in progress until the permit is dropped.
pub struct ListPermit<'a> {
    under_way: &'a ListCounts,
    app: AppId,
}

impl ListPermit<'_> {
    /// Returns the app that lists.
    #[must_use]
    pub const fn app(&self) -> &AppId {
        &self.app
    }
}

impl Drop for ListPermit<'_> {
    fn drop(&mut self) {
        let mut counts = self.under_way.counts();
        if let Some(count) = counts.get_mut(&self.app) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.app);
            }
        }
    }
}

impl fmt::Debug for ListPermit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ListPermit").field(&self.app).finish()
    }
}

impl Store {
    /// Counts a list against the quota of an app.
    ///
    /// # Errors
    /// Fails if the app has exceeded its rate, or has the maximum number of lists in progress.
    pub fn begin_list(
        &self,
        app: &AppId,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<ListPermit<'_>, QuotaExceeded> {
        let mut counts = self.lists.counts();
        let under_way = counts.get(app).copied().unwrap_or_default();
        if let Allowance::Within(quota) = allowance {
            if under_way >= quota.max_open.get() {
                return Err(QuotaExceeded {
                    limit: QuotaLimit::Open,
                    retry_after: UNDER_WAY_RETRY,
                });
            }
            self.count(|rates| &mut rates.lists, app, &quota, now)?;
        }
        counts.insert(app.clone(), under_way.saturating_add(1));
        Ok(ListPermit {
            under_way: &self.lists,
            app: app.clone(),
        })
    }
}
