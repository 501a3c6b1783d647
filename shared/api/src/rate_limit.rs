//! Limits on what one network may do, counted in the memory of the process.
//!
//! Three things are limited: misses, which are requests about a login session that the caller does
//! not belong to; openings of login sessions, which need no secret; and names that an app never
//! saw, each of which is remembered for thirty days. A miss is counted once the look-up has failed,
//! and one beyond the limit is answered 429 instead of its 404. A request that proves that it
//! belongs to a session never meets this limit, whoever shares its address.
//!
//! Every counter is decided and raised under one lock, so a burst gets no more than the limit. On
//! AWS each instance of a function counts for itself and forgets when it ends.

mod guard;
mod names;
mod source;
mod windows;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::address_block::{AddressBlock, SitePrefix};

pub(crate) use guard::guard;
use names::Names;
use source::Page;
pub(crate) use source::Source;
use windows::Windows;

use crate::problem::{Problem, ProblemCode};

/// Keys that each counter remembers: two megabytes at most.
const MAX_KEYS: usize = 10_000;

/// Misses a minute of one page, at one address block.
const MAX_MISSES_PER_PAGE: u32 = 30;

/// Misses a minute of one address block.
const MAX_MISSES_PER_BLOCK: u32 = 300;

/// Misses a minute of one IPv6 /48.
const MAX_MISSES_PER_SITE: u32 = 1_200;

/// Openings a minute from one address block: ten a second, for the people behind one line.
const MAX_OPENINGS_PER_BLOCK: u32 = 600;

/// Openings a minute from one IPv6 /48.
const MAX_OPENINGS_PER_SITE: u32 = 2_400;

/// How long misses and openings are counted together.
const MINUTE: Duration = Duration::from_mins(1);

/// How long new names are counted together.
const DAY: Duration = Duration::from_hours(24);

/// Names a day that an app never saw before.
const MAX_NEW_NAMES_PER_APP: u32 = 20_000;

/// Names a day that an app never saw before, claimed by phones of one address block.
const MAX_NEW_NAMES_PER_BLOCK: u32 = 1_000;

/// Names a day that an app never saw before, claimed by phones of one IPv6 /48.
const MAX_NEW_NAMES_PER_SITE: u32 = 4_000;

/// Whether callers are held to the limits of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum RateLimits {
    /// Every limit applies.
    #[default]
    Enforced,
    /// No limit applies: for tests of load and of the protocol against a server on loopback.
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
    /// It is, and was counted.
    Counted,
    /// It is beyond one of them, and was not counted.
    Exceeded { retry_after: Duration },
}

impl RateLimiter {
    /// Creates a limiter whose counters are at zero.
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

    /// Counts a miss. Fails where it is one too many, with the answer that it gets for that.
    pub(crate) fn count_miss(&self, source: Source, now: Timestamp) -> Result<(), Problem> {
        if self.limits == RateLimits::Lifted {
            return Ok(());
        }
        allow(
            locked(&self.misses).count(source, now),
            ProblemCode::TooManyMisses,
        )
    }

    /// Counts a session that is about to be opened. Fails where it is one too many.
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
            .detail("Wait for as long as Retry-After says.")
            .retry_after(retry_after)),
    }
}
