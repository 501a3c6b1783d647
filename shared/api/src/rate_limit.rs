//! Rate limits for each network, counted in the memory of the process.
//!
//! Three kinds of events are limited: misses, which are requests about a login that the caller cannot
//! prove to own; openings of logins, which need no secret; and user names that an app has never seen,
//! each of which is remembered for thirty days. A miss is counted after the lookup has failed, and a
//! miss beyond the limit is answered with 429 instead of 404. A request that proves ownership of the
//! login is never limited, whichever clients share its address.
//!
//! Each counter checks and counts under one lock, so a burst cannot exceed the limit. On AWS each
//! instance of a function counts for itself and starts at zero.

mod names;
pub(crate) mod source;
mod windows;

use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use countersign_domain::login::history::{NameLimit, NewNames};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::address_block::{AddressBlock, SitePrefix};

use crate::problem::{Problem, ProblemCode};
use names::Names;
use source::{Page, Source};
use windows::Windows;

/// Maximum number of keys per counter, which take two megabytes.
const MAX_KEYS: usize = 10_000;

/// Maximum misses per minute of one page at one address block.
const MAX_MISSES_PER_PAGE: u32 = 30;

/// Maximum misses per minute of one address block.
const MAX_MISSES_PER_BLOCK: u32 = 300;

/// Maximum misses per minute of one IPv6 /48.
const MAX_MISSES_PER_SITE: u32 = 1_200;

/// Maximum logins opened per minute from one address block: ten per second, for users who share a
/// line.
const MAX_OPENINGS_PER_BLOCK: u32 = 600;

/// Maximum logins opened per minute from one IPv6 /48.
const MAX_OPENINGS_PER_SITE: u32 = 2_400;

/// The window of misses and openings.
const MINUTE: Duration = Duration::from_mins(1);

/// The window of new names.
const DAY: Duration = Duration::from_hours(24);

/// Maximum new names per day of one app.
const MAX_NEW_NAMES_PER_APP: u32 = 20_000;

/// Maximum new names per day of one app, claimed by phones of one address block.
const MAX_NEW_NAMES_PER_BLOCK: u32 = 1_000;

/// Maximum new names per day of one app, claimed by phones of one IPv6 /48.
const MAX_NEW_NAMES_PER_SITE: u32 = 4_000;

/// Whether this process enforces its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum RateLimits {
    /// Every limit applies.
    #[default]
    Enforced,
    /// No limit applies: for load and protocol tests against a server on loopback.
    Lifted,
}

/// Holds the rate-limit counters; create one per process.
pub(crate) struct RateLimiter {
    limits: RateLimits,
    misses: Mutex<Misses>,
    openings: Mutex<Openings>,
    names: Mutex<Names>,
}

struct Misses {
    pages: Windows<(AddressBlock, Page)>,
    blocks: Windows<AddressBlock>,
    sites: Windows<SitePrefix>,
}

struct Openings {
    blocks: Windows<AddressBlock>,
    sites: Windows<SitePrefix>,
}

/// Whether an event is within its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Counted,
    /// The event exceeds a limit and was not counted.
    Exceeded {
        retry_after: Duration,
    },
}

impl RateLimiter {
    /// Creates a limiter with all counters at zero.
    pub(crate) fn new(limits: RateLimits) -> Self {
        Self {
            limits,
            misses: Mutex::new(Misses {
                pages: Windows::new(MAX_KEYS, MAX_MISSES_PER_PAGE, MINUTE),
                blocks: Windows::new(MAX_KEYS, MAX_MISSES_PER_BLOCK, MINUTE),
                sites: Windows::new(MAX_KEYS, MAX_MISSES_PER_SITE, MINUTE),
            }),
            openings: Mutex::new(Openings {
                blocks: Windows::new(MAX_KEYS, MAX_OPENINGS_PER_BLOCK, MINUTE),
                sites: Windows::new(MAX_KEYS, MAX_OPENINGS_PER_SITE, MINUTE),
            }),
            names: Mutex::new(Names {
                apps: Windows::new(MAX_KEYS, MAX_NEW_NAMES_PER_APP, DAY),
                blocks: Windows::new(MAX_KEYS, MAX_NEW_NAMES_PER_BLOCK, DAY),
                sites: Windows::new(MAX_KEYS, MAX_NEW_NAMES_PER_SITE, DAY),
            }),
        }
    }

    /// Counts a miss, or returns the problem to answer if the limit is exceeded.
    pub(crate) fn count_miss(&self, source: Source, now: Timestamp) -> Result<(), Problem> {
        if self.limits == RateLimits::Lifted {
            return Ok(());
        }
        allow(
            locked(&self.misses).count(source, now),
            ProblemCode::TooManyMisses,
        )
    }

    /// Counts a login that is about to be opened, or returns the problem to answer if the limit is
    /// exceeded.
    pub(crate) fn count_opening(&self, source: Source, now: Timestamp) -> Result<(), Problem> {
        if self.limits == RateLimits::Lifted {
            return Ok(());
        }
        allow(
            locked(&self.openings).count(source, now),
            ProblemCode::TooManySessions,
        )
    }
}

impl NameLimit for RateLimiter {
    fn take(&self, app: &AppId, phone: IpAddr, now: Timestamp) -> NewNames {
        match self.limits {
            RateLimits::Lifted => NewNames::Remember,
            RateLimits::Enforced => locked(&self.names).take(&names::Keys::new(app, phone), now),
        }
    }

    fn give_back(&self, app: &AppId, phone: IpAddr, _: Timestamp) {
        if self.limits == RateLimits::Enforced {
            locked(&self.names).give_back(&names::Keys::new(app, phone));
        }
    }
}

impl Misses {
    fn count(&mut self, source: Source, now: Timestamp) -> Verdict {
        let (block, page) = (source.block(), (source.block(), source.page()));
        let waits = [
            self.pages.wait(page, now),
            self.blocks.wait(block, now),
            source.site().and_then(|site| self.sites.wait(site, now)),
        ];
        if let Some(retry_after) = waits.into_iter().flatten().max() {
            return Verdict::Exceeded { retry_after };
        }
        self.pages.count(page, now);
        self.blocks.count(block, now);
        if let Some(site) = source.site() {
            self.sites.count(site, now);
        }
        Verdict::Counted
    }
}

impl Openings {
    fn count(&mut self, source: Source, now: Timestamp) -> Verdict {
        let waits = [
            self.blocks.wait(source.block(), now),
            source.site().and_then(|site| self.sites.wait(site, now)),
        ];
        if let Some(retry_after) = waits.into_iter().flatten().max() {
            return Verdict::Exceeded { retry_after };
        }
        self.blocks.count(source.block(), now);
        if let Some(site) = source.site() {
            self.sites.count(site, now);
        }
        Verdict::Counted
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn allow(verdict: Verdict, code: ProblemCode) -> Result<(), Problem> {
    match verdict {
        Verdict::Counted => Ok(()),
        Verdict::Exceeded { retry_after } => Err(Problem::new(code)
            .detail("Wait as long as Retry-After says.")
            .retry_after(retry_after)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_767_323_045_678);

    /// Claims a new name from each address, and returns how many are remembered.
    fn remembered(
        limiter: &RateLimiter,
        app: &str,
        addresses: impl Iterator<Item = String>,
    ) -> u32 {
        let app: AppId = app.parse().unwrap();
        let remembered = addresses.filter(|address| {
            limiter.take(&app, address.parse().unwrap(), NOW) == NewNames::Remember
        });
        u32::try_from(remembered.count()).unwrap()
    }

    #[test]
    fn new_names_are_limited_by_app_address_and_site() {
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
    fn known_name_is_not_counted() {
        let limiter = RateLimiter::new(RateLimits::Enforced);
        let app: AppId = "shop".parse().unwrap();
        let phone = "2001:db8::1".parse().unwrap();
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
