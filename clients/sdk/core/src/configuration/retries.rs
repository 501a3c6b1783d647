//! Retries of requests.

use std::time::Duration;

/// When to retry requests that got no answer, or one that asks for a retry. Requests about a login
/// can always be retried, until the login expires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    delays: Vec<Duration>,
    timeout: Option<Duration>,
}

impl RetryPolicy {
    /// Returns the policy for a user who is waiting: ten seconds per attempt, and five retries
    /// within eight seconds.
    #[must_use]
    pub fn standard() -> Self {
        Self {
            delays: [250, 500, 1_000, 2_000, 4_000]
                .map(Duration::from_millis)
                .to_vec(),
            timeout: Some(Duration::from_secs(10)),
        }
    }

    /// Returns a policy with one retry after each of these delays, and no timeout per attempt.
    #[must_use]
    pub const fn after(delays: Vec<Duration>) -> Self {
        let timeout = None;
        Self { delays, timeout }
    }

    /// Sets the timeout of each attempt.
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
