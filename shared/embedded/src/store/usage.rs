//! Counts the items that each app has begun and has open.
//!
//! Rates are kept only in memory. Open items are counted from the file when the count is first needed;
//! from then on every write updates the count.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use countersign_domain::app::quota::{OpenCount, Quota, QuotaExceeded, RateUsage};
use countersign_domain::delivery::DeliveryKind;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;

/// The usage of all apps, shared by the batches of a writer.
#[derive(Clone, Debug, Default)]
pub(super) struct Usage(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
pub(super) struct Inner {
    confirmations: RateUsage,
    logins: RateUsage,
    /// Open items; `None` until they are counted, and after a batch that did not reach the disk.
    pub(super) open: Option<Opened>,
    /// Longest validity that a confirmation ever had, as the file records it; `None` until it is read.
    pub(super) longest: Option<Duration>,
}

/// The open items of all apps, counted by kind.
#[derive(Debug, Default)]
pub(super) struct Opened {
    pub(super) confirmations: OpenCount,
    pub(super) logins: OpenCount,
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
    pub(super) const fn rates(&mut self, kind: DeliveryKind) -> &mut RateUsage {
        match kind {
            DeliveryKind::Confirmations => &mut self.confirmations,
            DeliveryKind::Logins => &mut self.logins,
        }
    }

    /// Checks whether an app may begin another item of a kind.
    pub(super) fn check(
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
    pub(super) fn locked(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Discards the count of open items after a batch that did not reach the disk. The next check
    /// counts again.
    pub(super) fn forget_open(&self) {
        let mut usage = self.locked();
        usage.open = None;
        usage.longest = None;
    }

    /// Updates the count for an item that was open until `before` and is now open until `after`.
    pub(super) fn moved(
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
