use proptest::prelude::*;

use super::*;

const MAX: u32 = 30;
const WINDOW: Duration = Duration::from_mins(1);

const fn at(ms: u64) -> Timestamp {
    Timestamp::from_millis(1_000_000 + ms)
}

/// Counts an event if it is allowed, and returns whether it was.
fn passes<K: Ord + Copy>(windows: &mut Windows<K>, key: K, ms: u64) -> bool {
    let free = windows.wait(key, at(ms)).is_none();
    if free {
        windows.count(key, at(ms));
    }
    free
}

#[test]
fn thirty_events_are_allowed_a_minute() {
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
fn flood_of_other_keys_does_not_reset_a_key() {
    let mut windows = Windows::new(100, MAX, WINDOW);
    while passes(&mut windows, 0_u32, 0) {}
    for key in 1..100_000 {
        passes(&mut windows, key, 1);
    }
    assert!(windows.wait(0, at(2)).is_some());
    assert_eq!(windows.by_key.len(), 100);
}

/// A caller with more addresses than there are slots gets no more events than the slots allow.
#[test]
fn keys_without_a_place_share_counts() {
    let mut windows = Windows::new(100, MAX, WINDOW);
    let passed = (0..100_000_u32).filter(|n| passes(&mut windows, n % 1_000, 0));
    assert_eq!(passed.count(), 100 * MAX as usize);
}

#[test]
fn pushing_a_key_out_costs_its_events_in_every_place() {
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
fn uncounted_event_frees_its_place() {
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
    /// Whatever the order of events, and even if the clock is set back, memory is bounded and no
    /// wait is longer than a window.
    #[test]
    fn memory_and_waits_are_bounded(
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

    /// If the clock only advances and there is a slot for every key, a key with the maximum number
    /// of events is refused exactly until its window ends.
    #[test]
    fn each_key_waits_exactly_until_its_window_ends(steps in prop::collection::vec((0..3_u8, 0..1_500_u64), 0..400)) {
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
