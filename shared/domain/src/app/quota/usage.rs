//! The apps' usage of their rates.

use std::collections::BTreeMap;

use super::bucket::TokenBucket;
use super::{Quota, QuotaExceeded, QuotaLimit};
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;

/// Each app's usage of its rate for one kind of item. Memory is bounded because only operators
/// create apps.
#[derive(Clone, Debug, Default)]
pub struct RateUsage(BTreeMap<AppId, TokenBucket>);

impl RateUsage {
    /// Checks that the app's rate allows another start, without counting one.
    ///
    /// # Errors
    ///
    /// Fails with the time until the next start is possible if the rate is used up.
    pub fn check(
        &mut self,
        app: &AppId,
        quota: &Quota,
        now: Timestamp,
    ) -> Result<(), QuotaExceeded> {
        match self.bucket(app, quota, now).wait(quota, now) {
            None => Ok(()),
            Some(retry_after) => Err(QuotaExceeded {
                limit: QuotaLimit::Rate,
                retry_after,
            }),
        }
    }

    /// Counts a start.
    pub fn take(&mut self, app: &AppId, quota: &Quota, now: Timestamp) {
        self.bucket(app, quota, now).take();
    }

    /// Counts a start, if the app's rate allows it.
    ///
    /// # Errors
    ///
    /// Fails as [`check`](Self::check) does.
    pub fn count(
        &mut self,
        app: &AppId,
        quota: &Quota,
        now: Timestamp,
    ) -> Result<(), QuotaExceeded> {
        self.check(app, quota, now)?;
        self.take(app, quota, now);
        Ok(())
    }

    /// Gives back a counted start that did not happen.
    pub fn give_back(&mut self, app: &AppId, quota: &Quota, now: Timestamp) {
        self.bucket(app, quota, now).give_back(quota);
    }

    fn bucket(&mut self, app: &AppId, quota: &Quota, now: Timestamp) -> &mut TokenBucket {
        self.0
            .entry(app.clone())
            .or_insert_with(|| TokenBucket::full(quota, now))
    }
}

/// Each app's usage of its rates.
#[derive(Clone, Debug, Default)]
pub struct Rates {
    /// Usage of the rate for confirmations.
    pub confirmations: RateUsage,
    /// Usage of the rate for confirmations that the page of the `OpenID` provider starts.
    pub openid: RateUsage,
    /// Usage of the rate for logins.
    pub logins: RateUsage,
    /// Usage of the rate for association keys.
    pub association_keys: RateUsage,
    /// Usage of the rate for lists.
    pub lists: RateUsage,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::app::quota::count;

    const fn at(ms: u64) -> Timestamp {
        Timestamp::from_millis(1_767_323_045_000 + ms)
    }

    fn quota(per_minute: u32, burst: u32) -> Quota {
        Quota {
            per_minute: count(per_minute),
            burst: count(burst),
            max_open: count(1),
        }
    }

    fn begins(usage: &mut RateUsage, quota: &Quota, ms: u64) -> bool {
        let app = "shop".parse::<AppId>().unwrap();
        let free = usage.check(&app, quota, at(ms)).is_ok();
        if free {
            usage.take(&app, quota, at(ms));
        }
        free
    }

    #[test]
    fn burst_is_allowed_and_then_the_rate() {
        let (mut usage, quota) = (RateUsage::default(), quota(60, 5));
        assert_eq!((0..9).filter(|_| begins(&mut usage, &quota, 0)).count(), 5);
        let app = "shop".parse::<AppId>().unwrap();
        let refused = usage.check(&app, &quota, at(1)).unwrap_err();
        assert_eq!(refused.limit, QuotaLimit::Rate);
        assert_eq!(refused.retry_after.as_millis(), 999);
        assert!(!begins(&mut usage, &quota, 999));
        assert!(begins(&mut usage, &quota, 1_000));
        assert!(!begins(&mut usage, &quota, 1_000));
        usage.give_back(&app, &quota, at(1_000));
        assert!(begins(&mut usage, &quota, 1_000));
        let other = "other".parse::<AppId>().unwrap();
        assert!(usage.check(&other, &quota, at(1_000)).is_ok());
    }

    #[test]
    fn clock_set_back_stops_no_one() {
        let (mut usage, quota) = (RateUsage::default(), quota(60, 1));
        assert!(begins(&mut usage, &quota, 3_600_000));
        assert!(!begins(&mut usage, &quota, 0));
        assert!(begins(&mut usage, &quota, 1_000));
    }

    #[test]
    fn changed_quota_applies_immediately() {
        let mut usage = RateUsage::default();
        assert!(begins(&mut usage, &quota(60, 100), 0));
        let smaller = quota(60, 2);
        assert_eq!(
            (0..9).filter(|_| begins(&mut usage, &smaller, 0)).count(),
            2
        );
    }

    proptest! {
        /// Never allows more than burst and rate together, and allows no less if that many are
        /// requested.
        #[test]
        fn exact(per_minute in 1..5_000_u32, burst in 1..50_u32, step in 1..700_u64) {
            let (mut usage, quota) = (RateUsage::default(), quota(per_minute, burst));
            let mut begun = 0_u64;
            for n in 0..200 {
                while begins(&mut usage, &quota, n * step) {
                    begun += 1;
                }
                let gained = n * step * u64::from(per_minute) / 60_000;
                prop_assert!(begun <= u64::from(burst) + gained);
                // Tokens that do not fit into the bucket are lost.
                if step * u64::from(per_minute) / 60_000 + 2 <= u64::from(burst) {
                    prop_assert_eq!(begun, u64::from(burst) + gained);
                }
            }
        }

        /// Requests that arrive out of order gain nothing.
        #[test]
        fn never_too_many_out_of_order(
            per_minute in 1..5_000_u32,
            burst in 1..50_u32,
            late in prop::collection::vec(0..9_000_u64, 200),
        ) {
            let (mut usage, quota) = (RateUsage::default(), quota(per_minute, burst));
            let times: Vec<u64> = (0..).map(|n| 9_000 + n * 20).zip(&late).map(|(at, late)| at - late).collect();
            let mut begun = 0_u64;
            let mut newest = times[0];
            for ms in &times {
                newest = newest.max(*ms);
                while begins(&mut usage, &quota, *ms) {
                    begun += 1;
                }
                let gained = (newest - times[0]) * u64::from(per_minute) / 60_000;
                prop_assert!(begun <= u64::from(burst) + gained);
            }
        }
    }
}
