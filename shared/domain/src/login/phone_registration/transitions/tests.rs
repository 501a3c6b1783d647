use std::time::Duration;

use super::super::state::VALIDITY;
use super::super::tokens::SetupPageToken;
use super::samples::{
    NOW, accepted, cancelled, code, completed, created, key, of, opened, page, phone, secret,
    signed,
};
use super::*;
use crate::app::AppKey;
use crate::app::api_key::KeyMode;
use crate::app::key_label::KeyLabel;
use crate::app::login::WebPhoneKey;
use crate::app::senders::SenderPool;
use crate::delivery::transitions::HasDelivery as _;
use crate::login::{ClaimedUserId, KeyKind};
use crate::primitives::entropy::FixedEntropy;
use crate::primitives::ids::AppId;

#[test]
fn phone_is_set_up_in_four_steps() {
    assert_eq!(created().status(NOW), SetupStatus::Created);
    assert_eq!(opened().status(NOW), SetupStatus::Opened);
    assert_eq!(signed().status(NOW), SetupStatus::Signed);
    assert_eq!(accepted().status(NOW), SetupStatus::Signed);
    let done = completed();
    assert_eq!(done.status(NOW), SetupStatus::Completed);
    assert_eq!(
        done.registered(),
        Some((key(1).point.key_id(), &KeyKind::Browser))
    );
    let key = accepted().accepted_key(NOW).unwrap();
    assert_eq!(key.owner().map(ClaimedUserId::as_str), Some("zoe"));
    assert_eq!(key.label().map(KeyLabel::as_str), Some("Chrome on Android"));
    for other in [created(), opened(), signed(), completed()] {
        assert_eq!(other.accepted_key(NOW), None);
    }
}

#[test]
fn only_the_first_phone_opens_the_link() {
    let again = open(Some(opened()), &secret(1), phone(1), NOW);
    assert_eq!(again.outcome, Ok(Box::new(opened())));
    assert_eq!(again.write, None);
    for item in [opened(), signed(), accepted(), completed(), cancelled()] {
        let second = open(Some(item), &secret(1), phone(2), NOW);
        assert_eq!(
            (second.outcome, second.write),
            (Err(SetupRefusal::AlreadyOpened), None)
        );
    }
    let wrong = open(Some(created()), &secret(2), phone(1), NOW);
    assert_eq!(
        (wrong.outcome, wrong.write),
        (Err(SetupRefusal::Unknown), None)
    );
}

#[test]
fn only_the_phone_that_opened_the_link_signs() {
    let stranger = sign(Some(opened()), &phone(2).token, key(1), code(1), NOW);
    assert_eq!(of(stranger), (Err(SetupRefusal::Unknown), false));
    let early = sign(Some(created()), &phone(1).token, key(1), code(1), NOW);
    assert_eq!(of(early), (Err(SetupRefusal::Unknown), false));
    let again = sign(Some(signed()), &phone(1).token, key(1), code(1), NOW);
    assert_eq!(of(again), (Ok(code(42)), false));
    let other = sign(Some(signed()), &phone(1).token, key(2), code(1), NOW);
    assert_eq!(of(other), (Err(SetupRefusal::SignedDifferently), false));
}

#[test]
fn third_wrong_pair_of_digits_ends_the_registration() {
    let mut item = signed();
    for (typed, refusal, writes) in [
        (1, SetupRefusal::DigitsWrong { tries_left: 2 }, true),
        (1, SetupRefusal::DigitsWrong { tries_left: 2 }, false),
        (2, SetupRefusal::DigitsWrong { tries_left: 1 }, true),
        (3, SetupRefusal::DigitsBlocked, true),
        (42, SetupRefusal::DigitsBlocked, false),
    ] {
        let decision = check_digits(Some(item.clone()), &page(1), code(typed), NOW);
        assert_eq!(decision.outcome, Err(refusal), "{typed}");
        assert_eq!(decision.write.is_some(), writes, "{typed}");
        item = decision.write.unwrap_or(item);
    }
    assert_eq!(item.failure(), Some(Failure::WrongDigits));
}

#[test]
fn digits_come_from_the_page_after_the_phone_has_shown_them() {
    let stranger = check_digits(Some(signed()), &page(2), code(42), NOW);
    assert_eq!(of(stranger), (Err(SetupRefusal::Unknown), false));
    for item in [created(), opened()] {
        let early = check_digits(Some(item), &page(1), code(42), NOW);
        assert_eq!(of(early), (Err(SetupRefusal::NotSigned), false));
    }
    for item in [accepted(), completed()] {
        let again = check_digits(Some(item), &page(1), code(42), NOW);
        assert_eq!(of(again), (Ok(()), false));
    }
}

#[test]
fn nothing_changes_after_the_time_is_over() {
    let late = NOW.plus(VALIDITY);
    for item in [created(), opened(), signed()] {
        assert_eq!(item.status(late), SetupStatus::Expired);
        let digits = check_digits(Some(item.clone()), &page(1), code(42), late);
        assert_eq!(of(digits), (Err(SetupRefusal::Expired), false));
        let app: AppId = "shop".parse().unwrap();
        let cancel = cancel(Some(item), SetupParty::Server(Scope::live(&app)), late);
        assert_eq!(of(cancel), (Err(SetupRefusal::Expired), false));
    }
    let open = open(Some(created()), &secret(1), phone(1), late);
    assert_eq!(
        (open.outcome, open.write),
        (Err(SetupRefusal::Expired), None)
    );
    let sign = sign(Some(opened()), &phone(1).token, key(1), code(1), late);
    assert_eq!(of(sign), (Err(SetupRefusal::Expired), false));
    // Accepted digits are completed even later: the user has done everything.
    assert!(finish(Some(accepted()), true, late).write.is_some());
    let gone = check_digits(Some(signed()), &page(1), code(42), signed().purge_at);
    assert_eq!(of(gone), (Err(SetupRefusal::Unknown), false));
}

#[test]
fn registration_is_cancelled_until_the_digits_are_typed() {
    let shop: AppId = "shop".parse().unwrap();
    let other: AppId = "other".parse().unwrap();
    let device = |text: String| text.parse::<RegistrationToken>().unwrap();
    let page_token = device(SetupPageToken::generate(&FixedEntropy(1)).reveal());
    let stranger = device(SetupPageToken::generate(&FixedEntropy(9)).reveal());
    for by in [
        SetupParty::Server(Scope::live(&shop)),
        SetupParty::Device(&page_token),
    ] {
        for item in [created(), opened(), signed()] {
            let decision = cancel(Some(item), by, NOW);
            let item = decision.write.unwrap();
            assert_eq!(item.failure(), Some(Failure::Cancelled));
            assert_eq!(of(cancel(Some(item), by, NOW)), (Ok(()), false));
        }
        for item in [accepted(), completed()] {
            assert_eq!(
                of(cancel(Some(item), by, NOW)),
                (Err(SetupRefusal::Completed), false)
            );
        }
    }
    let test = Scope {
        app: &shop,
        mode: KeyMode::Test,
    };
    for by in [
        SetupParty::Server(Scope::live(&other)),
        SetupParty::Server(test),
        SetupParty::Device(&stranger),
    ] {
        assert_eq!(
            of(cancel(Some(opened()), by, NOW)),
            (Err(SetupRefusal::Unknown), false)
        );
    }
}

#[test]
fn key_that_is_refused_ends_the_registration() {
    let item = finish(Some(accepted()), false, NOW).write.unwrap();
    assert_eq!(item.failure(), Some(Failure::KeyRefused));
    assert_eq!(item.notice, None);
    for item in [signed(), completed(), cancelled()] {
        let unchanged = finish(Some(item.clone()), true, NOW);
        assert_eq!(
            (unchanged.outcome, unchanged.write),
            (Some(Box::new(item)), None)
        );
    }
}

#[test]
fn webhook_says_whose_phone_was_set_up() {
    let claimed = completed().claimed().unwrap();
    let body = claimed.body.unwrap().into_text();
    let expected = format!(
        r#"{{"event":"phone.registered","keyId":"{}","kind":"browser","label":"Chrome on Android","publicUserId":"zoe","registrationId":"phr_07070707070707070707070707070707","timestamp":"2026-01-02T03:04:05.678Z"}}"#,
        key(1).point.key_id()
    );
    assert_eq!(&*body, expected);
    assert!(completed().purge_at >= NOW.plus(MAX_RETRY_WINDOW));
    let silent = PhoneRegistration {
        callback: None,
        ..accepted()
    };
    assert_eq!(finish(Some(silent), true, NOW).write.unwrap().notice, None);
}

#[test]
fn settings_that_no_longer_allow_it_stop_a_registration() {
    let app = |change: fn(&mut App)| {
        let key = AppKey::generate(&FixedEntropy(1));
        let senders = SenderPool::new([(None, "+12025550100".parse().unwrap())]).unwrap();
        let mut app = App::new("shop".parse().unwrap(), key, NOW, senders);
        app.login.web_phone = true;
        app.login.link_host = "login.shop.example".parse().ok();
        change(&mut app);
        app
    };
    let open = |app: Option<&App>| {
        let decide = |current| open(current, &secret(1), phone(1), NOW);
        unless_withdrawn(Some(created()), app, decide)
            .outcome
            .map(|item| item.status(NOW))
    };
    assert_eq!(open(Some(&app(|_| {}))), Ok(SetupStatus::Opened));
    for app in [
        None,
        Some(app(|app| app.login.web_phone = false)),
        Some(app(|app| {
            app.login.link_host = "other.example".parse().ok();
        })),
        Some(app(|app| app.login.link_host = None)),
    ] {
        assert_eq!(open(app.as_ref()), Err(SetupRefusal::Withdrawn));
    }
}

#[test]
fn key_that_the_app_no_longer_accepts_is_not_registered() {
    let key = AppKey::generate(&FixedEntropy(1));
    let senders = SenderPool::new([(None, "+12025550100".parse().unwrap())]).unwrap();
    let mut app = App::new("shop".parse().unwrap(), key, NOW, senders);
    app.login.web_phone = true;
    app.login.link_host = "login.shop.example".parse().ok();
    let type_digits = |app: &App| {
        let decide = |current| check_digits(current, &page(1), code(42), NOW);
        of(unless_withdrawn(Some(signed()), Some(app), decide))
    };
    assert_eq!(type_digits(&app), (Ok(()), true));
    app.login.web_phone_key = WebPhoneKey::Passkey;
    assert_eq!(type_digits(&app), (Err(SetupRefusal::Withdrawn), false));
}

#[test]
fn registration_is_kept_for_a_day_and_hides_its_secrets() {
    let day = Duration::from_hours(24);
    assert_eq!(created().purge_at, NOW.plus(VALIDITY).plus(day));
    let shown = format!("{:?}", signed());
    for secret in ["zoe", "42"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}
