//! Check codes against guesses, lost answers and strangers.

use super::super::samples::sealed as created_sealed;
use super::*;
use crate::delivery::transitions::HasDelivery as _;
use crate::login::{BrowserBinding, CheckCode, MAX_MISSES, Phone, PhonePayload, ReturnToken};
use crate::web::callback_url::CallbackUrl;
use crate::web::return_url::ReturnUrl;

const SHOWN: u8 = 42;

fn code(number: u8) -> CheckCode {
    CheckCode::from_number(number).unwrap()
}

fn typed(number: u8) -> BrowserBinding {
    BrowserBinding::CheckCode(code(number))
}

/// A login that requires a check code, confirmed by a phone that shows it.
fn confirmed_with_code(mut item: Login, payload: PhonePayload) -> Login {
    item.requires_check_code = true;
    let mut phone = phone(1, &[], NOW);
    phone.binding = Some(typed(SHOWN));
    let opened = initiate(Some(item), &app("demo"), phone, NOW);
    assert!(opened.outcome.is_ok());
    confirm(opened.write, answer_of(1, payload), NOW)
        .write
        .unwrap()
}

fn of_both_kinds() -> [Login; 2] {
    [
        confirmed_with_code(created(NOW), clear("yes")),
        confirmed_with_code(created_sealed(NOW), sealed_payload()),
    ]
}

fn try_code(item: &Login, number: u8) -> Decision<Login, Result<PhonePayload, Refusal>> {
    let own = browser_token(0).hash();
    redeem(
        Some(item.clone()),
        &own,
        &receipt(1),
        Some(typed(number)),
        NOW,
    )
}

const fn wrong(tries_left: u8) -> Result<PhonePayload, Refusal> {
    Err(Refusal::CheckCodeWrong { tries_left })
}

#[test]
fn payload_needs_the_code_that_the_phone_shows() {
    for item in of_both_kinds() {
        let own = browser_token(0).hash();
        let without = redeem(Some(item.clone()), &own, &receipt(1), None, NOW);
        assert_eq!(
            without,
            Decision::refuse(Err(Refusal::CheckCodeRequired)),
            "it does not count"
        );
        let with = try_code(&item, SHOWN);
        assert!(with.outcome.is_ok());
    }
}

#[test]
fn third_wrong_code_blocks_the_login_and_the_right_one_comes_too_late() {
    for item in of_both_kinds() {
        let first = try_code(&item, 1);
        assert_eq!(first.outcome, wrong(2));
        let second = try_code(&first.write.unwrap(), 2);
        assert_eq!(second.outcome, wrong(1));
        let third = try_code(&second.write.unwrap(), 3);
        assert_eq!(third.outcome, Err(Refusal::CheckCodeBlocked));
        let blocked = third.write.unwrap();
        let State::Blocked { reason, .. } = &blocked.state else {
            panic!("blocked: {:?}", blocked.state);
        };
        assert_eq!(*reason, BlockReason::CheckCode);
        let refused = Decision::refuse(Err(Refusal::WrongStatus(Status::Blocked)));
        for number in [SHOWN, 3, 4] {
            assert_eq!(try_code(&blocked, number), refused);
        }
    }
}

#[test]
fn right_code_is_taken_after_two_misses() {
    for item in of_both_kinds() {
        let item = try_code(&item, 1).write.unwrap();
        let item = try_code(&item, 2).write.unwrap();
        let third = try_code(&item, SHOWN);
        assert!(third.outcome.is_ok());
    }
}

#[test]
fn same_wrong_code_counts_once_so_a_lost_answer_costs_no_try() {
    for item in of_both_kinds() {
        let item = try_code(&item, 1).write.unwrap();
        for _ in 0..MAX_MISSES {
            assert_eq!(try_code(&item, 1), Decision::refuse(wrong(2)));
        }
        let item = try_code(&item, 2).write.unwrap();
        assert_eq!(try_code(&item, 1), Decision::refuse(wrong(1)));
    }
}

#[test]
fn at_most_three_codes_are_compared_whatever_is_sent() {
    for item in of_both_kinds() {
        let mut item = item;
        let mut writes = 0;
        for number in (0..100).filter(|number| *number != SHOWN) {
            if let Some(written) = try_code(&item, number).write {
                item = written;
                writes += 1;
            }
        }
        assert_eq!(writes, MAX_MISSES);
    }
}

#[test]
fn stranger_without_the_browsers_token_neither_guesses_nor_blocks() {
    for item in of_both_kinds() {
        let stranger = browser_token(9).hash();
        for number in [1, 2, 3, SHOWN] {
            let item = Some(item.clone());
            let tried = redeem(item, &stranger, &receipt(1), Some(typed(number)), NOW);
            assert_eq!(tried, Decision::refuse(Err(Refusal::Unknown)));
        }
    }
}

#[test]
fn codes_are_compared_only_once_the_login_is_confirmed_and_while_it_lasts() {
    let mut item = created(NOW);
    item.requires_check_code = true;
    let mut phone = phone(1, &[], NOW);
    phone.binding = Some(typed(SHOWN));
    let opened = initiate(Some(item.clone()), &app("demo"), phone, NOW);
    let opened = opened.write.unwrap();
    for (item, status) in [(item, Status::Created), (opened, Status::Scanned)] {
        for number in [1, SHOWN] {
            let refused = Decision::refuse(Err(Refusal::WrongStatus(status)));
            assert_eq!(try_code(&item, number), refused);
        }
    }
    for item in of_both_kinds() {
        let own = browser_token(0).hash();
        let end = NOW.plus(REDEEM_WINDOW);
        for number in [1, SHOWN] {
            let late = redeem(
                Some(item.clone()),
                &own,
                &receipt(1),
                Some(typed(number)),
                end,
            );
            assert_eq!(late, Decision::refuse(Err(Refusal::Expired)));
        }
    }
}

#[test]
fn sealed_payload_is_answered_again_to_its_receipt_whatever_the_code() {
    let item = confirmed_with_code(created_sealed(NOW), sealed_payload());
    let item = try_code(&item, SHOWN).write.unwrap();
    let own = browser_token(0).hash();
    let again = Decision::refuse(Ok(sealed_payload()));
    for sent in [Some(typed(SHOWN)), Some(typed(1)), None] {
        let same = redeem(Some(item.clone()), &own, &receipt(1), sent, NOW);
        assert_eq!(same, again);
        let other = redeem(Some(item.clone()), &own, &receipt(2), sent, NOW);
        assert_eq!(other, Decision::refuse(Err(Refusal::Redeemed)));
    }
}

#[test]
fn code_that_the_login_does_not_require_is_ignored() {
    for item in [confirmed(NOW), confirmed_sealed(NOW)] {
        let redeemed = try_code(&item, 1);
        assert!(redeemed.outcome.is_ok());
    }
}

#[test]
fn phone_opens_a_login_with_a_code_exactly_if_the_login_requires_one() {
    for requires_check_code in [true, false] {
        for shown in [None, Some(typed(SHOWN))] {
            let item = Login {
                requires_check_code,
                ..created(NOW)
            };
            let mut phone = phone(1, &[], NOW);
            phone.binding = shown;
            let opened = initiate(Some(item), &app("demo"), phone, NOW);
            let fits = requires_check_code == shown.is_some();
            assert_eq!(opened.outcome.is_ok(), fits);
            assert_eq!(opened.write.is_some(), fits);
        }
    }
}

/// A login with a return page, confirmed by a phone that returns.
fn confirmed_returning(requires_check_code: bool) -> (Login, ReturnToken) {
    let item = Login {
        return_url: "https://shop.example/".parse::<ReturnUrl>().ok(),
        requires_check_code,
        ..created(NOW)
    };
    let token = ReturnToken::from_bytes([7; 32]);
    let mut phone = phone(1, &[], NOW);
    phone.binding = Some(BrowserBinding::Return(token.hash()));
    let opened = initiate(Some(item), &app("demo"), phone, NOW).write;
    let confirmed = confirm(opened, answer_of(1, clear("yes")), NOW).write;
    (confirmed.unwrap(), token)
}

#[test]
fn payload_is_handed_to_the_browser_that_the_app_returned_to() {
    for requires_check_code in [false, true] {
        let (item, token) = confirmed_returning(requires_check_code);
        let own = browser_token(0).hash();
        let redeem = |binding| redeem(Some(item.clone()), &own, &receipt(1), binding, NOW);
        let other = ReturnToken::from_bytes([8; 32]);
        for shown in [
            None,
            Some(typed(SHOWN)),
            Some(BrowserBinding::Return(other.hash())),
        ] {
            let refused = Decision::refuse(Err(Refusal::ReturnTokenRequired));
            assert_eq!(redeem(shown), refused);
        }
        assert!(
            redeem(Some(BrowserBinding::Return(token.hash())))
                .outcome
                .is_ok()
        );
    }
}

#[test]
fn no_phone_returns_to_a_page_that_did_not_ask_for_it() {
    let mut phone = phone(1, &[], NOW);
    phone.binding = Some(BrowserBinding::Return(
        ReturnToken::from_bytes([7; 32]).hash(),
    ));
    let opened = initiate(Some(created(NOW)), &app("demo"), phone, NOW);
    assert_eq!(opened, Decision::refuse(Err(Refusal::Unknown)));
}

#[test]
fn repeated_initiate_keeps_the_first_code() {
    let item = Login {
        requires_check_code: true,
        ..created(NOW)
    };
    let with = |number| Phone {
        binding: Some(typed(number)),
        ..phone(1, &[], NOW)
    };
    let opened = initiate(Some(item), &app("demo"), with(SHOWN), NOW).write;
    let again = initiate(opened, &app("demo"), with(7), NOW);
    let Ok(login) = again.outcome else {
        panic!("repeated: {:?}", again.outcome);
    };
    let shown = login.phone().and_then(|phone| phone.binding);
    assert_eq!(shown, Some(typed(SHOWN)));
}

#[test]
fn debug_of_the_login_hides_the_digits() {
    for item in of_both_kinds() {
        let missed = try_code(&item, 87).write.unwrap();
        let text = format!("{missed:?}");
        assert!(!text.contains(&format!("CheckCode({SHOWN}")), "{text}");
        assert!(!text.contains("87"), "{text}");
    }
}

#[test]
fn block_keeps_the_webhook_about_the_confirmation_and_owes_no_other() {
    for mut item in of_both_kinds() {
        item.state = State::Created {
            expires_at: NOW.plus(UNSCANNED_TTL),
        };
        item.callback = CallbackUrl::from_stored("https://shop.example/logins").ok();
        let payload = if item.encryption.key().is_some() {
            sealed_payload()
        } else {
            clear("yes")
        };
        let item = confirmed_with_code(item, payload);
        let pending = item.claimed().unwrap().body.unwrap().into_text();
        let item = try_code(&item, 1).write.unwrap();
        assert_eq!(item.notice.as_ref().unwrap().body, None, "it follows still");
        let item = try_code(&item, 2).write.unwrap();
        let blocked = try_code(&item, 3).write.unwrap();
        assert_eq!(
            blocked.claimed().unwrap().body.unwrap().into_text(),
            pending
        );
        assert!(blocked.proof().is_none() && blocked.verified_user().is_none());
    }
}

#[test]
fn page_of_a_servers_login_sends_the_digits_and_gets_nothing() {
    let page = browser_token(0).page_token().hash();
    let own = browser_token(0).hash();
    let item = Login {
        creator: LoginCreator::Server {
            context: None,
            user: None,
        },
        page_token: Some(page),
        ..confirmed_with_code(created_sealed(NOW), sealed_payload())
    };
    let check = |item: &Login, n| check_code(Some(item.clone()), &page, code(n), NOW);
    let right = check(&item, SHOWN);
    assert_eq!(right.outcome, Ok(()));
    let consumed = right.write.unwrap();
    assert_eq!(consumed.status(NOW), Status::Consumed);
    // The lost answer is repeated; no payload is returned.
    assert_eq!(check(&consumed, SHOWN), Decision::refuse(Ok(())));
    let wrong = Refusal::WrongStatus(Status::Consumed);
    assert_eq!(check(&consumed, SHOWN - 1), Decision::refuse(Err(wrong)));
    let redeemed = redeem(Some(consumed), &own, &receipt(1), Some(typed(SHOWN)), NOW);
    assert_eq!(redeemed, Decision::refuse(Err(Refusal::Redeemed)));

    // Wrong codes from page and browser count together.
    let once = check(&item, 1);
    let refusal = Refusal::CheckCodeWrong { tries_left: 2 };
    assert_eq!(once.outcome, Err(refusal));
    let once = once.write.unwrap();
    assert_eq!(check(&once, 1), Decision::refuse(Err(refusal)));
    let twice = redeem(Some(once), &own, &receipt(1), Some(typed(2)), NOW);
    let blocked = check(&twice.write.unwrap(), 3);
    assert_eq!(blocked.outcome, Err(Refusal::CheckCodeBlocked));
    assert_eq!(blocked.write.unwrap().status(NOW), Status::Blocked);

    let stranger = browser_token(1).page_token().hash();
    let of_page = confirmed_with_code(created_sealed(NOW), sealed_payload());
    for (item, token) in [(&item, stranger), (&of_page, page)] {
        let refused = check_code(Some(item.clone()), &token, code(SHOWN), NOW);
        assert_eq!(refused, Decision::refuse(Err(Refusal::Unknown)));
    }
    let late = NOW.plus(REDEEM_WINDOW);
    let late = check_code(Some(item.clone()), &page, code(SHOWN), late);
    assert_eq!(late, Decision::refuse(Err(Refusal::Expired)));
    // If no check code is required, a page cannot take the payload from the browser that redeems.
    let mut free = item;
    free.requires_check_code = false;
    if let State::Confirmed { phone, .. } = &mut free.state {
        phone.binding = None;
    }
    let refusal = Refusal::WrongStatus(Status::Confirmed);
    assert_eq!(check(&free, SHOWN), Decision::refuse(Err(refusal)));
}
