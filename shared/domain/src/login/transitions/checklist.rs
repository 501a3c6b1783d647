//! Known attacks on logins across devices, with one test for each attack that a decision about one
//! item can prevent, and tests of the exact time limits.

mod check_code;
mod wire;

use std::time::Duration;

use super::samples::{
    NOW, answer, answer_of, app, browser, browser_token, clear, denial, phone, plain as created,
    receipt, sealed, sealed_payload, sealed_with_proof,
};
use super::*;
use crate::delivery::Decision;
use crate::login::risk::Flag;
use crate::login::{
    BlockReason, Context, Encryption, LoginCreator, MAX_WATCHERS, REDEEM_WINDOW, SCANNED_TTL,
    Status, UNSCANNED_TTL,
};
use crate::primitives::ids::AppId;
use crate::primitives::watcher::WatcherId;

const SECOND: Duration = Duration::from_secs(1);

fn opened(now: Timestamp, flags: &[Flag]) -> Login {
    let decision = initiate(Some(created(now)), &app("demo"), phone(1, flags, now), now);
    assert!(decision.outcome.is_ok());
    decision.write.unwrap()
}

fn confirmed(now: Timestamp) -> Login {
    let decision = confirm(Some(opened(now, &[])), answer(1, "yes"), now);
    assert!(matches!(decision.outcome, Ok(())));
    decision.write.unwrap()
}

fn denied(now: Timestamp) -> Login {
    let decision = deny(Some(opened(now, &[])), denial(1, "no"), now);
    assert!(matches!(decision.outcome, Ok(())));
    decision.write.unwrap()
}

fn millis_before(at: Timestamp) -> Timestamp {
    Timestamp::from_millis(at.as_millis() - 1)
}

fn confirmed_sealed(now: Timestamp) -> Login {
    let app = app("demo");
    let opened = initiate(Some(sealed(now)), &app, phone(1, &[], now), now).write;
    let decision = confirm(opened, answer_of(1, sealed_payload()), now);
    assert!(matches!(decision.outcome, Ok(())));
    decision.write.unwrap()
}

#[test]
fn readable_payload_is_redeemed_exactly_once() {
    let item = confirmed(NOW);
    let own = browser_token(0).hash();
    let first = redeem(Some(item), &own, &receipt(1), None, NOW);
    assert_eq!(first.outcome.unwrap().payload().as_str(), "yes");
    let item = first.write.unwrap();
    assert_eq!(item.status(NOW), Status::Consumed);
    assert!(
        !format!("{item:?}").contains("Payload {"),
        "the payload is gone"
    );
    for n in [1, 2] {
        let again = redeem(Some(item.clone()), &own, &receipt(n), None, NOW);
        assert_eq!(again, Decision::refuse(Err(Refusal::Redeemed)));
    }
}

#[test]
fn login_id_by_itself_neither_redeems_nor_cancels_nor_watches() {
    let stranger = browser_token(9).hash();
    for item in [created(NOW), opened(NOW, &[]), confirmed(NOW), denied(NOW)] {
        let item = Some(item);
        let watcher = "c".parse::<WatcherId>().unwrap();
        let redeemed = redeem(item.clone(), &stranger, &receipt(1), None, NOW);
        assert_eq!(redeemed, Decision::refuse(Err(Refusal::Unknown)));
        let cancelled = cancel(item.clone(), &stranger, NOW);
        assert_eq!(cancelled, Decision::refuse(Err(Refusal::Unknown)));
        let attached = attach_watcher(item, &browser(9), watcher, NOW);
        assert_eq!(attached, Decision::refuse(Err(Refusal::Unknown)));
    }
}

#[test]
fn only_one_of_two_redeems_gets_the_payload() {
    let own = browser_token(0).hash();
    for item in [confirmed(NOW), confirmed_sealed(NOW)] {
        let item = redeem(Some(item), &own, &receipt(1), None, NOW).write;
        let second = redeem(item, &own, &receipt(2), None, NOW).outcome;
        assert_eq!(second, Err(Refusal::Redeemed));
    }
}

#[test]
fn confirmation_by_a_second_phone_is_unknown() {
    let item = Some(opened(NOW, &[]));
    let confirmed = confirm(item.clone(), answer(2, "yes"), NOW);
    assert_eq!(confirmed, Decision::refuse(Err(Refusal::Unknown)));
    let denied = deny(item, denial(2, "no"), NOW);
    assert_eq!(denied, Decision::refuse(Err(Refusal::Unknown)));
}

#[test]
fn second_phone_blocks_the_login() {
    let demo = app("demo");
    let second = initiate(Some(opened(NOW, &[])), &demo, phone(2, &[], NOW), NOW);
    assert_eq!(second.outcome, Err(Refusal::SecondPhone));
    let item = second.write.unwrap();
    assert_eq!(item.status(NOW), Status::Blocked);
    assert!(matches!(
        item.state,
        State::Blocked {
            reason: BlockReason::SecondPhone,
            ..
        }
    ));
    // Neither phone can continue.
    let item = Some(item);
    let blocked = Err(Refusal::WrongStatus(Status::Blocked));
    assert_eq!(
        confirm(item.clone(), answer(1, "yes"), NOW).outcome,
        blocked
    );
    let unknown = Err(Refusal::Unknown);
    assert_eq!(
        confirm(item.clone(), answer(2, "yes"), NOW).outcome,
        unknown
    );
    for n in [1, 2, 3] {
        let again = initiate(item.clone(), &demo, phone(n, &[], NOW), NOW);
        let ended = Err(Refusal::Over);
        assert_eq!(again, Decision::refuse(ended));
    }
}

#[test]
fn repeated_initiate_gets_the_same_answer() {
    let item = opened(NOW, &[]);
    let later = NOW.plus(SECOND);
    let repeated = phone(1, &[Flag::BrowserTor], later);
    let decision = initiate(Some(item.clone()), &app("demo"), repeated, later);
    let same = Ok(Box::new(item));
    assert_eq!(decision, Decision::refuse(same));
}

#[test]
fn confirmation_before_initiate_is_unknown() {
    let item = Some(created(NOW));
    let confirmed = confirm(item.clone(), answer(1, "yes"), NOW);
    assert_eq!(confirmed, Decision::refuse(Err(Refusal::Unknown)));
    let denied = deny(item, denial(1, "no"), NOW);
    assert_eq!(denied, Decision::refuse(Err(Refusal::Unknown)));
}

#[test]
fn decided_login_cannot_be_decided_otherwise() {
    let late = confirm(Some(denied(NOW)), answer(1, "yes"), NOW);
    let refused = Err(Refusal::WrongStatus(Status::Denied));
    assert_eq!(late, Decision::refuse(refused));
    let late = deny(Some(confirmed(NOW)), denial(1, "no"), NOW);
    let refused = Err(Refusal::WrongStatus(Status::Confirmed));
    assert_eq!(late, Decision::refuse(refused));
}

#[test]
fn decision_after_expiry_is_refused_as_expired() {
    let item = opened(NOW, &[]);
    let end = NOW.plus(SCANNED_TTL);
    for late in [end, end.plus(SECOND)] {
        let confirmed = confirm(Some(item.clone()), answer(1, "yes"), late);
        assert_eq!(confirmed, Decision::refuse(Err(Refusal::Expired)));
        let denied = deny(Some(item.clone()), denial(1, "no"), late);
        assert_eq!(denied, Decision::refuse(Err(Refusal::Expired)));
    }
    let in_time = confirm(Some(item), answer(1, "yes"), millis_before(end));
    assert!(in_time.write.is_some());
}

#[test]
fn strangers_cannot_tell_absent_foreign_and_expired_logins_apart() {
    let unknown = Decision::refuse(Err(Refusal::Unknown));
    let [demo, other] = [app("demo"), app("other")];
    let stranger = |item: Option<Login>, app: &AppId, at: Timestamp| {
        initiate(item, app, phone(2, &[], at), at)
    };
    assert_eq!(stranger(None, &demo, NOW), unknown);
    assert_eq!(stranger(Some(created(NOW)), &other, NOW), unknown);
    let unscanned = NOW.plus(UNSCANNED_TTL);
    assert_eq!(stranger(Some(created(NOW)), &demo, unscanned), unknown);
    let scanned = NOW.plus(SCANNED_TTL);
    assert_eq!(stranger(Some(opened(NOW, &[])), &demo, scanned), unknown);
    let redeemable = NOW.plus(REDEEM_WINDOW);
    assert_eq!(stranger(Some(confirmed(NOW)), &demo, redeemable), unknown);
    let own = initiate(
        Some(opened(NOW, &[])),
        &demo,
        phone(1, &[], scanned),
        scanned,
    );
    assert_eq!(own, Decision::refuse(Err(Refusal::Expired)));
}

#[test]
fn token_of_another_login_is_unknown() {
    // Tokens are random, so the token of another login is no different from any other wrong token.
    let other = browser_token(5).hash();
    let redeemed = redeem(Some(confirmed(NOW)), &other, &receipt(1), None, NOW);
    assert_eq!(redeemed.outcome, Err(Refusal::Unknown));
    let confirmed = confirm(Some(opened(NOW, &[])), answer(5, "yes"), NOW);
    assert_eq!(confirmed.outcome, Err(Refusal::Unknown));
}

#[test]
fn confirmation_despite_a_deny_verdict_is_forbidden() {
    let item = opened(NOW, &[Flag::BrowserTor]);
    let first = confirm(Some(item.clone()), answer(1, "yes"), NOW);
    assert_eq!(first.outcome, Err(Refusal::Forbidden));
    let stopped = first.write.clone().unwrap();
    assert!(matches!(
        stopped.state,
        State::Blocked {
            reason: BlockReason::Risk,
            ..
        }
    ));
    let again = confirm(first.write, answer(1, "yes"), NOW);
    assert_eq!(again, Decision::refuse(Err(Refusal::Forbidden)));
    // A denial is always possible.
    let denied = deny(Some(item), denial(1, "no"), NOW);
    assert!(matches!(denied.outcome, Ok(())));
}

#[test]
fn login_with_a_warning_can_be_confirmed() {
    let item = opened(NOW, &[Flag::CountriesDiffer, Flag::FarApart]);
    let decision = confirm(Some(item), answer(1, "yes"), NOW);
    assert!(matches!(decision.outcome, Ok(())));
}

#[test]
fn stranger_cannot_block_a_decided_login() {
    for item in [confirmed(NOW), denied(NOW)] {
        let decision = initiate(Some(item), &app("demo"), phone(2, &[], NOW), NOW);
        assert_eq!(decision, Decision::refuse(Err(Refusal::Over)));
    }
}

#[test]
fn repeated_confirmation_is_accepted_and_another_is_refused() {
    let item = confirmed(NOW);
    let consumed = redeem(
        Some(item.clone()),
        &browser_token(0).hash(),
        &receipt(1),
        None,
        NOW,
    )
    .write;
    for (item, status) in [
        (Some(item), Status::Confirmed),
        (consumed, Status::Consumed),
    ] {
        let same = confirm(item.clone(), answer(1, "yes"), NOW);
        assert_eq!(same, Decision::refuse(Ok(())));
        let other = confirm(item, answer(1, "YES"), NOW);
        assert_eq!(other, Decision::refuse(Err(Refusal::WrongStatus(status))));
    }
    let again = deny(Some(denied(NOW)), denial(1, "no"), NOW);
    assert_eq!(again, Decision::refuse(Ok(())));
}

#[test]
fn payload_must_be_sealed_exactly_if_the_browser_has_a_key() {
    for (item, is_sealed, refusal) in [
        (created(NOW), false, Refusal::Encrypted),
        (sealed(NOW), true, Refusal::Readable),
    ] {
        let item = initiate(Some(item), &app("demo"), phone(1, &[], NOW), NOW).write;
        for (payload, suits) in [(clear("yes"), !is_sealed), (sealed_payload(), is_sealed)] {
            let decision = confirm(item.clone(), answer_of(1, payload), NOW);
            assert_eq!(decision.write.is_some(), suits);
            assert_eq!(decision.outcome == Err(refusal), !suits);
        }
        let denied = deny(item, denial(1, "no"), NOW).write.unwrap();
        assert_eq!(denied.status(NOW), Status::Denied);
    }
    assert_eq!(created(NOW).encryption, Encryption::Plain);
}

#[test]
fn login_with_a_context_needs_a_proof() {
    for context in [None, "Pay 20 EUR".parse::<Context>().ok()] {
        let needed = context.is_some();
        let item = Login {
            creator: LoginCreator::Server {
                context,
                user: None,
            },
            ..sealed(NOW)
        };
        let item = initiate(Some(item), &app("demo"), phone(1, &[], NOW), NOW).write;
        let bare = confirm(item.clone(), answer_of(1, sealed_payload()), NOW);
        assert_eq!(bare.outcome == Err(Refusal::ProofRequired), needed);
        assert_eq!(bare.write.is_some(), !needed);
        let proven = confirm(item, answer_of(1, sealed_with_proof()), NOW);
        assert_eq!(proven.write.unwrap().status(NOW), Status::Confirmed);
    }
}

#[test]
fn page_cannot_repeat_what_a_server_created() {
    let item = Login {
        creator: LoginCreator::Server {
            context: None,
            user: None,
        },
        ..sealed(NOW)
    };
    let repeated = create(Some(item.clone()), item.clone(), NOW);
    assert!(matches!(repeated.outcome, CreateOutcome::Repeated(_)));
    let page = create(Some(item), sealed(NOW), NOW);
    assert_eq!(page, Decision::refuse(CreateOutcome::Taken));
}

#[test]
fn lifetimes_are_exact_to_the_millisecond() {
    let demo = app("demo");
    let end = NOW.plus(UNSCANNED_TTL);
    let last = millis_before(end);
    let in_time = initiate(Some(created(NOW)), &demo, phone(1, &[], last), last);
    let Ok(item) = in_time.outcome else {
        panic!("it can be scanned");
    };
    assert_eq!(item.expires_at(), last.plus(SCANNED_TTL));
    assert_eq!(created(NOW).status(last), Status::Created);
    assert_eq!(created(NOW).status(end), Status::Expired);

    let own = browser_token(0).hash();
    let end = NOW.plus(REDEEM_WINDOW);
    let late = redeem(Some(confirmed(NOW)), &own, &receipt(1), None, end);
    assert_eq!(late, Decision::refuse(Err(Refusal::Expired)));
    let in_time = redeem(
        Some(confirmed(NOW)),
        &own,
        &receipt(1),
        None,
        millis_before(end),
    );
    assert!(in_time.write.is_some());

    let given_up = cancel(Some(created(NOW)), &own, NOW.plus(UNSCANNED_TTL));
    assert_eq!(given_up, Decision::refuse(Err(Refusal::Expired)));
}

#[test]
fn redeem_without_a_confirmation_is_refused() {
    let own = browser_token(0).hash();
    for (item, status) in [
        (created(NOW), Status::Created),
        (opened(NOW, &[]), Status::Scanned),
        (denied(NOW), Status::Denied),
    ] {
        let refused = Err(Refusal::WrongStatus(status));
        assert_eq!(
            redeem(Some(item), &own, &receipt(1), None, NOW),
            Decision::refuse(refused)
        );
    }
}

#[test]
fn live_login_can_be_cancelled_once_and_loses_its_payload() {
    let own = browser_token(0).hash();
    for item in [created(NOW), opened(NOW, &[]), confirmed(NOW)] {
        let had_phone = item.phone().is_some();
        let decision = cancel(Some(item), &own, NOW);
        let item = decision.write.unwrap();
        assert_eq!(item.status(NOW), Status::Cancelled);
        assert_eq!(item.phone().is_some(), had_phone);
        let told = confirm(Some(item.clone()), answer(1, "yes"), NOW).outcome;
        let expected = if had_phone {
            Err(Refusal::WrongStatus(Status::Cancelled))
        } else {
            Err(Refusal::Unknown)
        };
        assert_eq!(told, expected);
        let again = cancel(Some(item), &own, NOW);
        let ended = Err(Refusal::WrongStatus(Status::Cancelled));
        assert_eq!(again, Decision::refuse(ended));
    }
}

#[test]
fn latest_watchers_replace_the_oldest() {
    let own = browser(0);
    let name = |n: usize| format!("connection-{n}").parse::<WatcherId>().unwrap();
    let mut item = created(NOW);
    for n in 0..=MAX_WATCHERS {
        let decision = attach_watcher(Some(item), &own, name(n), NOW);
        assert_eq!(decision.outcome, Ok(Status::Created));
        item = decision.write.unwrap();
    }
    let kept: Vec<WatcherId> = (1..=MAX_WATCHERS).map(name).collect();
    assert_eq!(item.watchers, kept);
    let again = attach_watcher(Some(item.clone()), &own, name(1), NOW);
    let attached = Ok(Status::Created);
    assert_eq!(again, Decision::refuse(attached));
    let gone = detach_watcher(Some(item), &name(2), NOW);
    assert_eq!(gone.outcome, ());
    let item = gone.write.unwrap();
    assert!(!item.watchers.contains(&name(2)));
    let again = detach_watcher(Some(item), &name(2), NOW);
    assert_eq!(again, Decision::refuse(()));
    let ended = attach_watcher(Some(denied(NOW)), &own, name(1), NOW);
    let outcome = Ok(Status::Denied);
    assert_eq!(ended, Decision::refuse(outcome));
}
