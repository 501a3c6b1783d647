//! To which origins connections are kept.
//!
//! The pool below bounds idle connections for each origin, not over all of them: with enough
//! receivers it would hold sockets without bound. So only so many origins use it at a time.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// The origins that may use the pool, each with when it last did.
pub(super) struct KeptOrigins {
    last_used: Mutex<HashMap<String, Instant>>,
    most: usize,
    forgotten_after: Duration,
}

impl KeptOrigins {
    /// Room for `most` origins; one is forgotten `forgotten_after` its last use, which must be
    /// long enough for its connections to have been closed.
    pub(super) fn new(most: usize, forgotten_after: Duration) -> Self {
        Self {
            last_used: Mutex::default(),
            most,
            forgotten_after,
        }
    }

    /// Whether connections to `origin` may be kept; if so it counts as used now.
    pub(super) fn admit(&self, origin: String) -> bool {
        let now = Instant::now();
        let mut last_used = self
            .last_used
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if !last_used.contains_key(&origin) && last_used.len() >= self.most {
            last_used.retain(|_, used| now.duration_since(*used) < self.forgotten_after);
        }
        let admitted = last_used.contains_key(&origin) || last_used.len() < self.most;
        if admitted {
            last_used.insert(origin, now);
        }
        admitted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn has_room_for_so_many_and_forgets_the_unused() {
        let kept = KeptOrigins::new(2, Duration::from_secs(10));
        let admit = |origin: &str| kept.admit(origin.to_owned());
        assert!(admit("a") && admit("b"));
        assert!(!admit("c"));
        tokio::time::advance(Duration::from_secs(9)).await;
        assert!(admit("a") && !admit("c"));
        tokio::time::advance(Duration::from_secs(1)).await;
        // `b` was not used for ten seconds; `a` was.
        assert!(admit("c") && !admit("b") && admit("a"));
    }

    #[tokio::test]
    async fn no_room_means_none() {
        assert!(!KeptOrigins::new(0, Duration::ZERO).admit("a".to_owned()));
    }
}
