//! Repetition of requests.

use std::time::Duration;

/// Repetition of requests that got no answer, or one that says to try again. Requests of logins can
/// always be repeated; after the login's expiry they are not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    delays: Vec<Duration>,
    timeout: Option<Duration>,
}

impl RetryPolicy {
    /// Returns the policy for people who wait at a phone: ten seconds for an answer, and five
    /// repetitions within eight seconds.
    #[must_use]
    pub fn standard() -> Self {
        Self {
            delays: [250, 500, 1_000, 2_000, 4_000]
                .map(Duration::from_millis)
                .to_vec(),
            timeout: Some(Duration::from_secs(10)),
        }
    }

    /// Returns a policy with one repetition after each of these delays, and no limit to the time of an
    /// attempt.
    #[must_use]
    pub const fn after(delays: Vec<Duration>) -> Self {
        let timeout = None;
        Self { delays, timeout }
    }

    /// Limits the time of each attempt.
    #[must_use]
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    pub(crate) fn delays(&self) -> &[Duration] {
        &self.delays
    }

    pub(crate) const fn attempt_timeout(&self) -> Option<Duration> {
        self.timeout
    }
}
