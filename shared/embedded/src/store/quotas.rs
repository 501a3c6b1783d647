//! Enforces the quotas of apps. Only the writer's thread does so, so nothing can come between the check
//! and the write.

mod load;

use countersign_domain::app::quota::{Allowance, QuotaExceeded};
use countersign_domain::delivery::{Decision, DeliveryKind};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;

use super::batch::Batch;
use super::fault::Fault;
use super::kept::Kept;
use super::tables::IndexKeys;

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

    /// Returns the check of new items. Counts the open items first if they are not counted yet.
    fn checks(
        &mut self,
        kind: DeliveryKind,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<impl Fn(&AppId) -> Result<(), QuotaExceeded> + use<>, Fault> {
        let usage = self.usage().clone();
        if matches!(allowance, Allowance::Within(_)) && usage.locked().open.is_none() {
            let (open, longest) = load::open(self, now)?;
            self.write_longest(longest)?;
            usage.locked().open = Some(open);
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
        let end = item.open_until();
        if before.is_none()
            && end.is_some()
            && let Some(open_for) = item.open_for()
        {
            let known = self.usage().locked().longest;
            let longest = match known {
                Some(longest) => longest,
                None => self.read_longest()?,
            };
            if open_for > longest {
                self.write_longest(open_for)?;
            }
        }
        let before = before.and_then(|keys| keys.open_until);
        self.usage().moved(T::KIND, item.app(), before, end);
        Ok(())
    }
}
