//! Quotas: how many confirmations, logins and association keys one app may start and have open, and
//! how often it may list.
//!
//! A quota limits the cost of one app to the others: the disk space of its items, its share of writes,
//! and the time that its lists take. Quotas apply only to starting and listing. Items that have
//! started are verified and delivered regardless of the quota.

mod bucket;
mod open;
mod settings;
mod usage;

use std::num::NonZeroU32;
use std::time::Duration;

use thiserror::Error;

pub use open::OpenCount;
pub use settings::{AppQuotas, QuotaSettings};
pub use usage::{RateUsage, Rates};

/// The limits for one kind of item of an app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Sustained number of items that may be started per minute.
    pub per_minute: NonZeroU32,
    /// Number of items that may be started in a burst after a pause.
    pub burst: NonZeroU32,
    /// Number of items that may be open at the same time. An association key is open forever, even
    /// if it is revoked, because its tombstone is kept. A list is open until it is answered.
    pub max_open: NonZeroU32,
}

const fn count(number: u32) -> NonZeroU32 {
    match NonZeroU32::new(number) {
        Some(number) => number,
        None => NonZeroU32::MIN,
    }
}

impl Quota {
    /// The default for confirmations: 20 a second. An open confirmation takes 0.5 KiB for 24 hours,
    /// which makes 0.8 GiB for an app that starts as many as allowed all day.
    pub const CONFIRMATIONS: Self = Self {
        per_minute: count(1_200),
        burst: count(6_000),
        max_open: count(100_000),
    };

    /// The default for logins: 300 a second. App keys are public, so strangers can use up this
    /// quota, but only from thirty IP addresses that each create as many logins as one address may.
    /// A login takes 1 KiB for up to 15 minutes, which makes 270 MiB.
    pub const LOGINS: Self = Self {
        per_minute: count(18_000),
        burst: count(18_000),
        max_open: count(100_000),
    };

    /// The default for association keys: 10 a second. A key takes 0.5 KiB forever, or 0.8 KiB with
    /// the longest user id, which makes 0.8 GiB at most.
    pub const ASSOCIATION_KEYS: Self = Self {
        per_minute: count(600),
        burst: count(6_000),
        max_open: count(1_000_000),
    };

    /// The default for lists: 20 a second, enough for many dashboards that each refresh every second. A page
    /// takes a few milliseconds of CPU time at most, so an app that lists all the time uses a tenth of one
    /// CPU.
    pub const LISTS: Self = Self {
        per_minute: count(1_200),
        burst: count(1_200),
        max_open: count(32),
    };
}

impl Quota {
    /// Returns the part of the quota that strangers may use up: half of the open items.
    #[must_use]
    pub const fn for_strangers(self) -> Self {
        Self {
            max_open: count(self.max_open.get().div_ceil(2)),
            ..self
        }
    }
}

/// The quota that applies to a start, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowance {
    /// No quota applies.
    Unlimited,
    /// This quota applies.
    Within(Quota),
}

/// The error for a start that a quota does not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the app's quota is used up")]
pub struct QuotaExceeded {
    /// The part of the quota that was exceeded.
    pub limit: QuotaLimit,
    /// Time to wait before retrying.
    pub retry_after: Duration,
}

/// The parts of a quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QuotaLimit {
    /// Too many items were started recently.
    Rate,
    /// Too many items are open.
    Open,
}
