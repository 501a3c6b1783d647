//! The begun and open items of each app, for its quotas.
//!
//! Rates are kept in memory alone. Open items are counted from the file once, when the count is
//! first needed, and from then on with every write. Only the writer's thread decides by the count,
//! so nothing comes between the check and the write.

mod load;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use countersign_domain::app::quota::{Allowance, OpenCount, Quota, QuotaExceeded, RateUsage};
use countersign_domain::delivery::{Decision, DeliveryKind};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;

use super::batch::Batch;
use super::fault::Fault;
use super::kept::Kept;
use super::tables::IndexKeys;

/// Checks a new item of an app against its quota.
pub(super) type CheckQuota<'a> = dyn Fn(&AppId) -> Result<(), QuotaExceeded> + 'a;

/// Usage, shared by the batches of a writer.
#[derive(Clone, Debug, Default)]
pub(super) struct Usage(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    confirmations: RateUsage,
    logins: RateUsage,
    /// `None` until it is needed, and after a batch that did not reach the disk.
    open: Option<Opened>,
    /// The longest time that a confirmation was ever opened for, as the file says; `None` until it is
    /// read.
    longest: Option<Duration>,
}

/// The counts of open items.
#[derive(Debug, Default)]
struct Opened {
    confirmations: OpenCount,
    logins: OpenCount,
}

impl Opened {
    const fn of(&mut self, kind: DeliveryKind) -> &mut OpenCount {
        match kind {
            DeliveryKind::Confirmations => &mut self.confirmations,
            DeliveryKind::Logins => &mut self.logins,
        }
    }
}

impl Inner {
    const fn rates(&mut self, kind: DeliveryKind) -> &mut RateUsage {
        match kind {
            DeliveryKind::Confirmations => &mut self.confirmations,
            DeliveryKind::Logins => &mut self.logins,
        }
    }

    fn check(
        &mut self,
        kind: DeliveryKind,
        app: &AppId,
        quota: &Quota,
        now: Timestamp,
    ) -> Result<(), QuotaExceeded> {
        self.rates(kind).check(app, quota, now)?;
        match &mut self.open {
            Some(open) => open.of(kind).check(app, quota, now),
            None => Ok(()),
        }
    }
}

impl Usage {
    fn locked(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets the counts after a batch that did not reach the disk: they are counted again.
    pub(super) fn forget_open(&self) {
        let mut usage = self.locked();
        usage.open = None;
        usage.longest = None;
    }

    /// Counts an item that was open until one time and is open until another.
    fn moved(
        &self,
        kind: DeliveryKind,
        app: &AppId,
        before: Option<Timestamp>,
        after: Option<Timestamp>,
    ) {
        if before == after {
            return;
        }
        let mut usage = self.locked();
        let Some(open) = usage.open.as_mut().map(|open| open.of(kind)) else {
            return;
        };
        if let Some(end) = before {
            open.leave(app, end);
        }
        if let Some(end) = after {
            open.enter(app, end);
        }
    }
}

impl Batch<'_> {
    /// Creates an item within its app's quota.
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

    /// Returns the check of new items. Counts the open items first, unless they are counted already.
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

    fn take(&self, kind: DeliveryKind, app: &AppId, allowance: Allowance, now: Timestamp) {
        if let Allowance::Within(quota) = allowance {
            self.usage().locked().rates(kind).take(app, &quota, now);
        }
    }

    /// Counts an item that was written.
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
