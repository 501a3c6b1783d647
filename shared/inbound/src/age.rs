//! The age of a call whose provider signs the time.

use std::time::Duration;

use countersign_domain::primitives::time::Timestamp;

use crate::error::InboundError;

/// Maximum difference between a signed time and the current time, in either direction.
pub const TOLERANCE: Duration = Duration::from_mins(5);

/// Maximum length of a time in seconds, in digits; eleven reach beyond the year 5000.
const MAX_DIGITS: usize = 11;

/// Parses seconds since the Unix epoch, in plain digits.
pub(crate) fn parse(text: &str) -> Option<u64> {
    let plain = (1..=MAX_DIGITS).contains(&text.len()) && text.bytes().all(|c| c.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

/// Checks that a time, in seconds since the Unix epoch, is close to the current time.
pub(crate) fn check(at: u64, now: Timestamp) -> Result<(), InboundError> {
    if now.as_secs().abs_diff(at) > TOLERANCE.as_secs() {
        Err(InboundError::TooOld)
    } else {
        Ok(())
    }
}
