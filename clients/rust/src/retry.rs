//! When requests are retried, and after what wait.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http::HeaderMap;

use crate::error::Error;
use crate::request::{Outcome, Repeat, text_of};
use crate::world::seconds_of;

const FIRST_WAIT: f64 = 0.5;
const MAX_WAIT: f64 = 8.0;
/// Maximum value of `Retry-After`, in seconds.
const MAX_RETRY_AFTER: u64 = (1 << 31) - 1;
const RETRIED_STATUSES: [u16; 5] = [429, 500, 502, 503, 504];
const MAX_RETRIES: u32 = 10;
const MAX_TIMEOUT: Duration = Duration::from_secs(1_000_000_000);
/// Timeout of an attempt, except for the last one, which may use all the remaining time.
pub(crate) const TRY_TIMEOUT: Duration = Duration::from_secs(10);

/// The limits of a call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Timeout of a call, including all attempts and waits.
    pub(crate) timeout: Duration,
    pub(crate) max_retries: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(30),
            max_retries: 2,
        }
    }
}

impl Limits {
    pub(crate) fn check(self) -> Result<Self, Error> {
        if self.timeout.is_zero() || self.timeout >= MAX_TIMEOUT {
            return Err(Error::invalid(
                "timeout is zero or longer than a call can take",
            ));
        }
        if self.max_retries > MAX_RETRIES {
            return Err(Error::invalid(format!(
                "max_retries is more than {MAX_RETRIES}"
            )));
        }
        Ok(self)
    }
}

/// Returns the wait before the request is retried, or `None` if it is not. `chance` is a random
/// number from 0 to 1.
pub(crate) fn wait(repeat: Repeat, tries: u32, outcome: &Outcome, chance: f64) -> Option<Duration> {
    if !may_repeat(repeat, outcome) {
        return None;
    }
    let asked = outcome.as_ref().ok().and_then(|answer| answer.retry_after);
    if let Some(asked) = asked.filter(|wait| !wait.is_zero()) {
        return Some(asked);
    }
    let wait = (FIRST_WAIT * 2.0_f64.powi(tries.min(16).cast_signed() - 1)).min(MAX_WAIT);
    Some(Duration::from_secs_f64(wait + wait * chance / 4.0))
}

fn may_repeat(repeat: Repeat, outcome: &Outcome) -> bool {
    match (repeat, outcome) {
        (Repeat::Safe, Ok(answer)) => RETRIED_STATUSES.contains(&answer.status.as_u16()),
        (Repeat::Safe, Err(_)) => true,
        (Repeat::IfRefused, Ok(answer)) => answer.status.as_u16() == 429,
        (Repeat::IfRefused, Err(lost)) => !lost.sent,
        (Repeat::Never, _) => false,
    }
}

/// Returns the wait from `Retry-After`, which may also be a date. `now`, in seconds since 1970, is
/// used for answers without a date.
pub(crate) fn retry_after(headers: &HeaderMap, now: f64) -> Option<Duration> {
    let value = text_of(headers, "retry-after")?;
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number too large to parse exceeds the maximum wait.
        let seconds = value.parse().unwrap_or(MAX_RETRY_AFTER);
        return Some(Duration::from_secs(seconds.min(MAX_RETRY_AFTER)));
    }
    let until = httpdate::parse_http_date(value).ok()?;
    let date = text_of(headers, "date").and_then(|date| httpdate::parse_http_date(date).ok());
    let now = date.or_else(|| time_at(now))?;
    let seconds = (seconds_of(until) - seconds_of(now)).max(0.0).ceil();
    Some(Duration::from_secs_f64(seconds))
}

fn time_at(seconds: f64) -> Option<SystemTime> {
    UNIX_EPOCH.checked_add(Duration::try_from_secs_f64(seconds).ok()?)
}
