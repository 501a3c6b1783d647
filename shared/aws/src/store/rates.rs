//! The rates that each app has used in this instance.

use std::sync::{Mutex, MutexGuard, PoisonError};

use countersign_domain::app::quota::{Quota, QuotaExceeded, RateUsage, Rates};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;

/// The rates of this instance.
#[derive(Default)]
pub(super) struct InstanceRates(Mutex<Rates>);

/// Selects one of the rates.
pub(super) type Kind = fn(&mut Rates) -> &mut RateUsage;

pub(super) const CONFIRMATIONS: Kind = |rates| &mut rates.confirmations;
pub(super) const LOGINS: Kind = |rates| &mut rates.logins;
pub(super) const ASSOCIATION_KEYS: Kind = |rates| &mut rates.association_keys;

impl InstanceRates {
    fn locked(&self) -> MutexGuard<'_, Rates> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts one start, if the app's rate allows it.
    pub(super) fn take(
        &self,
        kind: Kind,
        app: &AppId,
        quota: &Quota,
        now: Timestamp,
    ) -> Result<(), QuotaExceeded> {
        kind(&mut self.locked()).count(app, quota, now)
    }

    /// Gives back a start that was counted but did not happen.
    pub(super) fn give_back(&self, kind: Kind, app: &AppId, quota: &Quota, now: Timestamp) {
        kind(&mut self.locked()).give_back(app, quota, now);
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;

    #[test]
    fn confirmations_and_logins_have_separate_rates() {
        let (rates, app) = (InstanceRates::default(), "shop".parse::<AppId>().unwrap());
        let now = Timestamp::from_millis(1_767_323_045_678);
        let quota = Quota {
            burst: NonZeroU32::MIN,
            ..Quota::LOGINS
        };
        let take = |kind| rates.take(kind, &app, &quota, now).is_ok();
        assert!(take(CONFIRMATIONS));
        assert!(!take(CONFIRMATIONS));
        assert!(take(LOGINS));
        rates.give_back(CONFIRMATIONS, &app, &quota, now);
        assert!(take(CONFIRMATIONS));
    }
}
