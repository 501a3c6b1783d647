//! Counters of recent events; they use no clock, lock or request.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use countersign_domain::primitives::time::Timestamp;

/// The events of one key since its window began.
#[derive(Clone, Copy, Debug)]
struct Window {
    began: Timestamp,
    events: u32,
}

impl Window {
    /// Returns the time until the window ends. The window ends immediately if the clock was set back,
    /// so that clients never wait until a time that may be far off.
    fn left(&self, length: Duration, now: Timestamp) -> Duration {
        if now < self.began {
            return Duration::ZERO;
        }
        self.began.plus(length).since(now)
    }
}

/// Counts the recent events of each key, for a bounded number of keys.
///
/// When all slots are taken, a new key takes over the slot with the fewest events, *and its count*. A
/// flood of other keys therefore cannot reset a key: to evict a key with `n` events, every other slot
/// must have seen `n` events in its window, and when the key comes back it takes over a slot with at
/// least as many.
#[derive(Debug)]
pub(super) struct Windows<K> {
    max_keys: usize,
    max_events: u32,
    /// The length of a window, which begins with its first event.
    length: Duration,
    by_key: BTreeMap<K, Window>,
    by_start: BTreeSet<(Timestamp, K)>,
    by_events: BTreeSet<(u32, Timestamp, K)>,
}

impl<K: Ord + Copy> Windows<K> {
    /// Creates a counter that allows `max_events` per key in a window of this length.
    pub(super) const fn new(max_keys: usize, max_events: u32, length: Duration) -> Self {
        Self {
            max_keys,
            max_events,
            length,
            by_key: BTreeMap::new(),
            by_start: BTreeSet::new(),
            by_events: BTreeSet::new(),
        }
    }

    /// Returns how long the key must wait before its next event, if it must wait.
    pub(super) fn wait(&mut self, key: K, now: Timestamp) -> Option<Duration> {
        self.expire(now);
        let window = self.by_key.get(&self.place_of(key)?)?;
        let left = window.left(self.length, now);
        (window.events >= self.max_events && !left.is_zero()).then_some(left)
    }

    /// Counts an event.
    pub(super) fn count(&mut self, key: K, now: Timestamp) {
        self.expire(now);
        let earlier = self.place_of(key).and_then(|place| self.remove(place));
        let window = match earlier {
            Some(window) if !window.left(self.length, now).is_zero() => Window {
                events: window.events.saturating_add(1),
                ..window
            },
            _ => Window {
                began: now,
                events: 1,
            },
        };
        self.insert(key, window);
    }

    /// Uncounts an event that did not happen after all.
    pub(super) fn uncount(&mut self, key: K) {
        if let Some(window) = self.remove(key)
            && window.events > 1
        {
            let events = window.events - 1;
            self.insert(key, Window { events, ..window });
        }
    }

    fn insert(&mut self, key: K, window: Window) {
        self.by_key.insert(key, window);
        self.by_start.insert((window.began, key));
        self.by_events.insert((window.events, window.began, key));
    }

    /// Returns the key whose slot the next event of `key` takes over, or `None` if a slot is free.
    fn place_of(&self, key: K) -> Option<K> {
        if self.by_key.contains_key(&key) {
            return Some(key);
        }
        if self.by_key.len() < self.max_keys {
            return None;
        }
        self.by_events.first().map(|(_, _, fewest)| *fewest)
    }

    fn remove(&mut self, key: K) -> Option<Window> {
        let window = self.by_key.remove(&key)?;
        self.by_start.remove(&(window.began, key));
        self.by_events.remove(&(window.events, window.began, key));
        Some(window)
    }

    /// Removes the windows that have ended.
    fn expire(&mut self, now: Timestamp) {
        while let Some((began, key)) = self.by_start.first().copied() {
            if began.plus(self.length) > now {
                return;
            }
            self.remove(key);
        }
    }
}

#[cfg(test)]
mod tests;
