//! How many names that an app never saw are remembered in a day.

use std::net::IpAddr;

use countersign_domain::login::history::{NameLimit, NewNames};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::address_block::{AddressBlock, SitePrefix};
use sha2::{Digest as _, Sha256};

use super::windows::Windows;
use super::{RateLimiter, RateLimits, locked};

/// A hash of an app's name.
type AppHash = [u8; 16];

/// New names of each app, and of each network in each app.
pub(super) struct Names {
    pub(super) apps: Windows<AppHash>,
    pub(super) blocks: Windows<(AppHash, AddressBlock)>,
    pub(super) sites: Windows<(AppHash, SitePrefix)>,
}

/// The keys that a name is counted under.
struct Keys {
    app: AppHash,
    block: (AppHash, AddressBlock),
    site: Option<(AppHash, SitePrefix)>,
}

impl Keys {
    fn of(app: &AppId, phone: IpAddr) -> Self {
        let mut hash = [0; 16];
        hash.copy_from_slice(&Sha256::digest(app.as_str().as_bytes())[..16]);
        Self {
            app: hash,
            block: (hash, AddressBlock::of(phone)),
            site: SitePrefix::of(phone).map(|site| (hash, site)),
        }
    }
}

impl Names {
    fn take(&mut self, keys: &Keys, now: Timestamp) -> NewNames {
        let waits = [
            self.apps.wait(keys.app, now),
            self.blocks.wait(keys.block, now),
            keys.site.and_then(|site| self.sites.wait(site, now)),
        ];
        if waits.into_iter().flatten().next().is_some() {
            return NewNames::LeaveOut;
        }
        self.apps.count(keys.app, now);
        self.blocks.count(keys.block, now);
        if let Some(site) = keys.site {
            self.sites.count(site, now);
        }
        NewNames::Remember
    }

    fn give_back(&mut self, keys: &Keys) {
        self.apps.uncount(keys.app);
        self.blocks.uncount(keys.block);
        if let Some(site) = keys.site {
            self.sites.uncount(site);
        }
    }
}

impl NameLimit for RateLimiter {
    fn take(&self, app: &AppId, phone: IpAddr, now: Timestamp) -> NewNames {
        match self.limits {
            RateLimits::Lifted => NewNames::Remember,
            RateLimits::Enforced => locked(&self.names).take(&Keys::of(app, phone), now),
        }
    }

    fn give_back(&self, app: &AppId, phone: IpAddr, _: Timestamp) {
        if self.limits == RateLimits::Enforced {
            locked(&self.names).give_back(&Keys::of(app, phone));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_767_323_045_678);

    fn remembered(
        limiter: &RateLimiter,
        app: &str,
        addresses: impl Iterator<Item = String>,
    ) -> u32 {
        let app = app.parse::<AppId>().unwrap();
        let remembered = addresses.filter(|address| {
            limiter.take(&app, address.parse().unwrap(), NOW) == NewNames::Remember
        });
        u32::try_from(remembered.count()).unwrap()
    }

    #[test]
    fn names_are_bounded_for_each_app_address_and_site() {
        let limiter = RateLimiter::new(RateLimits::Enforced);
        let one = |_| "203.0.113.7".to_owned();
        assert_eq!(remembered(&limiter, "shop", (0..1_500).map(one)), 1_000);
        let line = |n| format!("2001:db8:7:1::{n:x}");
        assert_eq!(remembered(&limiter, "shop", (0..1_500).map(line)), 1_000);
        let site = |n| format!("2001:db8:7:{n:x}::1");
        assert_eq!(remembered(&limiter, "shop", (0..9_999).map(site)), 3_000);
        let anywhere = |n: u32| format!("10.{}.{}.1", n / 256, n % 256);
        let rest = remembered(&limiter, "shop", (0..65_536).map(anywhere));
        assert_eq!(rest, 15_000);
        assert_eq!(remembered(&limiter, "other", (0..9).map(one)), 9);
    }

    #[test]
    fn a_name_that_is_not_new_does_not_count() {
        let limiter = RateLimiter::new(RateLimits::Enforced);
        let (app, phone) = (
            "shop".parse::<AppId>().unwrap(),
            "2001:db8::1".parse().unwrap(),
        );
        for _ in 0..5_000 {
            assert_eq!(limiter.take(&app, phone, NOW), NewNames::Remember);
            limiter.give_back(&app, phone, NOW);
        }
        let later = NOW.plus(Duration::from_hours(1));
        for _ in 0..1_000 {
            assert_eq!(limiter.take(&app, phone, later), NewNames::Remember);
        }
        assert_eq!(limiter.take(&app, phone, later), NewNames::LeaveOut);
    }
}
