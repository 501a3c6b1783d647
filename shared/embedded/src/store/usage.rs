//! Counts the items that each app has begun and has open.
//!
//! Rates are kept only in memory. Open items are counted from the file, which takes seconds if there are
//! very many, so a thread of its own does it ([`counting`](super::counting)) while every write updates
//! the count. Until it is complete, an app is refused only if the items counted so far use up its quota.

mod tally;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use countersign_domain::app::quota::{Quota, QuotaExceeded, RateUsage};
use countersign_domain::delivery::DeliveryKind;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;

use super::tables::OpenEntry;

pub(super) use tally::{Piece, Stretch, Tally, Ticket, Unread};

/// The usage of all apps, shared by the writer's batches and the thread that counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Usage(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
pub(super) struct Inner {
    confirmations: RateUsage,
    logins: RateUsage,
    /// Registrations of association keys.
    pub(super) association_keys: RateUsage,
    /// Open items.
    pub(super) tally: Tally,
    /// Longest validity that a confirmation ever had, as the file records it; `None` until it is read.
    pub(super) longest: Option<Duration>,
    /// Longest validity of a confirmation since the store was opened, or since a batch that did not
    /// reach the disk.
    longest_new: Duration,
    /// Time of the last creation or of the host's request to count; the next count is made for it.
    pub(super) now: Option<Timestamp>,
    /// Whether a quota or the host needs the open items.
    pub(super) is_needed: bool,
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
        self.tally.counted(kind).check(app, quota, now)
    }

    /// Requests the count of open items for the caller, if it is needed and nobody has requested it.
    /// Returns the time to count for.
    pub(super) fn request_count(&mut self) -> Option<(Ticket, Timestamp)> {
        let now = self.now.filter(|_| self.is_needed)?;
        Some((self.tally.request()?, now))
    }

    /// Records the validity of a new confirmation.
    pub(super) fn add_validity(&mut self, open_for: Duration) {
        self.longest_new = self.longest_new.max(open_for);
    }

    /// Returns the longest validity of an open confirmation, once, when all are counted.
    pub(super) fn take_longest_open(&mut self) -> Option<Duration> {
        let found = self.tally.take_longest()?;
        Some(found.max(self.longest_new))
    }
}

impl Usage {
    pub(super) fn locked(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Discards the count of open items after a batch that did not reach the disk.
    pub(super) fn forget_open(&self) {
        let mut usage = self.locked();
        usage.tally.forget();
        usage.longest = None;
        usage.longest_new = Duration::ZERO;
    }

    /// Updates the count for an item that a batch has written.
    pub(super) fn moved(
        &self,
        kind: DeliveryKind,
        app: &AppId,
        before: Option<OpenEntry>,
        after: Option<OpenEntry>,
    ) {
        self.locked().tally.moved(kind, app, before, after);
    }
}
