//! Retries of requests, and their limits.

use std::time::Duration;

use countersign_sdk::{RetryPolicy, SdkError};

use crate::support::{Fate, World};

const DELAYS: [u64; 5] = [250, 500, 1_000, 2_000, 4_000];

fn delays() -> Vec<Duration> {
    DELAYS.map(Duration::from_millis).to_vec()
}

fn is_network<T>(result: &Result<T, SdkError>) -> bool {
    matches!(result, Err(SdkError::Network { .. }))
}

#[test]
fn lost_requests_and_answers_are_repeated_with_growing_waits() {
    let world = World::new();
    world
        .service
        .fates([Fate::NotSent, Fate::Lost, Fate::NotSent, Fate::Lost]);
    world.open().unwrap();
    assert_eq!(world.clock.slept(), delays()[..4]);
    let calls = world.service.calls();
    assert_eq!(calls.len(), 3);
    assert!(calls.iter().all(|call| *call == calls[0]));
}

#[test]
fn phone_gives_up_after_six_attempts_and_can_go_on() {
    let world = World::new();
    world.service.fates(vec![Fate::Lost; 6]);
    assert!(is_network(&world.open()));
    assert_eq!(world.clock.slept(), delays());
    let session = world.open().unwrap();
    world.service.fates(vec![Fate::NotSent; 6]);
    assert!(is_network(&world.run(session.confirm("a token"))));
    assert!(world.run(session.confirm("a token")).is_ok());
    assert_eq!(world.service.opened().payload, "a token");
}

#[test]
fn hopeless_requests_are_not_repeated() {
    let world = World::new();
    world.service.fates([Fate::Hopeless]);
    assert!(is_network(&world.open()));
    assert!(world.clock.slept().is_empty());
}

#[test]
fn service_that_never_answers_is_given_up_and_asked_again() {
    let world = World::new();
    world.service.fates([Fate::Silent]);
    let session = world.open().unwrap();
    let slept = [Duration::from_secs(10), delays()[0]];
    assert_eq!(world.clock.slept(), slept);
    world.service.fates(vec![Fate::Silent; 6]);
    assert!(is_network(&world.run(session.confirm("a token"))));
    assert_eq!(world.service.opened().payload, "a token");
}

#[test]
fn busy_service_says_when_to_try_again() {
    let world = World::new();
    world.service.fates([
        Fate::Busy(503, "3"),
        Fate::Busy(429, "nonsense"),
        Fate::Busy(502, "0"),
        Fate::Busy(504, "1"),
    ]);
    world.open().unwrap();
    let slept = [3_000, 500, 1_000, 2_000].map(Duration::from_millis);
    assert_eq!(world.clock.slept(), slept);
}

#[test]
fn service_that_wants_a_long_pause_is_not_waited_for() {
    let world = World::new();
    world.service.fates([Fate::Busy(503, "60")]);
    let refused = world.open().unwrap_err();
    assert_eq!(refused.problem().unwrap().code, "service_unavailable");
    assert!(world.clock.slept().is_empty());
    let session = world.open().unwrap();
    world.service.fates([Fate::Busy(429, "60")]);
    assert!(world.run(session.confirm("a token")).is_err());
    assert!(
        !world.platform.answers.names().unwrap().is_empty(),
        "a busy service has not refused it"
    );
}

#[test]
fn nothing_is_repeated_after_the_expiry() {
    let world = World::new();
    let session = world.open().unwrap();
    world.clock.advance(Duration::from_secs(178));
    world.service.fates(vec![Fate::NotSent; 6]);
    assert!(is_network(&world.run(session.confirm("a token"))));
    // 178 s of requests, and 1.75 s of waits; the next retry would end after 180 s.
    assert_eq!(world.clock.slept(), delays()[..3]);
    world.clock.advance(Duration::from_secs(2));
    let expired = world.run(session.confirm("a token"));
    assert_eq!(expired, Err(SdkError::Expired(None)));
    assert_eq!(world.clock.slept().len(), 3);
}

#[test]
fn policy_of_the_app_counts() {
    let mut world = World::new();
    let policy = RetryPolicy::after(vec![Duration::ZERO]);
    let policy = policy.timeout(Duration::from_secs(1));
    world.configuration = world.configuration.retry(policy);
    world.service.fates([Fate::Silent, Fate::Lost]);
    assert!(is_network(&world.open()));
    assert_eq!(world.clock.slept(), [Duration::from_secs(1)]);
}
