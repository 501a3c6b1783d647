//! Counting, without clock, lock or request.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use countersign_domain::qr_session::AddressBlock;
use countersign_domain::time::Timestamp;

/// How many misses from one block are answered in [`WINDOW`].
pub(super) const MOST: u32 = 30;

/// For how long misses are counted together, from the first one on.
pub(super) const WINDOW: Duration = Duration::from_mins(1);

/// The misses of one block since its window began.
#[derive(Clone, Copy, Debug)]
struct Window {
    began: Timestamp,
    misses: u32,
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

/// How often each block of addresses missed lately. It remembers a bounded number of blocks: where
/// there are more, the one whose window began first is forgotten.
#[derive(Debug)]
pub(super) struct MissCounter {
    most_blocks: usize,
    windows: BTreeMap<AddressBlock, Window>,
    /// The windows as they began, the first one first. One that was replaced may still be in here.
    order: VecDeque<(Timestamp, AddressBlock)>,
}

impl MissCounter {
    pub(super) const fn new(most_blocks: usize) -> Self {
        Self {
            most_blocks,
            windows: BTreeMap::new(),
            order: VecDeque::new(),
        }
    }

    /// How long the block has to wait until it is answered again, if it has to.
    pub(super) fn wait(&self, block: AddressBlock, now: Timestamp) -> Option<Duration> {
        let window = self.windows.get(&block)?;
        let left = window.left(now);
        (window.misses >= MOST && !left.is_zero()).then_some(left)
    }

    /// Counts a miss.
    pub(super) fn count(&mut self, block: AddressBlock, now: Timestamp) {
        self.forget(|began, _| began.plus(WINDOW) <= now);
        if let Some(window) = self.windows.get_mut(&block)
            && !window.left(now).is_zero()
        {
            window.misses = window.misses.saturating_add(1);
            return;
        }
        let window = Window {
            began: now,
            misses: 1,
        };
        self.windows.insert(block, window);
        self.order.push_back((now, block));
        let most = self.most_blocks;
        self.forget(|_, length| length > most);
    }

    /// Forgets windows, those that began first, while that holds for the first one's beginning and
    /// for how many there are.
    fn forget(&mut self, holds: impl Fn(Timestamp, usize) -> bool) {
        while let Some((began, block)) = self.order.front().copied() {
            if !holds(began, self.order.len()) {
                return;
            }
            self.order.pop_front();
            let is_that = |window: &Window| window.began == began;
            if self.windows.get(&block).is_some_and(is_that) {
                self.windows.remove(&block);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use proptest::prelude::*;

    use super::*;

    fn block(n: u8) -> AddressBlock {
        AddressBlock::of(IpAddr::from([203, 0, 113, n]))
    }

    const fn at(ms: u64) -> Timestamp {
        Timestamp::from_millis(1_000_000 + ms)
    }

    #[test]
    fn thirty_misses_are_answered_and_then_none_until_the_minute_is_over() {
        let mut counter = MissCounter::new(10);
        for n in 0..30 {
            assert_eq!(counter.wait(block(1), at(n)), None, "{n}");
            counter.count(block(1), at(n));
        }
        let left = |ms| counter.wait(block(1), at(ms));
        assert_eq!(left(30), Some(Duration::from_millis(59_970)));
        assert_eq!(left(59_999), Some(Duration::from_millis(1)));
        assert_eq!(left(60_000), None);
        assert_eq!(counter.wait(block(2), at(30)), None);
    }

    #[test]
    fn the_oldest_makes_room() {
        let mut counter = MissCounter::new(2);
        for _ in 0..MOST {
            counter.count(block(1), at(0));
            counter.count(block(2), at(1));
        }
        counter.count(block(3), at(2));
        assert_eq!(counter.wait(block(1), at(3)), None);
        assert!(counter.wait(block(2), at(3)).is_some());
    }

    proptest! {
        /// Whatever comes in whatever order, and even where the clock is set back: memory is
        /// bounded, who missed seldom is answered, and nobody waits longer than a window.
        #[test]
        fn bounded_and_fair(
            steps in prop::collection::vec((0..12_u8, 0..5_000_u64, prop::bool::weighted(0.05)), 0..600),
        ) {
            let mut counter = MissCounter::new(8);
            let mut log: Vec<(u8, u64)> = Vec::new();
            let mut now = 100_000;
            for (n, step, back) in steps {
                now = if back { now - step.min(now) } else { now + step };
                let recent = log.iter().filter(|(m, ms)| *m == n && ms + 60_000 > now).count();
                let wait = counter.wait(block(n), at(now));
                if recent < MOST as usize {
                    prop_assert_eq!(wait, None);
                }
                prop_assert!(wait.unwrap_or_default() <= WINDOW);
                if wait.is_none() {
                    counter.count(block(n), at(now));
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
            let mut counter = MissCounter::new(8);
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
                prop_assert_eq!(counter.wait(block(n), at(now)), expected);
                if expected.is_none() {
                    counter.count(block(n), at(now));
                    *window = Some(window.map_or((now, 1), |(began, misses)| (began, misses + 1)));
                }
            }
        }
    }
}
