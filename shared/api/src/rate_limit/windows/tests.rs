use proptest::prelude::*;

use super::*;

const MAX: u32 = 30;
const WINDOW: Duration = Duration::from_mins(1);

const fn at(ms: u64) -> Timestamp {
    Timestamp::from_millis(1_000_000 + ms)
}

/// Counts an event if it may pass, and tells whether it did.
fn passes<K: Ord + Copy>(windows: &mut Windows<K>, key: K, ms: u64) -> bool {
    let free = windows.wait(key, at(ms)).is_none();
    if free {
        windows.count(key, at(ms));
    }
    free
}

#[test]
fn thirty_events_pass_and_then_none_until_the_minute_is_over() {
    let mut windows = Windows::new(10, MAX, WINDOW);
    for n in 0..30 {
        assert!(passes(&mut windows, 1_u8, n), "{n}");
    }
    let mut left = |ms| windows.wait(1, at(ms));
    assert_eq!(left(30), Some(Duration::from_millis(59_970)));
    assert_eq!(left(59_999), Some(Duration::from_millis(1)));
    assert_eq!(left(60_000), None);
    assert_eq!(windows.wait(2, at(30)), None);
}

#[test]
fn a_key_that_is_held_is_not_flushed_by_a_flood_of_others() {
    let mut windows = Windows::new(100, MAX, WINDOW);
    while passes(&mut windows, 0_u32, 0) {}
    for key in 1..100_000 {
        passes(&mut windows, key, 1);
    }
    assert!(windows.wait(0, at(2)).is_some());
    assert_eq!(windows.by_key.len(), 100);
}

/// Whoever has more addresses than there are places gets no more than the places allow.
#[test]
fn keys_without_a_place_of_their_own_share_their_counts() {
    let mut windows = Windows::new(100, MAX, WINDOW);
    let passed = (0..100_000_u32).filter(|n| passes(&mut windows, n % 1_000, 0));
    assert_eq!(passed.count(), 100 * MAX as usize);
}

#[test]
fn pushing_a_key_out_costs_its_events_times_every_place_and_gains_nothing() {
    let mut windows = Windows::new(10, MAX, WINDOW);
    for _ in 0..20 {
        assert!(passes(&mut windows, 0_u32, 0));
    }
    let mut cost = 0;
    let mut key = 0;
    while windows.by_key.contains_key(&0) {
        key = key % 10 + 1;
        passes(&mut windows, key, 1);
        cost += 1;
    }
    assert!(cost >= 9 * 20, "{cost}");
    let passed = (0..100).filter(|_| passes(&mut windows, 0, 2)).count();
    assert!(passed <= 10, "{passed} more than the twenty before");
}

#[test]
fn an_event_that_did_not_happen_can_be_taken_back() {
    let mut windows = Windows::new(10, 2, WINDOW);
    assert!(passes(&mut windows, 1_u8, 0));
    assert!(passes(&mut windows, 1, 1));
    windows.uncount(1);
    assert!(passes(&mut windows, 1, 2));
    assert!(!passes(&mut windows, 1, 3));
    windows.uncount(2);
    windows.uncount(1);
    windows.uncount(1);
    assert!(windows.by_key.is_empty() && windows.by_start.is_empty());
    assert!(windows.by_events.is_empty());
}

proptest! {
    /// Whatever comes in whatever order, and even where the clock is set back: memory is bounded
    /// and nobody waits longer than a window.
    #[test]
    fn bounded(
        steps in prop::collection::vec((0..12_u8, 0..5_000_u64, prop::bool::weighted(0.05)), 0..600),
    ) {
        let mut windows = Windows::new(8, MAX, WINDOW);
        let mut now = 100_000;
        for (key, step, back) in steps {
            now = if back { now - step.min(now) } else { now + step };
            prop_assert!(windows.wait(key, at(now)).unwrap_or_default() <= WINDOW);
            passes(&mut windows, key, now);
            prop_assert!(windows.by_key.len() <= 8);
            prop_assert_eq!(windows.by_start.len(), windows.by_key.len());
            prop_assert_eq!(windows.by_events.len(), windows.by_key.len());
        }
    }

    /// On a clock that runs and with room for all, a key is refused exactly while the window in
    /// which it had its events lasts.
    #[test]
    fn exact_for_each_key(steps in prop::collection::vec((0..3_u8, 0..1_500_u64), 0..400)) {
        let mut windows = Windows::new(8, MAX, WINDOW);
        let mut model = [None::<(u64, u32)>; 3];
        let mut now = 0;
        for (key, step) in steps {
            now += step;
            let window = &mut model[usize::from(key)];
            if window.is_some_and(|(began, _)| began + 60_000 <= now) {
                *window = None;
            }
            let expected = window
                .filter(|(_, events)| *events >= MAX)
                .map(|(began, _)| Duration::from_millis(began + 60_000 - now));
            prop_assert_eq!(windows.wait(key, at(now)), expected);
            if expected.is_none() {
                windows.count(key, at(now));
                *window = Some(window.map_or((now, 1), |(began, events)| (began, events + 1)));
            }
        }
    }
}
