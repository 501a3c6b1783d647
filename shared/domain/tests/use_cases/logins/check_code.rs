//! Check codes.

use countersign_conformance::samples::logins::{check_code, mobile_token};
use countersign_domain::login::Refusal;
use countersign_domain::login::{CheckCode, Login, Status};
use countersign_domain::use_cases::logins::LoginError::Refused;

use super::host::{Logins, Opened};

/// The code that the phone shows.
fn shown(login: &Login) -> CheckCode {
    let phone = login.phone().unwrap();
    phone.check_code.unwrap()
}

/// Three codes other than this one.
fn others(code: CheckCode) -> Vec<CheckCode> {
    let others = (0..4).map(check_code).filter(|other| *other != code);
    others.take(3).collect()
}

#[test]
fn code_is_drawn_when_the_phone_opens_the_login_and_stays() {
    let mut logins = Logins::new();
    let free = logins.create().login;
    assert!(!free.requires_check_code);
    logins.app.login.check_code = true;
    let opened = logins.initiate(free.id).unwrap();
    assert_eq!(
        opened.phone().unwrap().check_code,
        None,
        "the rule is older"
    );
    let login = logins.create().login;
    assert!(login.requires_check_code);
    let first = logins.initiate(login.id).unwrap();
    assert_eq!(shown(&logins.initiate(login.id).unwrap()), shown(&first));
}

#[test]
fn third_wrong_code_blocks_the_login_and_tells_both_devices() {
    let mut logins = Logins::new();
    logins.app.login.check_code = true;
    let Opened { login, token, .. } = logins.create();
    let id = login.id;
    let code = shown(&logins.initiate(id).unwrap());
    logins.watch(id, &token, 1).unwrap();
    logins.watch(id, &mobile_token(1), 2).unwrap();
    logins.confirm(id, 1, "yes").unwrap();
    let missing = logins.redeem(id, &token);
    assert!(matches!(missing, Err(Refused(Refusal::CheckCodeRequired))));
    logins.pokes();
    for (n, wrong) in others(code).into_iter().enumerate() {
        let answer = logins.redeem_checked(id, &token, wrong);
        match n {
            0 => assert!(matches!(
                answer,
                Err(Refused(Refusal::CheckCodeWrong { tries_left: 2 }))
            )),
            1 => assert!(matches!(
                answer,
                Err(Refused(Refusal::CheckCodeWrong { tries_left: 1 }))
            )),
            _ => assert!(matches!(answer, Err(Refused(Refusal::CheckCodeBlocked)))),
        }
    }
    assert_eq!(
        logins.pokes(),
        2,
        "only the block is a change that they see"
    );
    assert_eq!(logins.world.count("qr_check_code_wrong"), 2);
    assert_eq!(logins.world.count("qr_check_code_blocked"), 1);
    let late = logins.redeem_checked(id, &token, code);
    assert!(matches!(late, Err(Refused(Refusal::Is(Status::Blocked)))));
    assert_eq!(
        logins.status(id, &mobile_token(1)).unwrap(),
        Status::Blocked
    );
}

#[test]
fn right_code_gets_the_payload() {
    let mut logins = Logins::new();
    logins.app.login.check_code = true;
    let Opened { login, token, .. } = logins.create();
    let code = shown(&logins.initiate(login.id).unwrap());
    logins.confirm(login.id, 1, "yes").unwrap();
    let payload = logins.redeem_checked(login.id, &token, code).unwrap();
    assert_eq!(payload.payload().as_str(), "yes");
    assert_eq!(logins.world.count("qr_redeemed"), 1);
}
