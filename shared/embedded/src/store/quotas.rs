//! What each app has begun lately and has open, for its quotas.
//!
//! Rates are kept in memory alone. What is open is counted from the items: once, when it is first
//! needed, and from then on with every write. Only the writer's thread decides by it, so that
//! nothing comes between the check and the write.

mod load;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use countersign_domain::app::quota::{Allowance, OpenCount, Quota, QuotaExceeded, RateUsage};
use countersign_domain::confirmation::transitions::CreateOutcome;
use countersign_domain::confirmation::{Confirmation, transitions};
use countersign_domain::delivery::Decision;
use countersign_domain::login::transitions::CreateOutcome as LoginOutcome;
use countersign_domain::login::{Login, transitions as logins};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;

use super::batch::Batch;
use super::fault::Fault;
use super::login_tables::LoginTables;
use super::tables::IndexKeys;

/// Usage, shared by the batches of a writer.
#[derive(Clone, Debug, Default)]
pub(super) struct Usage(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    confirmations: RateUsage,
    logins: RateUsage,
    /// `None` until it is needed, and after a batch that did not reach the disk.
    open: Option<Opened>,
    /// The longest time that a confirmation was ever opened for, as the file says; `None` where
    /// that was not read yet.
    longest: Option<Duration>,
}

/// What is open.
#[derive(Debug, Default)]
struct Opened {
    confirmations: OpenCount,
    logins: OpenCount,
}

/// Which of the two quotas is meant.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Confirmations,
    Logins,
}

impl Opened {
    const fn of(&mut self, kind: Kind) -> &mut OpenCount {
        match kind {
            Kind::Confirmations => &mut self.confirmations,
            Kind::Logins => &mut self.logins,
        }
    }
}

impl Inner {
    const fn rates(&mut self, kind: Kind) -> &mut RateUsage {
        match kind {
            Kind::Confirmations => &mut self.confirmations,
            Kind::Logins => &mut self.logins,
        }
    }

    fn check(
        &mut self,
        kind: Kind,
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

    /// Forgets what is open, after a batch that did not reach the disk: it is counted again.
    pub(super) fn forget_open(&self) {
        let mut usage = self.locked();
        usage.open = None;
        usage.longest = None;
    }

    /// Follows an item that was open until one time and is open until another.
    fn moved(&self, kind: Kind, app: &AppId, before: Option<Timestamp>, after: Option<Timestamp>) {
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
    /// Creates a confirmation within its app's quota.
    pub(super) fn create(
        &mut self,
        new: Confirmation,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<CreateOutcome, Fault> {
        let current = self.get(new.id)?;
        let before = current.as_ref().map(IndexKeys::of);
        let check = self.checks(Kind::Confirmations, allowance, now)?;
        let decision = transitions::create_within(current, new, |item| check(&item.app), now);
        let Decision { outcome, write } = decision;
        if let Some(item) = write {
            self.take(Kind::Confirmations, &item.app, allowance, now);
            self.put(before, &item)?;
        }
        Ok(outcome)
    }

    /// Creates a login within its app's quota.
    pub(super) fn create_session(
        &mut self,
        new: Login,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<LoginOutcome, Fault> {
        let mut tables = LoginTables::open(self)?;
        let current = tables.get(new.id)?;
        let before = current.as_ref().map(IndexKeys::of_session);
        drop(tables);
        let check = self.checks(Kind::Logins, allowance, now)?;
        let decision = logins::create_within(current, new, |item| check(&item.app), now);
        if let Some(item) = decision.write {
            self.take(Kind::Logins, &item.app, allowance, now);
            tables = LoginTables::open(self)?;
            tables.put(before, &item)?;
            drop(tables);
            self.session_moved(before, &item);
            self.mark_changed();
        }
        Ok(decision.outcome)
    }

    /// What a new item is checked by. Counts what is open, where that was not done yet.
    fn checks(
        &mut self,
        kind: Kind,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<impl FnOnce(&AppId) -> Result<(), QuotaExceeded> + use<>, Fault> {
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

    fn take(&self, kind: Kind, app: &AppId, allowance: Allowance, now: Timestamp) {
        if let Allowance::Within(quota) = allowance {
            self.usage().locked().rates(kind).take(app, &quota, now);
        }
    }

    /// Follows a confirmation that was written.
    pub(super) fn moved(
        &mut self,
        before: Option<IndexKeys>,
        item: &Confirmation,
    ) -> Result<(), Fault> {
        let end = item.open_until();
        if before.is_none() && end.is_some() {
            let known = self.usage().locked().longest;
            let longest = match known {
                Some(longest) => longest,
                None => self.read_longest()?,
            };
            let this = item.expires_at.since(item.created_at);
            if this > longest {
                self.write_longest(this)?;
            }
        }
        let before = before.and_then(|keys| keys.open_until);
        self.usage()
            .moved(Kind::Confirmations, &item.app, before, end);
        Ok(())
    }

    /// Follows a login that was written.
    pub(super) fn session_moved(&self, before: Option<IndexKeys>, item: &Login) {
        let before = before.and_then(|keys| keys.open_until);
        self.usage()
            .moved(Kind::Logins, &item.app, before, item.open_until());
    }
}
