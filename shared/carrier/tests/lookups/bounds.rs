//! Bounds on time and cost.

use std::sync::Arc;
use std::time::Duration;

use countersign_carrier::{ANSWER_TTL, BoundedLookup, SILENCE_PAUSE, SourceError};
use countersign_domain::confirmation::carrier::{
    CarrierLookup as _, CarrierName, LOOKUP_TIMEOUT, LookupOutcome,
};
use futures_util::future::join_all;
use tokio::time::Instant;

use crate::{FIXED, Source, number};

const MILLI: Duration = Duration::from_millis(1);

fn bounded(source: &Arc<Source>) -> BoundedLookup {
    BoundedLookup::new(source.clone(), 1000, &FIXED)
}

fn found(name: &str) -> LookupOutcome {
    LookupOutcome::Found(CarrierName::from_text(name))
}

fn cached(name: &str) -> LookupOutcome {
    LookupOutcome::Cached(CarrierName::from_text(name))
}

#[tokio::test(start_paused = true)]
async fn look_up_ends_within_its_time() {
    let cases = [
        (Duration::from_millis(799), found("Acme")),
        (Duration::from_millis(801), LookupOutcome::TimedOut),
        (Duration::from_hours(1), LookupOutcome::TimedOut),
    ];
    for (after, expected) in cases {
        let began = Instant::now();
        let lookup = bounded(&Source::new(after, Ok("Acme")));
        assert_eq!(lookup.lookup(&number(1), LOOKUP_TIMEOUT).await, expected);
        assert_eq!(began.elapsed(), after.min(LOOKUP_TIMEOUT));
    }
}

#[tokio::test(start_paused = true)]
async fn answer_is_paid_for_once_in_its_time() {
    for (name, first) in [("Acme", found("Acme")), ("", LookupOutcome::Empty)] {
        let source = Source::new(MILLI, Ok(name));
        let lookup = bounded(&source);
        assert_eq!(lookup.lookup(&number(1), LOOKUP_TIMEOUT).await, first);
        assert_eq!(
            lookup.lookup(&number(1), LOOKUP_TIMEOUT).await,
            cached(name)
        );
        assert_eq!(lookup.lookup(&number(2), LOOKUP_TIMEOUT).await, first);
        assert_eq!(source.asked(), 2);
        tokio::time::advance(ANSWER_TTL).await;
        assert_eq!(lookup.lookup(&number(1), LOOKUP_TIMEOUT).await, first);
    }
}

#[tokio::test(start_paused = true)]
async fn failure_is_not_remembered() {
    let source = Source::new(MILLI, Err(SourceError::Malformed));
    let lookup = bounded(&source);
    for asked in 1..4 {
        assert_eq!(
            lookup.lookup(&number(1), LOOKUP_TIMEOUT).await,
            LookupOutcome::Failed
        );
        assert_eq!(source.asked(), asked);
    }
}

#[tokio::test(start_paused = true)]
async fn texts_at_the_same_time_share_a_call() {
    let source = Source::new(MILLI * 50, Ok("Acme"));
    let lookup = bounded(&source);
    let (one, other) = (number(1), number(2));
    let numbers = [&one, &one, &one, &other];
    let answers = join_all(numbers.map(|number| lookup.lookup(number, LOOKUP_TIMEOUT))).await;
    let acme = [found("Acme"), cached("Acme"), cached("Acme"), found("Acme")];
    assert_eq!(answers, acme);
    assert_eq!(source.asked(), 2);
}

#[tokio::test(start_paused = true)]
async fn each_waiter_of_a_hanging_call_waits_for_its_own_time() {
    let source = Source::new(Duration::from_hours(1), Ok("Acme"));
    let lookup = bounded(&source);
    let (first, second) = (lookup.clone(), lookup);
    let first = tokio::spawn(async move { first.lookup(&number(1), LOOKUP_TIMEOUT).await });
    // sleep: on the paused clock
    tokio::time::sleep(MILLI * 500).await;
    let began = Instant::now();
    let outcome = second.lookup(&number(1), MILLI * 300).await;
    assert_eq!(outcome, LookupOutcome::TimedOut);
    assert_eq!(began.elapsed(), MILLI * 300);
    assert_eq!(first.await.unwrap(), LookupOutcome::TimedOut);
    assert_eq!(source.asked(), 1);
}

#[tokio::test(start_paused = true)]
async fn abandoned_call_hinders_no_later_one() {
    let source = Source::new(MILLI * 50, Ok("Acme"));
    let lookup = bounded(&source);
    // Its dispatcher was stopped.
    let stopped = tokio::time::timeout(MILLI, async {
        lookup.lookup(&number(1), LOOKUP_TIMEOUT).await
    });
    assert!(stopped.await.is_err());
    assert_eq!(
        lookup.lookup(&number(1), LOOKUP_TIMEOUT).await,
        found("Acme")
    );
    assert_eq!(source.asked(), 2);
}

#[tokio::test(start_paused = true)]
async fn calls_of_a_day_are_limited_and_answers_are_not() {
    let source = Source::new(MILLI, Ok("Acme"));
    let lookup = BoundedLookup::new(source.clone(), 2, &FIXED);
    assert_eq!(
        lookup.lookup(&number(1), LOOKUP_TIMEOUT).await,
        found("Acme")
    );
    assert_eq!(
        lookup.lookup(&number(2), LOOKUP_TIMEOUT).await,
        found("Acme")
    );
    assert_eq!(
        lookup.lookup(&number(3), LOOKUP_TIMEOUT).await,
        LookupOutcome::Limited
    );
    assert_eq!(
        lookup.lookup(&number(1), LOOKUP_TIMEOUT).await,
        cached("Acme")
    );
    assert_eq!(source.asked(), 2);
    tokio::time::advance(Duration::from_hours(24)).await;
    assert_eq!(
        lookup.lookup(&number(3), LOOKUP_TIMEOUT).await,
        found("Acme")
    );
}

#[tokio::test(start_paused = true)]
async fn without_time_only_memory_answers() {
    let source = Source::new(MILLI, Ok("Acme"));
    let lookup = bounded(&source);
    let late = lookup.lookup(&number(1), Duration::ZERO).await;
    assert_eq!((late, source.asked()), (LookupOutcome::TimedOut, 0));
    assert_eq!(
        lookup.lookup(&number(1), LOOKUP_TIMEOUT).await,
        found("Acme")
    );
    let late = lookup.lookup(&number(1), Duration::ZERO).await;
    assert_eq!((late, source.asked()), (cached("Acme"), 1));
}

#[tokio::test(start_paused = true)]
async fn provider_that_hangs_is_left_alone_for_a_while() {
    let source = Source::new(Duration::from_hours(1), Ok("Acme"));
    let lookup = bounded(&source);
    let ask = async |n| lookup.lookup(&number(n), LOOKUP_TIMEOUT).await;
    for n in 1..=3 {
        assert_eq!(ask(n).await, LookupOutcome::TimedOut);
    }
    let began = Instant::now();
    assert_eq!(ask(9).await, LookupOutcome::Paused);
    assert_eq!(began.elapsed(), Duration::ZERO);
    tokio::time::advance(SILENCE_PAUSE.checked_sub(MILLI).unwrap()).await;
    assert_eq!(ask(9).await, LookupOutcome::Paused);
    assert_eq!(source.asked(), 3);
    tokio::time::advance(MILLI).await;
    assert_eq!(ask(9).await, LookupOutcome::TimedOut);
    assert_eq!(ask(10).await, LookupOutcome::Paused);
}

/// Calls that had little time say nothing about the provider, and an answer resets the count.
#[tokio::test(start_paused = true)]
async fn slow_answers_between_others_pause_nothing() {
    let source = Source::new(MILLI * 350, Ok("Acme"));
    let lookup = bounded(&source);
    for n in 1..=9 {
        let outcome = lookup.lookup(&number(n), MILLI * 300).await;
        assert_eq!(outcome, LookupOutcome::TimedOut);
    }
    assert_eq!(
        lookup.lookup(&number(10), LOOKUP_TIMEOUT).await,
        found("Acme")
    );
    source.set_delay(Duration::from_hours(1));
    for n in 11..=12 {
        let outcome = lookup.lookup(&number(n), LOOKUP_TIMEOUT).await;
        assert_eq!(outcome, LookupOutcome::TimedOut);
    }
    source.set_delay(MILLI);
    assert_eq!(
        lookup.lookup(&number(13), LOOKUP_TIMEOUT).await,
        found("Acme")
    );
    source.set_delay(Duration::from_hours(1));
    for n in 14..=15 {
        let outcome = lookup.lookup(&number(n), LOOKUP_TIMEOUT).await;
        assert_eq!(outcome, LookupOutcome::TimedOut);
    }
}
