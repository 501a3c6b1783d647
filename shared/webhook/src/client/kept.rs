//! The origins whose connections are kept.
//!
//! The connection pool limits idle connections per origin, not in total: with enough receivers the
//! number of sockets would be unbounded. Therefore only a limited number of origins use the pool at
//! a time.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// The origins that may use the pool, each with its last use.
pub(super) struct KeptOrigins {
    last_used: Mutex<HashMap<String, Instant>>,
    most: usize,
    forgotten_after: Duration,
}

impl KeptOrigins {
    /// Creates a set of at most `most` origins. An origin is removed `forgotten_after` its last
    /// use, which must be long enough for its connections to be closed.
    pub(super) fn new(most: usize, forgotten_after: Duration) -> Self {
        Self {
            last_used: Mutex::default(),
            most,
            forgotten_after,
        }
    }

    /// Returns whether connections to `origin` may be kept; if so, records its use.
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
    async fn unused_origins_make_room_for_others() {
        let kept = KeptOrigins::new(2, Duration::from_secs(10));
        let admit = |origin: &str| kept.admit(origin.to_owned());
        assert!(admit("a") && admit("b"));
        assert!(!admit("c"));
        tokio::time::advance(Duration::from_secs(9)).await;
        assert!(admit("a") && !admit("c"));
        tokio::time::advance(Duration::from_secs(1)).await;
        // `b` was unused for ten seconds, `a` was not.
        assert!(admit("c") && !admit("b") && admit("a"));
    }

    #[tokio::test]
    async fn room_for_none_keeps_none() {
        assert!(!KeptOrigins::new(0, Duration::ZERO).admit("a".to_owned()));
    }
}
