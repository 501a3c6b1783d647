//! The begun and open items of each app.
//!
//! Rates are kept in memory alone. Open items are counted from the file once, when the count is
//! first needed, and from then on with every write.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use countersign_domain::app::quota::{OpenCount, Quota, QuotaExceeded, RateUsage};
use countersign_domain::delivery::DeliveryKind;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;

/// Usage, shared by the batches of a writer.
#[derive(Clone, Debug, Default)]
pub(super) struct Usage(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
pub(super) struct Inner {
    confirmations: RateUsage,
    logins: RateUsage,
    /// `None` until it is needed, and after a batch that did not reach the disk.
    pub(super) open: Option<Opened>,
    /// The longest time that a confirmation was ever opened for, as the file says; `None` until it is
    /// read.
    pub(super) longest: Option<Duration>,
}

/// The counts of open items.
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

    /// Forgets the counts after a batch that did not reach the disk: they are counted again.
    pub(super) fn forget_open(&self) {
        let mut usage = self.locked();
        usage.open = None;
        usage.longest = None;
    }

    /// Counts an item that was open until one time and is open until another.
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
