//! Bounds on time and cost.

use std::sync::Arc;
use std::time::Duration;

use countersign_carrier::{BoundedLookup, REMEMBERED, SourceError};
use countersign_domain::confirmation::carrier::{
    CarrierLookup as _, CarrierName, LOOKUP_TIMEOUT, LookupOutcome,
};
use futures_util::future::join_all;
use tokio::time::Instant;

use crate::{Fixed, Source, number};

const MILLI: Duration = Duration::from_millis(1);

fn bounded(source: &Arc<Source>) -> BoundedLookup {
    BoundedLookup::new(source.clone(), 1000, &Fixed)
}

fn found(name: &str) -> LookupOutcome {
    LookupOutcome::Found(CarrierName::of(name))
}

fn cached(name: &str) -> LookupOutcome {
    LookupOutcome::Cached(CarrierName::of(name))
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
        assert_eq!(lookup.look_up(&number(1)).await, expected);
        assert_eq!(began.elapsed(), after.min(LOOKUP_TIMEOUT));
    }
}

#[tokio::test(start_paused = true)]
async fn answer_is_paid_for_once_in_its_time() {
    for (name, first) in [("Acme", found("Acme")), ("", LookupOutcome::Empty)] {
        let source = Source::new(MILLI, Ok(name));
        let lookup = bounded(&source);
        assert_eq!(lookup.look_up(&number(1)).await, first);
        assert_eq!(lookup.look_up(&number(1)).await, cached(name));
        assert_eq!(lookup.look_up(&number(2)).await, first);
        assert_eq!(source.asked(), 2);
        tokio::time::advance(REMEMBERED).await;
        assert_eq!(lookup.look_up(&number(1)).await, first);
    }
}

#[tokio::test(start_paused = true)]
async fn failure_is_not_remembered() {
    let source = Source::new(MILLI, Err(SourceError::Malformed));
    let lookup = bounded(&source);
    for asked in 1..4 {
        assert_eq!(lookup.look_up(&number(1)).await, LookupOutcome::Failed);
        assert_eq!(source.asked(), asked);
    }
}

#[tokio::test(start_paused = true)]
async fn texts_at_the_same_time_share_a_call() {
    let source = Source::new(MILLI * 50, Ok("Acme"));
    let lookup = bounded(&source);
    let (one, other) = (number(1), number(2));
    let numbers = [&one, &one, &one, &other];
    let answers = join_all(numbers.map(|number| lookup.look_up(number))).await;
    let acme = [found("Acme"), cached("Acme"), cached("Acme"), found("Acme")];
    assert_eq!(answers, acme);
    assert_eq!(source.asked(), 2);
}

#[tokio::test(start_paused = true)]
async fn second_waiter_of_a_hanging_call_waits_no_longer() {
    let source = Source::new(Duration::from_hours(1), Ok("Acme"));
    let lookup = bounded(&source);
    let (first, second) = (lookup.clone(), lookup);
    let first = tokio::spawn(async move { first.look_up(&number(1)).await });
    // sleep: on the paused clock.
    tokio::time::sleep(MILLI * 500).await;
    let began = Instant::now();
    let outcome = second.look_up(&number(1)).await;
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
    let stopped = tokio::time::timeout(MILLI, async { lookup.look_up(&number(1)).await });
    assert!(stopped.await.is_err());
    assert_eq!(lookup.look_up(&number(1)).await, found("Acme"));
    assert_eq!(source.asked(), 2);
}

#[tokio::test(start_paused = true)]
async fn calls_of_a_day_are_limited_and_answers_are_not() {
    let source = Source::new(MILLI, Ok("Acme"));
    let lookup = BoundedLookup::new(source.clone(), 2, &Fixed);
    assert_eq!(lookup.look_up(&number(1)).await, found("Acme"));
    assert_eq!(lookup.look_up(&number(2)).await, found("Acme"));
    assert_eq!(lookup.look_up(&number(3)).await, LookupOutcome::Limited);
    assert_eq!(lookup.look_up(&number(1)).await, cached("Acme"));
    assert_eq!(source.asked(), 2);
    tokio::time::advance(Duration::from_hours(24)).await;
    assert_eq!(lookup.look_up(&number(3)).await, found("Acme"));
}
