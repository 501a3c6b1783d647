//! Limits how often a server's own route starts confirmations, logins or approvals.
//!
//! ```
//! use std::net::IpAddr;
//! use countersign_client::limits::{Start, StartLimiter};
//!
//! # fn route(limiter: &StartLimiter, session_id: &str, address: IpAddr, typed: &str) -> Result<(), countersign_client::Error> {
//! if let Some(refusal) = limiter.take(&Start::new(session_id, address).phone_number(typed))? {
//!     // Answer 429, with `Retry-After` in seconds.
//!     let seconds = refusal.retry_after.as_secs();
//! }
//! # Ok(())
//! # }
//! ```

use std::collections::HashMap;
use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use icu_properties::CodePointMapData;
use icu_properties::props::GeneralCategory;
use sha2::{Digest as _, Sha256};

use crate::error::Error;
use crate::identity::base64url;
use crate::options;

/// National and international spellings of a number end with the same digits.
const NUMBER_DIGITS: usize = 9;
const SWEEP_INTERVAL: Duration = Duration::from_mins(1);

/// A maximum number of starts within a period, which begins with the first of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Maximum number of starts.
    pub starts: u32,
    /// Length of the period.
    pub within: Duration,
}

/// The subject of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// The browser.
    Browser,
    /// The visitor's address. All addresses of an IPv6 /64 count as one.
    Address,
    /// The phone number. National and international spellings count as one.
    Number,
}

impl Kind {
    /// Returns the kind's name, such as `browser`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Browser => "browser",
            Self::Address => "address",
            Self::Number => "number",
        }
    }
}

/// A request to start something. `Debug` hides it.
#[derive(Clone, Copy)]
pub struct Start<'a> {
    browser: &'a str,
    address: IpAddr,
    phone_number: Option<&'a str>,
}

impl<'a> Start<'a> {
    /// Creates a request. `browser` identifies the browser, for example by the id of its session. `address` is the
    /// visitor's address: behind a proxy, take it from the header that your own proxy sets.
    #[must_use]
    pub fn new(browser: &'a str, address: IpAddr) -> Self {
        Self {
            browser,
            address,
            phone_number: None,
        }
    }

    /// Sets the number, as the user typed it.
    #[must_use]
    pub fn phone_number(mut self, number: &'a str) -> Self {
        self.phone_number = Some(number);
        self
    }
}

impl fmt::Debug for Start<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Start(…)")
    }
}

/// The limit that refused a start. Answer 429 with `Retry-After`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct StartRefusal {
    /// The exceeded limit. Do not show it to users.
    pub limit: Kind,
    /// The wait, in whole seconds.
    pub retry_after: Duration,
}

/// Limits starts by browser, address and number. Create one per process, and share it.
///
/// **It counts in the memory of this process**, and stores only hashes, not numbers or addresses.
pub struct StartLimiter {
    per_browser: Limit,
    per_address: Limit,
    per_number: Limit,
    now: Box<dyn Fn() -> Duration + Send + Sync>,
    counts: Mutex<Counts>,
}

#[derive(Default)]
struct Counts {
    windows: HashMap<String, Window>,
    swept_at: Duration,
}

struct Window {
    ends_at: Duration,
    starts: u32,
}

impl StartLimiter {
    /// Creates a limiter: 5 in ten minutes per browser, 30 in ten minutes per address, 5 in an hour per number.
    #[must_use]
    pub fn new() -> Self {
        let start = Instant::now();
        Self::with_clock(move || start.elapsed())
    }

    fn with_clock(now: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        let limit = |starts, minutes| Limit {
            starts,
            within: Duration::from_mins(minutes),
        };
        Self {
            per_browser: limit(5, 10),
            per_address: limit(30, 10),
            per_number: limit(5, 60),
            now: Box::new(now),
            counts: Mutex::default(),
        }
    }

    /// Sets the limit per browser.
    #[must_use]
    pub fn per_browser(mut self, limit: Limit) -> Self {
        self.per_browser = limit;
        self
    }

    /// Sets the limit per address.
    #[must_use]
    pub fn per_address(mut self, limit: Limit) -> Self {
        self.per_address = limit;
        self
    }

    /// Sets the limit per number.
    #[must_use]
    pub fn per_number(mut self, limit: Limit) -> Self {
        self.per_number = limit;
        self
    }

    /// Counts a start, and returns `None` if it is allowed. A start refused by one limit does not count against
    /// the others.
    ///
    /// # Errors
    ///
    /// Fails if the browser is empty, because that would bypass the limit. Start nothing then.
    pub fn take(&self, start: &Start<'_>) -> Result<Option<StartRefusal>, Error> {
        options::text("browser", start.browser)?;
        // The service refuses a text without digits, so it needs no limit.
        let number = start.phone_number.and_then(number_value);
        let values = [
            (
                Kind::Browser,
                self.per_browser,
                Some(start.browser.to_owned()),
            ),
            (
                Kind::Address,
                self.per_address,
                Some(address_value(start.address)),
            ),
            (Kind::Number, self.per_number, number),
        ];
        let keys = values
            .into_iter()
            .filter_map(|(kind, limit, value)| Some((kind, limit, key_of(kind, &value?))));
        let keys: Vec<_> = keys.collect();
        let now = (self.now)();
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.sweep(now);
        for (kind, limit, key) in &keys {
            if let Some(wait) = counts.wait(key, *limit, now) {
                return Ok(Some(StartRefusal {
                    limit: *kind,
                    retry_after: wait,
                }));
            }
        }
        for (_, limit, key) in keys {
            counts.add(key, limit, now);
        }
        Ok(None)
    }
}

impl Default for StartLimiter {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for StartLimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StartLimiter")
            .field("per_browser", &self.per_browser)
            .field("per_address", &self.per_address)
            .field("per_number", &self.per_number)
            .finish_non_exhaustive()
    }
}

impl Counts {
    fn sweep(&mut self, now: Duration) {
        if now.saturating_sub(self.swept_at) > SWEEP_INTERVAL {
            self.swept_at = now;
            self.windows.retain(|_, window| window.ends_at > now);
        }
    }

    /// Returns the time until one more start is allowed, or `None` if it is allowed now.
    fn wait(&self, key: &str, limit: Limit, now: Duration) -> Option<Duration> {
        let window = self.windows.get(key).filter(|window| window.ends_at > now);
        if window.map_or(0, |window| window.starts) < limit.starts {
            return None;
        }
        let left = window.map_or(limit.within, |window| window.ends_at.saturating_sub(now));
        let seconds = left.as_secs() + u64::from(left.subsec_nanos() > 0);
        Some(Duration::from_secs(seconds.max(1)))
    }

    fn add(&mut self, key: String, limit: Limit, now: Duration) {
        let ends_at = now + limit.within;
        let window = self
            .windows
            .entry(key)
            .or_insert(Window { ends_at, starts: 0 });
        if window.ends_at <= now {
            *window = Window { ends_at, starts: 0 };
        }
        window.starts += 1;
    }
}

fn key_of(kind: Kind, value: &str) -> String {
    let content = ["countersign/limit/1", kind.as_str(), value].join("\0");
    format!("{}:{}", kind.as_str(), base64url(Sha256::digest(content)))
}

/// Returns an IPv4 address unchanged, or the network of an IPv6 address, because one visitor has all of its
/// addresses.
fn address_value(address: IpAddr) -> String {
    let network = |v6: Ipv6Addr| {
        let [a, b, c, d, ..] = v6.segments();
        format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
    };
    match address {
        IpAddr::V4(v4) => v4.to_string(),
        IpAddr::V6(v6) => v6
            .to_ipv4_mapped()
            .map_or_else(|| network(v6), |v4| v4.to_string()),
    }
}

/// Returns the last digits of a number in any script, or `None` if it has no digits.
fn number_value(number: &str) -> Option<String> {
    let digits: Vec<char> = number.chars().filter_map(digit).collect();
    let last = &digits[digits.len().saturating_sub(NUMBER_DIGITS)..];
    (!last.is_empty()).then(|| last.iter().collect())
}

/// Converts a digit of any script to ASCII. Unicode encodes the ten digits of a script contiguously, in ascending
/// order, so the number of digits directly before one is its value.
fn digit(c: char) -> Option<char> {
    let is_digit = |code| {
        CodePointMapData::<GeneralCategory>::new().get32(code) == GeneralCategory::DecimalNumber
    };
    if !is_digit(u32::from(c)) {
        return None;
    }
    let earlier = (0..u32::from(c))
        .rev()
        .take_while(|code| is_digit(*code))
        .count();
    char::from_digit(u32::try_from(earlier % 10).ok()?, 10)
}

#[cfg(test)]
mod tests;
