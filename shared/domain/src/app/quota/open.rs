use std::collections::BTreeMap;
use std::time::Duration;

use super::{Quota, QuotaExceeded, QuotaLimit};
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;

/// Each app's number of open items of one kind, grouped by expiry. Memory grows with the number of
/// distinct expiry times in milliseconds, not with the number of items.
#[derive(Clone, Debug, Default)]
pub struct OpenCount(BTreeMap<AppId, Open>);

#[derive(Clone, Debug, Default)]
struct Open {
    all: u32,
    by_end: BTreeMap<Timestamp, u32>,
}

impl OpenCount {
    /// Counts an item that is open until `end`.
    pub fn enter(&mut self, app: &AppId, end: Timestamp) {
        let open = match self.0.get_mut(app) {
            Some(open) => open,
            None => self.0.entry(app.clone()).or_default(),
        };
        *open.by_end.entry(end).or_default() += 1;
        open.all += 1;
    }

    /// Removes an item that is no longer open, or whose `end` has changed. Expired items are
    /// already removed.
    pub fn leave(&mut self, app: &AppId, end: Timestamp) {
        let Some(open) = self.0.get_mut(app) else {
            return;
        };
        let Some(count) = open.by_end.get_mut(&end) else {
            return;
        };
        *count -= 1;
        open.all -= 1;
        if *count == 0 {
            open.by_end.remove(&end);
        }
    }

    /// Checks that the app may open another item.
    ///
    /// # Errors
    ///
    /// Fails with the time until the next item expires if the app has as many open as its quota
    /// allows.
    pub fn check(
        &mut self,
        app: &AppId,
        quota: &Quota,
        now: Timestamp,
    ) -> Result<(), QuotaExceeded> {
        let Some(open) = self.0.get_mut(app) else {
            return Ok(());
        };
        open.expire(now);
        match open.by_end.first_key_value() {
            Some((end, _)) if open.all >= quota.max_open.get() => Err(QuotaExceeded {
                limit: QuotaLimit::Open,
                retry_after: end.since(now).max(Duration::from_millis(1)),
            }),
            _ => Ok(()),
        }
    }

    /// Returns the number of items that the app has open.
    pub fn count(&mut self, app: &AppId, now: Timestamp) -> u32 {
        self.0.get_mut(app).map_or(0, |open| {
            open.expire(now);
            open.all
        })
    }
}

impl Open {
    fn expire(&mut self, now: Timestamp) {
        while let Some(entry) = self.by_end.first_entry() {
            if *entry.key() > now {
                return;
            }
            self.all -= entry.remove();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::quota::count;

    const fn at(ms: u64) -> Timestamp {
        Timestamp::from_millis(1_767_323_045_000 + ms)
    }

    #[test]
    fn item_counts_until_it_leaves_or_expires() {
        let app = "shop".parse::<AppId>().unwrap();
        let quota = Quota {
            max_open: count(3),
            ..Quota::LOGINS
        };
        let mut open = OpenCount::default();
        for end in [10, 10, 20] {
            assert_eq!(open.check(&app, &quota, at(0)), Ok(()));
            open.enter(&app, at(end));
        }
        let refused = open.check(&app, &quota, at(4)).unwrap_err();
        assert_eq!(refused.limit, QuotaLimit::Open);
        assert_eq!(refused.retry_after, Duration::from_millis(6));
        assert!(
            open.check(&"other".parse::<AppId>().unwrap(), &quota, at(4))
                .is_ok()
        );

        open.leave(&app, at(10));
        assert_eq!(open.count(&app, at(4)), 2);
        assert_eq!(open.count(&app, at(9)), 2);
        assert_eq!(open.count(&app, at(10)), 1);
        open.leave(&app, at(10));
        assert_eq!(open.count(&app, at(10)), 1, "the other had expired");
        assert_eq!(open.count(&app, at(20)), 0);
    }
}
