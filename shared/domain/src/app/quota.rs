//! Quotas: how many confirmations and logins one app may begin, and how many it may have open.
//!
//! A quota bounds what one app costs the others: the disk that its items take and the writes that
//! it asks for. It applies to beginning alone. What has begun is verified and delivered whatever the
//! quota says.

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

/// How many of one kind an app may begin and have open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// How many it may begin in a minute, sustained.
    pub per_minute: NonZeroU32,
    /// How many it may begin at once after a pause.
    pub burst: NonZeroU32,
    /// How many may be open at the same time.
    pub max_open: NonZeroU32,
}

const fn count(number: u32) -> NonZeroU32 {
    match NonZeroU32::new(number) {
        Some(number) => number,
        None => NonZeroU32::MIN,
    }
}

impl Quota {
    /// Confirmations, unless the operator says otherwise: 20 a second. An open one takes 0.5 KiB
    /// for 24 hours, so that this is 0.8 GiB for an app that begins as many as it may all day.
    pub const CONFIRMATIONS: Self = Self {
        per_minute: count(1_200),
        burst: count(6_000),
        max_open: count(100_000),
    };

    /// Logins, unless the operator says otherwise: 300 a second. App keys are public, so that a
    /// stranger can use this quota up: it takes thirty addresses that each open as many as an
    /// address may. A login takes 1 KiB for up to 15 minutes: 270 MiB.
    pub const LOGINS: Self = Self {
        per_minute: count(18_000),
        burst: count(18_000),
        max_open: count(100_000),
    };
}

/// Whether beginning is held to a quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowance {
    /// It is not.
    Unlimited,
    /// It is held to this one.
    Within(Quota),
}

/// A quota that is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the app's quota is used up")]
pub struct QuotaExceeded {
    /// Which part of it.
    pub limit: QuotaLimit,
    /// When it is worth trying again, from now on.
    pub retry_after: Duration,
}

/// A part of a quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QuotaLimit {
    /// Too many were begun lately.
    Rate,
    /// Too many are open.
    Open,
}
