//! Check codes: two digits that the phone shows and the user types in the browser.

use std::time::Duration;

use countersign_conformance::samples::logins::{mobile_token, sealed};
use serde_json::{Value, json};

use crate::host::{Answer, BROWSER, Host, Opened, RECEIPT, SHOP, asked, wrong_codes};

const OTHER_RECEIPT: &str = "BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA";

/// Returns the members of a problem that tell the browser what to do.
fn said(answer: &Answer) -> (u16, Value, Value) {
    let body = answer.json();
    let tries = body.get("triesLeft").cloned().unwrap_or_default();
    (answer.status.as_u16(), body["code"].clone(), tries)
}

fn wrong(tries_left: u8) -> (u16, Value, Value) {
    (403, json!("check_code_wrong"), json!(tries_left))
}

/// Returns the two digits in this answer of `initiate`.
fn digits(answer: &Answer) -> String {
    let body = answer.json();
    let digits = body["checkCode"].as_str().unwrap().to_owned();
    let is_digit = |c: char| c.is_ascii_digit();
    assert!(digits.len() == 2 && digits.chars().all(is_digit));
    digits
}

#[tokio::test]
async fn only_the_phone_that_opened_the_login_gets_the_code_and_again_the_same() {
    let host = Host::new().await;
    host.change_app(|app| app.login.check_code = true).await;
    let opened = host.open_sealed().await;
    let first = host.initiate(&opened, 1, json!({})).await;
    let shown = digits(&first);
    assert_eq!(digits(&host.initiate(&opened, 1, json!({})).await), shown);
    let other = host
        .initiate(&opened, 1, json!({"publicUserId": "zoe"}))
        .await;
    assert_eq!(other.code(), "session_initiated_differently");
    assert!(other.json().get("checkCode").is_none());
    host.confirm_sealed(&opened, 1).await;
    let phone = format!("Bearer {}", mobile_token(1).reveal());
    let phone = [("authorization", phone.as_str())];
    let server = [("x-api-key", host.key.reveal())];
    for answer in [
        host.browser("GET", &opened, "").await,
        host.send(asked("GET", &opened.path(""), &phone, None))
            .await,
        host.send(asked("GET", &opened.path(""), &server, None))
            .await,
        host.redeem(&opened, RECEIPT).await,
        host.redeem_checked(&opened, &shown).await,
    ] {
        assert!(answer.json().get("checkCode").is_none(), "{answer:?}");
    }
}

#[tokio::test]
async fn codes_differ_between_logins() {
    let host = Host::new().await;
    host.change_app(|app| app.login.check_code = true).await;
    let mut drawn = std::collections::BTreeSet::new();
    for _ in 0..50 {
        let opened = host.open().await;
        drawn.insert(digits(&host.initiate(&opened, 1, json!({})).await));
    }
    assert!(drawn.len() > 10, "{drawn:?}");
}

#[tokio::test]
async fn payload_is_redeemed_with_the_right_code_and_again_to_the_same_receipt() {
    let host = Host::new().await;
    let (opened, digits) = host.confirmed_checked().await;
    let without = host.redeem(&opened, RECEIPT).await;
    assert_eq!(
        said(&without),
        (403, json!("check_code_required"), Value::Null)
    );
    assert_eq!(without.json()["field"], "/checkCode");
    let got = host.redeem_checked(&opened, &digits).await;
    let payload = sealed().payload().as_str().to_owned();
    assert_eq!(got.json(), json!({"payload": payload, "encrypted": true}));
    host.clock.advance(Duration::from_millis(59_999));
    let again = host.redeem_checked(&opened, &digits).await;
    assert_eq!(again.json(), got.json());
    let body = json!({"receipt": OTHER_RECEIPT, "checkCode": digits});
    let other = host.redeem_with(&opened, body).await;
    assert_eq!(other.code(), "session_redeemed");
}

#[tokio::test]
async fn third_wrong_code_blocks_the_login() {
    let host = Host::new().await;
    let (opened, digits) = host.confirmed_checked().await;
    host.metrics.take();
    let codes = wrong_codes(&digits);
    let first = host.redeem_checked(&opened, codes[0]).await;
    assert_eq!(said(&first), wrong(2));
    let repeated = host.redeem_checked(&opened, codes[0]).await;
    assert_eq!(said(&repeated), wrong(2), "a lost answer costs no try");
    let second = host.redeem_checked(&opened, codes[1]).await;
    assert_eq!(said(&second), wrong(1));
    assert_eq!(host.state_of(&opened).await, "confirmed");
    let third = host.redeem_checked(&opened, codes[2]).await;
    let blocked = (409, json!("session_blocked"), Value::Null);
    assert_eq!(said(&third), blocked);
    assert_eq!(
        host.metrics.take(),
        [
            "qr_check_code_wrong",
            "qr_check_code_wrong",
            "qr_check_code_wrong",
            "qr_check_code_blocked"
        ]
    );
    for code in [codes[2], &digits] {
        let late = host.redeem_checked(&opened, code).await;
        assert_eq!(said(&late), blocked);
    }
    assert_eq!(host.state_of(&opened).await, "blocked");
    let phone = format!("Bearer {}", mobile_token(1).reveal());
    let headers = [("authorization", phone.as_str())];
    let seen = host.send(asked("GET", &opened.path(""), &headers, None));
    assert_eq!(seen.await.json()["state"], "blocked");
}

#[tokio::test]
async fn only_well_formed_codes_of_the_own_browser_count() {
    let host = Host::new().await;
    let (opened, digits) = host.confirmed_checked().await;
    for code in ["", "7", "007", " 7", "+7", "４２", "4\u{0}"] {
        let refused = host.redeem_checked(&opened, code).await;
        assert_eq!(refused.status, 422, "{code:?}");
        assert_eq!(refused.code(), "check_code_malformed", "{code:?}");
    }
    let number = json!({"receipt": RECEIPT, "checkCode": 42});
    let refused = host.redeem_with(&opened, number).await;
    assert_eq!(refused.code(), "field_wrong_type");
    let stranger = Opened {
        token: host.browser_token(),
        ..opened.clone()
    };
    for code in wrong_codes(&digits) {
        let refused = host.redeem_checked(&stranger, code).await;
        assert_eq!(refused.code(), "session_not_found");
        let nobody = asked("POST", &opened.path("/redeem"), &[("origin", SHOP)], None);
        assert_eq!(host.send(nobody).await.status, 401);
    }
    for _ in 0..9 {
        let without = host.redeem(&opened, RECEIPT).await;
        assert_eq!(without.code(), "check_code_required");
    }
    let got = host.redeem_checked(&opened, &digits).await;
    assert_eq!(got.status, 200);
}

#[tokio::test]
async fn code_is_not_compared_before_the_confirmation() {
    let host = Host::new().await;
    host.change_app(|app| app.login.check_code = true).await;
    let opened = host.open().await;
    let digits = digits(&host.initiate(&opened, 1, json!({})).await);
    for code in wrong_codes(&digits).into_iter().chain([&*digits]) {
        let early = host.redeem_checked(&opened, code).await;
        assert_eq!(early.code(), "session_not_confirmed");
    }
    host.confirm(&opened, 1, "yes").await;
    let got = host.redeem_checked(&opened, &digits).await;
    assert_eq!(got.json(), json!({"payload": "yes", "encrypted": false}));
}

#[tokio::test]
async fn rule_is_the_logins_own_from_its_creation() {
    let host = Host::new().await;
    let lax = host.open_sealed().await;
    host.change_app(|app| app.login.check_code = true).await;
    let token = host.browser_token();
    let open = || host.open_as(&token, (SHOP, BROWSER), json!({}));
    let strict = open().await;
    assert_eq!(strict.json()["checkCodeRequired"], true);
    host.change_app(|app| app.login.check_code = false).await;
    assert_eq!(open().await.json(), strict.json(), "also when repeated");
    let strict = Opened::from_answer(&strict, &token);

    let session = host.initiate(&lax, 1, json!({})).await.json();
    assert!(session.get("checkCode").is_none());
    host.confirm_sealed(&lax, 1).await;
    let got = host.redeem_checked(&lax, "07").await;
    assert_eq!(got.status, 200, "a code that is not required is ignored");

    digits(&host.initiate(&strict, 1, json!({})).await);
    host.confirm(&strict, 1, "yes").await;
    let refused = host.redeem(&strict, RECEIPT).await;
    assert_eq!(refused.code(), "check_code_required");
}

#[tokio::test]
async fn login_of_the_apps_server_has_the_same_rule() {
    let host = Host::new().await;
    host.change_app(|app| app.login.check_code = true).await;
    let token = host.browser_token();
    let bearer = format!("Bearer {token}");
    let headers = [("x-api-key", host.key.reveal()), ("authorization", &bearer)];
    let key = host.browser_key().to_string();
    let body = json!({"browserPublicKey": key, "origin": SHOP});
    let answer = host.send(asked("POST", "/qr-sessions", &headers, Some(&body)));
    let answer = answer.await;
    assert_eq!(answer.json()["checkCodeRequired"], true);
    let opened = Opened::from_answer(&answer, &token);
    let shown = digits(&host.initiate(&opened, 1, json!({})).await);
    host.confirm_sealed(&opened, 1).await;
    let refused = host.redeem(&opened, RECEIPT).await;
    assert_eq!(refused.code(), "check_code_required");
    assert_eq!(host.redeem_checked(&opened, &shown).await.status, 200);
}
