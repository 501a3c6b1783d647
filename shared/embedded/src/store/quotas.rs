//! Enforces the quotas of apps. Only the writer's thread does so, so nothing can come between the check
//! and the write.

mod longest;

use countersign_domain::app::quota::{Allowance, QuotaExceeded};
use countersign_domain::delivery::{Decision, DeliveryKind};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;

use super::batch::Batch;
use super::fault::Fault;
use super::kept::Kept;
use super::tables::IndexKeys;

pub(super) use longest::recorded_longest;

/// A check that an app's quota allows another item.
pub(super) type CheckQuota<'a> = dyn Fn(&AppId) -> Result<(), QuotaExceeded> + 'a;

impl Batch<'_> {
    /// Creates an item if its app's quota allows it.
    pub(super) fn create<T: Kept, O>(
        &mut self,
        id: T::Id,
        allowance: Allowance,
        now: Timestamp,
        decide: impl FnOnce(Option<T>, &CheckQuota<'_>) -> Decision<T, O>,
    ) -> Result<O, Fault> {
        let current = self.get(id)?;
        let before = current.as_ref().map(T::keys);
        let check = self.checks(T::KIND, allowance, now)?;
        let Decision { outcome, write } = decide(current, &check);
        if let Some(item) = write {
            self.take(T::KIND, item.app(), allowance, now);
            self.put(before, &item)?;
        }
        Ok(outcome)
    }

    /// Returns the check of new items.
    fn checks(
        &mut self,
        kind: DeliveryKind,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<impl Fn(&AppId) -> Result<(), QuotaExceeded> + use<>, Fault> {
        let usage = self.usage().clone();
        let mut inner = usage.locked();
        inner.now = Some(now);
        let is_limited = matches!(allowance, Allowance::Within(_));
        inner.is_needed |= is_limited;
        let fault = inner.tally.fault();
        drop(inner);
        if is_limited {
            fault.map_or(Ok(()), Err)?;
            self.lower_longest()?;
        }
        Ok(move |app: &AppId| match allowance {
            Allowance::Unlimited => Ok(()),
            Allowance::Within(quota) => usage.locked().check(kind, app, &quota, now),
        })
    }

    /// Counts a new item against its app's rate.
    fn take(&self, kind: DeliveryKind, app: &AppId, allowance: Allowance, now: Timestamp) {
        if let Allowance::Within(quota) = allowance {
            self.usage().locked().rates(kind).take(app, &quota, now);
        }
    }

    /// Updates the count of open items, and the longest validity, after an item was written.
    pub(super) fn moved<T: Kept>(
        &mut self,
        before: Option<IndexKeys>,
        item: &T,
    ) -> Result<(), Fault> {
        let after = item.keys();
        if before.is_none()
            && after.open_until.is_some()
            && let Some(open_for) = item.open_for()
        {
            self.raise_longest(open_for)?;
        }
        let before = before.and_then(IndexKeys::open_entry);
        self.usage()
            .moved(T::KIND, item.app(), before, after.open_entry());
        Ok(())
    }
}
