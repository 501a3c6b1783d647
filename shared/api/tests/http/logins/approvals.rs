//! Approvals: logins that the app's server opens for one user and whose page only watches.

use std::time::Duration;

use countersign_domain::login::{BrowserToken, READ_WINDOW};
use serde_json::{Value, json};

use super::server::{CONTEXT, asking, call, confirm_with, open, proof_of};
use crate::host::{Answer, BROWSER, Host, Opened, SHOP, asked, wrong_codes};

/// Opens an approval for this user, and returns it with the token of its page.
async fn approval(host: &Host, user: &str) -> (Opened, Opened) {
    let token = host.browser_token();
    let mut body = asking(host, CONTEXT);
    body["publicUserId"] = user.into();
    let opened = Opened::from_answer(&open(host, &token, &body).await, &token);
    let page = token.parse::<BrowserToken>().unwrap().page_token();
    let page = Opened {
        token: page.reveal(),
        ..opened.clone()
    };
    (opened, page)
}

async fn seen(host: &Host, opened: &Opened) -> Value {
    let seen = call(host, host.key.reveal(), "GET", &opened.path("")).await;
    seen.json()
}

#[tokio::test]
async fn page_watches_an_approval_and_cannot_touch_it() {
    let host = Host::new().await;
    let (opened, page) = approval(&host, "zoe@shop.example").await;
    assert_eq!(host.state_of(&page).await, "created");
    let body = json!({"publicUserId": "zoe@shop.example"});
    assert_eq!(host.initiate(&opened, 1, body).await.status, 200);
    let confirmed = confirm_with(&host, &opened, &proof_of(&opened)).await;
    assert_eq!(confirmed.json(), json!(true));
    let status = host.browser("GET", &page, "").await.json();
    assert_eq!(
        (&status["state"], &status["proof"]),
        (&json!("confirmed"), &Value::Null)
    );
    for (method, rest) in [("POST", "/redeem"), ("DELETE", "")] {
        let refused = host.browser(method, &page, rest).await;
        assert_eq!(refused.status, 404, "{method}");
        assert_eq!(refused.code(), "session_not_found");
    }
    host.clock
        .advance(READ_WINDOW.saturating_sub(Duration::from_secs(1)));
    assert_eq!(host.state_of(&page).await, "confirmed");
    assert_eq!(seen(&host, &opened).await["proof"], proof_of(&opened));
    host.clock.advance(Duration::from_secs(1));
    assert_eq!(host.state_of(&page).await, "expired");
}

#[tokio::test]
async fn server_reads_what_it_asked_and_whom() {
    let host = Host::new().await;
    let token = host.browser_token();
    let mut body = asking(&host, CONTEXT);
    body["publicUserId"] = "zoe@shop.example".into();
    let opened = Opened::from_answer(&open(&host, &token, &body).await, &token);
    let read = seen(&host, &opened).await;
    assert_eq!(read["expectedPublicUserId"], body["publicUserId"]);
    assert_eq!(read["browserPublicKey"], body["browserPublicKey"]);
    assert_eq!(read["claimedPublicUserId"], Value::Null);
    assert_eq!(read["checkCodeRequired"], false);
    let of_page = seen(&host, &host.open().await).await;
    assert_eq!(of_page["expectedPublicUserId"], Value::Null);
    assert_eq!(of_page["browserPublicKey"], Value::Null);

    body["publicUserId"] = "max@shop.example".into();
    let other = open(&host, &token, &body).await;
    assert_eq!(
        (other.status.as_u16(), other.code().as_str()),
        (409, "session_exists")
    );
}

#[tokio::test]
async fn only_a_server_names_a_user_and_not_anon() {
    let host = Host::new().await;
    let at = || Some("/publicUserId".to_owned());
    for (user, code) in [
        ("ANON", "public_user_id_anonymous"),
        ("", "public_user_id_malformed"),
        ("a\nb", "public_user_id_malformed"),
    ] {
        let body = json!({"origin": SHOP, "publicUserId": user});
        let refused = open(&host, &host.browser_token(), &body).await;
        assert_eq!(refused.status, 422);
        assert_eq!(refused.code_at(), (code.to_owned(), at()));
    }
    let page = host.open_from(SHOP, BROWSER, json!({"publicUserId": "zoe"}));
    let page: Answer = page.await;
    assert_eq!(page.status, 403);
    assert_eq!(page.code_at(), ("field_server_only".to_owned(), at()));
}

#[tokio::test]
async fn phone_of_another_user_is_refused_and_guesses_are_limited() {
    let host = Host::new().await;
    let (opened, _) = approval(&host, "zoe@shop.example").await;
    for n in 0..30 {
        let body = json!({"publicUserId": format!("guess-{n}@shop.example")});
        let refused = host.initiate(&opened, 2, body).await;
        assert_eq!(refused.status, 403);
        let at = Some("/publicUserId".to_owned());
        assert_eq!(refused.code_at(), ("user_mismatch".to_owned(), at));
    }
    let one_more = json!({"publicUserId": "guess-30@shop.example"});
    let refused = host.initiate(&opened, 2, one_more).await;
    assert_eq!(refused.code(), "too_many_misses");
    assert_eq!(host.state_of(&opened).await, "created");
    let body = json!({"publicUserId": "zoe@shop.example"});
    assert_eq!(host.initiate(&opened, 1, body).await.status, 200);
}

#[tokio::test]
async fn page_token_is_no_credential_for_opening() {
    let host = Host::new().await;
    let (opened, page) = approval(&host, "zoe@shop.example").await;
    let bearer = format!("Bearer {}", page.token);
    let headers = [
        ("x-app-key", Host::app_key().as_str().to_owned()),
        ("authorization", bearer),
        ("origin", SHOP.to_owned()),
    ];
    let headers: Vec<_> = headers
        .iter()
        .map(|(name, text)| (*name, &**text))
        .collect();
    let key = seen(&host, &opened).await["browserPublicKey"].clone();
    let body = json!({"browserPublicKey": key});
    let joined = host.send(asked("POST", "/qr-sessions", &headers, Some(&body)));
    // The same key without the context gives a different session.
    assert_ne!(joined.await.json()["sessionId"], opened.id.to_string());
}

/// Sends digits as the page of an approval.
pub(crate) async fn type_digits(host: &Host, page: &Opened, digits: &str) -> Answer {
    let bearer = format!("Bearer {}", page.token);
    let headers = [("authorization", bearer.as_str()), ("origin", SHOP)];
    let body = json!({"checkCode": digits});
    host.send(asked(
        "POST",
        &page.path("/check-code"),
        &headers,
        Some(&body),
    ))
    .await
}

#[tokio::test]
async fn page_sends_the_digits_and_the_server_reads_the_proof() {
    let host = Host::new().await;
    host.change_app(|app| app.login.check_code = true).await;
    let (opened, page) = approval(&host, "zoe@shop.example").await;
    let shown = host.initiate(&opened, 1, json!({})).await.json();
    let digits = shown["checkCode"].as_str().unwrap();
    assert_eq!(seen(&host, &opened).await["checkCodeRequired"], true);
    let early = type_digits(&host, &page, digits).await;
    assert_eq!(early.code(), "session_not_confirmed");
    confirm_with(&host, &opened, &proof_of(&opened)).await;
    let wrong = type_digits(&host, &page, wrong_codes(digits)[0]).await;
    assert_eq!(
        (wrong.status.as_u16(), wrong.code().as_str()),
        (403, "check_code_wrong")
    );
    assert_eq!(wrong.json()["triesLeft"], 2);
    // Only the page's token is accepted here: the browser's token redeems.
    let others = type_digits(&host, &opened, digits).await;
    assert_eq!(others.code(), "session_not_found");
    assert_eq!(
        type_digits(&host, &page, "x").await.code(),
        "check_code_malformed"
    );
    host.metrics.take();
    for _ in 0..2 {
        let right = type_digits(&host, &page, digits).await;
        assert_eq!(right.status, 204, "{right:?}");
        assert!(right.header("access-control-allow-origin").is_some());
    }
    assert_eq!(host.metrics.take(), ["qr_redeemed"]);
    let read = seen(&host, &opened).await;
    assert_eq!(
        (&read["state"], &read["proof"]),
        (&json!("consumed"), &json!(proof_of(&opened)))
    );
    assert_eq!(host.browser("POST", &opened, "/redeem").await.status, 409);
}

/// Returns the page of a confirmed approval, with the digits that the phone shows.
pub(crate) async fn confirmed_checked(host: &Host) -> (Opened, String) {
    host.change_app(|app| app.login.check_code = true).await;
    let (opened, page) = approval(host, "zoe@shop.example").await;
    let shown = host.initiate(&opened, 1, json!({})).await.json();
    confirm_with(host, &opened, &proof_of(&opened)).await;
    (page, shown["checkCode"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn third_wrong_code_of_a_page_blocks_the_approval() {
    let host = Host::new().await;
    let (page, digits) = confirmed_checked(&host).await;
    let digits = digits.as_str();
    let codes = wrong_codes(digits);
    for (code, problem) in [
        (codes[0], "check_code_wrong"),
        (codes[0], "check_code_wrong"),
        (codes[1], "check_code_wrong"),
        (codes[2], "session_blocked"),
        (digits, "session_blocked"),
    ] {
        assert_eq!(type_digits(&host, &page, code).await.code(), problem);
    }
    let read = seen(&host, &page).await;
    assert_eq!(
        (&read["state"], &read["proof"]),
        (&json!("blocked"), &Value::Null)
    );
}

#[tokio::test]
async fn page_ends_nothing_where_no_digits_are_needed() {
    let host = Host::new().await;
    let (opened, page) = approval(&host, "zoe@shop.example").await;
    host.initiate(&opened, 1, json!({})).await;
    confirm_with(&host, &opened, &proof_of(&opened)).await;
    assert_eq!(
        type_digits(&host, &page, "00").await.code(),
        "session_confirmed"
    );
    assert_eq!(host.browser("POST", &opened, "/redeem").await.status, 200);
}
