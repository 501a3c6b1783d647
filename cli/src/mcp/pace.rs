//! The limit on an assistant's calls.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

/// Number of calls that may begin within [`PERIOD`].
pub(super) const MAX_CALLS: usize = 60;

pub(super) const PERIOD: Duration = Duration::from_mins(1);

/// The beginnings of the latest calls, oldest first.
#[derive(Debug, Default)]
pub(super) struct Pace(VecDeque<Instant>);

impl Pace {
    /// Counts a call, or returns the time until the next one may begin.
    pub(super) fn begin(&mut self) -> Result<(), Duration> {
        let now = Instant::now();
        while self.0.front().is_some_and(|first| now - *first >= PERIOD) {
            self.0.pop_front();
        }
        match self.0.front() {
            Some(first) if self.0.len() >= MAX_CALLS => {
                Err((*first + PERIOD).saturating_duration_since(now))
            }
            _ => {
                self.0.push_back(now);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn call_beyond_the_limit_waits_for_the_oldest_to_age() {
        let mut pace = Pace::default();
        assert_eq!(pace.begin(), Ok(()));
        tokio::time::advance(Duration::from_secs(20)).await;
        for _ in 1..MAX_CALLS {
            assert_eq!(pace.begin(), Ok(()));
        }
        assert_eq!(pace.begin(), Err(Duration::from_secs(40)));
        tokio::time::advance(Duration::from_secs(40)).await;
        assert_eq!(pace.begin(), Ok(()));
        assert_eq!(pace.begin(), Err(Duration::from_secs(20)));
    }
}
