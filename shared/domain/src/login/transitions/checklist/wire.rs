//! Lost answers, swapped keys, and the data that the phone and the app's server get.

use super::super::samples::mobile;
use super::*;
use crate::login::{ClaimedUserId, DenyReason};

#[test]
fn sealed_payload_is_redeemed_again_only_by_the_same_receipt() {
    let own = browser_token(0).hash();
    let first = redeem(Some(confirmed_sealed(NOW)), &own, &receipt(1), None, NOW);
    assert_eq!(first.outcome, Ok(sealed_payload()));
    let item = first.write;
    let redeem = |n, at| redeem(item.clone(), &own, &receipt(n), None, at);
    let refused = Decision::refuse(Err(Refusal::Redeemed));
    let again = Decision::refuse(Ok(sealed_payload()));
    let end = NOW.plus(REDEEM_WINDOW);
    assert_eq!(redeem(1, NOW), again);
    assert_eq!(redeem(1, millis_before(end)), again);
    assert_eq!(redeem(1, end), refused, "its time is over");
    assert_eq!(redeem(2, NOW), refused, "another receipt");
}

#[test]
fn repeated_creation_gets_the_same_login_while_it_is_live() {
    let later = NOW.plus(SECOND);
    let mut again = created(later);
    again.browser.address = "192.0.2.1".parse().unwrap();
    for item in [created(NOW), opened(NOW, &[]), confirmed(NOW)] {
        let same = CreateOutcome::Repeated(Box::new(item.clone()));
        let repeated = create(Some(item), again.clone(), later);
        assert_eq!(repeated, Decision::refuse(same));
    }
}

#[test]
fn login_counts_as_absent_from_its_purge_on() {
    let item = created(NOW);
    let own = browser_token(0).hash();
    let cancelled = |now| cancel(Some(item.clone()), &own, now).outcome;
    let last = millis_before(item.purge_at);
    assert_eq!(cancelled(last), Err(Refusal::Expired));
    assert_eq!(cancelled(item.purge_at), Err(Refusal::Unknown));
}

#[test]
fn ended_login_is_never_reopened() {
    let own = browser_token(0).hash();
    let consumed = redeem(Some(confirmed(NOW)), &own, &receipt(1), None, NOW).write;
    let cancelled = cancel(Some(created(NOW)), &own, NOW).write;
    for (item, status) in [
        (consumed, Status::Consumed),
        (cancelled, Status::Cancelled),
        (Some(denied(NOW)), Status::Denied),
    ] {
        let again = create(item, created(NOW), NOW);
        assert_eq!(again, Decision::refuse(CreateOutcome::Ended(status)));
    }
    let late = create(Some(created(NOW)), created(NOW), NOW.plus(UNSCANNED_TTL));
    let expired = CreateOutcome::Ended(Status::Expired);
    assert_eq!(late, Decision::refuse(expired));
}

#[test]
fn id_of_another_browser_app_or_page_is_taken() {
    let mut stolen = created(NOW);
    stolen.browser_token = browser_token(1).hash();
    let mut foreign = created(NOW);
    foreign.app = app("other");
    let mut page = created(NOW);
    page.origin = "https://other.example".parse().unwrap();
    let mut keyed = created(NOW);
    keyed.encryption = sealed(NOW).encryption;
    let expired = NOW.plus(UNSCANNED_TTL);
    for new in [stolen, foreign, page, keyed] {
        for at in [NOW, expired] {
            let taken = create(Some(created(NOW)), new.clone(), at);
            assert_eq!(taken, Decision::refuse(CreateOutcome::Taken));
        }
    }
}

#[test]
fn repeated_initiate_with_another_user_is_refused() {
    let named = |name: &str| {
        let mut phone = phone(1, &[], NOW);
        phone.user = name.parse::<ClaimedUserId>().ok();
        phone
    };
    let demo = app("demo");
    let item = initiate(Some(created(NOW)), &demo, named("zoe"), NOW).write;
    for other in [named("max"), phone(1, &[], NOW)] {
        let refused = initiate(item.clone(), &demo, other, NOW);
        assert_eq!(refused, Decision::refuse(Err(Refusal::Different)));
    }
    let same = initiate(item, &demo, named("zoe"), NOW).outcome;
    assert!(same.is_ok());
}

#[test]
fn key_mismatch_blocks_the_login() {
    let mut said = denial(1, "swapped");
    said.reason = Some(DenyReason::KeyMismatch);
    let decision = deny(Some(opened(NOW, &[])), said.clone(), NOW);
    assert!(matches!(decision.outcome, Ok(())));
    let item = decision.write;
    let blocked = item.as_ref().unwrap();
    assert_eq!(blocked.status(NOW), Status::Blocked);
    assert_eq!(blocked.denial(), Some(&said.payload));
    let State::Blocked { reason, .. } = &blocked.state else {
        panic!("the login is blocked");
    };
    assert_eq!(*reason, BlockReason::KeyMismatch(said.payload.clone()));
    let again = deny(item.clone(), said.clone(), NOW);
    assert_eq!(again, Decision::refuse(Ok(())));
    let ended = Err(Refusal::WrongStatus(Status::Blocked));
    let otherwise = deny(item.clone(), denial(1, "no"), NOW);
    assert_eq!(otherwise, Decision::refuse(ended));
    let confirmed = confirm(item, answer(1, "yes"), NOW).outcome;
    assert_eq!(confirmed, Err(Refusal::WrongStatus(Status::Blocked)));
    let late = deny(Some(denied(NOW)), said, NOW);
    let ended = Err(Refusal::WrongStatus(Status::Denied));
    assert_eq!(late, Decision::refuse(ended));
}

#[test]
fn denied_login_keeps_the_payload_for_the_apps_server() {
    let item = denied(NOW);
    assert_eq!(item.denial(), Some(&denial(1, "no").payload));
    assert_eq!(confirmed(NOW).denial(), None);
}

#[test]
fn phone_that_opened_the_login_watches_it() {
    let name = "phone".parse::<WatcherId>().unwrap();
    let attach = |item: Login, n: u8| attach_watcher(Some(item), &mobile(n), name.clone(), NOW);
    let unknown = Decision::refuse(Err(Refusal::Unknown));
    assert_eq!(attach(created(NOW), 1), unknown);
    assert_eq!(attach(opened(NOW, &[]), 2), unknown);
    let attached = attach(opened(NOW, &[]), 1);
    assert_eq!(attached.outcome, Ok(Status::Scanned));
    assert!(attached.write.unwrap().watchers.contains(&name));
    let ended = Decision::refuse(Ok(Status::Denied));
    assert_eq!(attach(denied(NOW), 1), ended);
}
