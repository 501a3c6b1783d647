//! Counting, without clock, lock or request.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use countersign_domain::time::Timestamp;

/// For how long events are counted together, from the first one on.
pub(super) const WINDOW: Duration = Duration::from_mins(1);

/// The events of one key since its window began.
#[derive(Clone, Copy, Debug)]
struct Window {
    began: Timestamp,
    events: u32,
}

impl Window {
    /// How much of it is left. A clock that was set back ends it: nobody is to wait for a time
    /// that may be far off.
    fn left(&self, now: Timestamp) -> Duration {
        if now < self.began {
            return Duration::ZERO;
        }
        self.began.plus(WINDOW).since(now)
    }
}

/// How often something happened for each key lately. It remembers a bounded number of keys: where
/// there are more, the one whose window began first is forgotten.
#[derive(Debug)]
pub(super) struct Counter<K> {
    most_keys: usize,
    most_events: u32,
    windows: BTreeMap<K, Window>,
    /// The windows as they began, the first one first. One that was replaced may still be in here.
    order: VecDeque<(Timestamp, K)>,
}

impl<K: Ord + Copy> Counter<K> {
    /// A counter that lets `most_events` of one key pass in a [`WINDOW`].
    pub(super) const fn new(most_keys: usize, most_events: u32) -> Self {
        Self {
            most_keys,
            most_events,
            windows: BTreeMap::new(),
            order: VecDeque::new(),
        }
    }

    /// How long the key has to wait until it may go on, if it has to.
    pub(super) fn wait(&self, key: K, now: Timestamp) -> Option<Duration> {
        let window = self.windows.get(&key)?;
        let left = window.left(now);
        (window.events >= self.most_events && !left.is_zero()).then_some(left)
    }

    /// Counts an event.
    pub(super) fn count(&mut self, key: K, now: Timestamp) {
        self.forget(|began, _| began.plus(WINDOW) <= now);
        if let Some(window) = self.windows.get_mut(&key)
            && !window.left(now).is_zero()
        {
            window.events = window.events.saturating_add(1);
            return;
        }
        let window = Window {
            began: now,
            events: 1,
        };
        self.windows.insert(key, window);
        self.order.push_back((now, key));
        let most = self.most_keys;
        self.forget(|_, length| length > most);
    }

    /// Forgets windows, those that began first, while that holds for the first one's beginning and
    /// for how many there are.
    fn forget(&mut self, holds: impl Fn(Timestamp, usize) -> bool) {
        while let Some((began, key)) = self.order.front().copied() {
            if !holds(began, self.order.len()) {
                return;
            }
            self.order.pop_front();
            let is_that = |window: &Window| window.began == began;
            if self.windows.get(&key).is_some_and(is_that) {
                self.windows.remove(&key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MOST: u32 = 30;

    const fn at(ms: u64) -> Timestamp {
        Timestamp::from_millis(1_000_000 + ms)
    }

    #[test]
    fn thirty_misses_are_answered_and_then_none_until_the_minute_is_over() {
        let mut counter = Counter::new(10, MOST);
        for n in 0..30 {
            assert_eq!(counter.wait(1_u8, at(n)), None, "{n}");
            counter.count(1, at(n));
        }
        let left = |ms| counter.wait(1, at(ms));
        assert_eq!(left(30), Some(Duration::from_millis(59_970)));
        assert_eq!(left(59_999), Some(Duration::from_millis(1)));
        assert_eq!(left(60_000), None);
        assert_eq!(counter.wait(2, at(30)), None);
    }

    #[test]
    fn the_oldest_makes_room() {
        let mut counter = Counter::new(2, MOST);
        for _ in 0..MOST {
            counter.count(1_u8, at(0));
            counter.count(2, at(1));
        }
        counter.count(3, at(2));
        assert_eq!(counter.wait(1, at(3)), None);
        assert!(counter.wait(2, at(3)).is_some());
    }

    proptest! {
        /// Whatever comes in whatever order, and even where the clock is set back: memory is
        /// bounded, who missed seldom is answered, and nobody waits longer than a window.
        #[test]
        fn bounded_and_fair(
            steps in prop::collection::vec((0..12_u8, 0..5_000_u64, prop::bool::weighted(0.05)), 0..600),
        ) {
            let mut counter = Counter::new(8, MOST);
            let mut log: Vec<(u8, u64)> = Vec::new();
            let mut now = 100_000;
            for (n, step, back) in steps {
                now = if back { now - step.min(now) } else { now + step };
                let recent = log.iter().filter(|(m, ms)| *m == n && ms + 60_000 > now).count();
                let wait = counter.wait(n, at(now));
                if recent < MOST as usize {
                    prop_assert_eq!(wait, None);
                }
                prop_assert!(wait.unwrap_or_default() <= WINDOW);
                if wait.is_none() {
                    counter.count(n, at(now));
                    log.push((n, now));
                }
                prop_assert!(counter.order.len() <= 8);
                prop_assert!(counter.windows.len() <= counter.order.len());
            }
        }

        /// On a clock that runs and with room for all, a block is refused exactly while the window
        /// in which it missed thirty times lasts.
        #[test]
        fn exact_for_each_block(steps in prop::collection::vec((0..3_u8, 0..1_500_u64), 0..400)) {
            let mut counter = Counter::new(8, MOST);
            let mut model = [None::<(u64, u32)>; 3];
            let mut now = 0;
            for (n, step) in steps {
                now += step;
                let window = &mut model[usize::from(n)];
                if window.is_some_and(|(began, _)| began + 60_000 <= now) {
                    *window = None;
                }
                let expected = window
                    .filter(|(_, misses)| *misses >= MOST)
                    .map(|(began, _)| Duration::from_millis(began + 60_000 - now));
                prop_assert_eq!(counter.wait(n, at(now)), expected);
                if expected.is_none() {
                    counter.count(n, at(now));
                    *window = Some(window.map_or((now, 1), |(began, misses)| (began, misses + 1)));
                }
            }
        }
    }
}
