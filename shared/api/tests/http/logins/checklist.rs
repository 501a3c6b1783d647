//! Known attacks on cross-device logins, as far as they can be tried over HTTP. Each test's name
//! quotes the attack.

use countersign_domain::login::Login;
use std::time::Duration;

use countersign_api::ApiState;
use countersign_domain::login::BrowserPublicKey;
use countersign_domain::login::identity::{self, IdInputs, IdentityError};
use countersign_domain::primitives::ids::{LoginId, LoginKind};
use serde_json::json;

use crate::host::{
    Answer, BROWSER, Host, LINK_HOST, Opened, PHONE, RECEIPT, SHOP, TOR, asked, from, wrong_codes,
};

#[tokio::test]
async fn session_id_without_a_token_used_to_poll_or_redeem() {
    let host = Host::new().await;
    let opened = host.confirmed().await;
    for (method, rest) in [("GET", ""), ("POST", "/redeem"), ("DELETE", "")] {
        let request = asked(method, &opened.path(rest), &[("origin", SHOP)], None);
        let answer = host.send(request).await;
        assert_eq!(answer.status, 401, "{method} {rest}");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    }
    assert_eq!(host.state_of(&opened).await, "confirmed");
}

#[tokio::test]
async fn two_concurrent_redeems() {
    let host = Host::new().await;
    let other_receipt = "BBBBBBBBBBBBBBBBBBBBBA";
    let readable = host.confirmed().await;
    let encrypted = host.confirmed_sealed().await;
    // A readable payload is returned once, even to the same receipt.
    for (opened, second) in [
        (&readable, RECEIPT),
        (&host.confirmed().await, other_receipt),
        (&encrypted, other_receipt),
    ] {
        let (one, other) = tokio::join!(host.redeem(opened, RECEIPT), host.redeem(opened, second));
        let mut statuses = [one.status.as_u16(), other.status.as_u16()];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409]);
        let lost = if one.status == 409 { one } else { other };
        assert_eq!(lost.code(), "session_redeemed");
    }
}

#[tokio::test]
async fn check_code_two_digits_shown_on_the_phone_typed_in_the_browser() {
    let host = Host::new().await;
    // The victim opened a published code: the attacker's browser cannot see the victim's phone.
    let (opened, digits) = host.confirmed_checked().await;
    for code in wrong_codes(&digits) {
        let guess = host.redeem_checked(&opened, code).await;
        assert!(guess.json().get("payload").is_none());
    }
    assert_eq!(host.state_of(&opened).await, "blocked");
    let late = host.redeem_checked(&opened, &digits).await;
    assert_eq!(late.code(), "session_blocked");
    // Concurrent guesses gain no more than sequential ones.
    let (opened, digits) = host.confirmed_checked().await;
    let guesses = (0..100).map(|n| format!("{n:02}")).filter(|n| *n != digits);
    let guesses: Vec<_> = guesses.collect();
    let answers = guesses
        .iter()
        .map(|code| host.redeem_checked(&opened, code));
    let answers = futures_util::future::join_all(answers).await;
    let wrong = answers.iter().filter(|a| a.status == 403).count();
    assert_eq!(wrong, 2, "the third one blocks");
    assert_eq!(host.state_of(&opened).await, "blocked");
}

#[tokio::test]
async fn confirm_from_phone_b_after_a_initiated() {
    let host = Host::new().await;
    let opened = host.scanned().await;
    let foreign = host.confirm(&opened, 2, "mine").await;
    assert_eq!(foreign.code(), "session_not_found");
    assert_eq!(host.state_of(&opened).await, "scanned");
    host.metrics.take();
    let second = host.initiate(&opened, 2, json!({})).await;
    assert_eq!(second.status, 409);
    assert_eq!(second.code(), "second_phone");
    assert_eq!(host.metrics.take(), ["qr_second_phone"]);
    assert_eq!(host.state_of(&opened).await, "blocked");
    let first = host.confirm(&opened, 1, "yes").await;
    assert_eq!(first.code(), "session_blocked");
}

#[tokio::test]
async fn confirm_before_initiate() {
    let host = Host::new().await;
    let opened = host.open().await;
    assert_eq!(host.confirm(&opened, 1, "yes").await.status, 404);
    assert_eq!(host.deny(&opened, 1).await.status, 404);
    assert_eq!(host.state_of(&opened).await, "created");
}

#[tokio::test]
async fn confirm_after_deny_and_deny_after_confirm() {
    let host = Host::new().await;
    let opened = host.scanned().await;
    host.deny(&opened, 1).await;
    let answer = host.confirm(&opened, 1, "yes").await;
    assert_eq!(
        (answer.status.as_u16(), answer.code().as_str()),
        (409, "session_denied")
    );
    let opened = host.confirmed().await;
    let answer = host.deny(&opened, 1).await;
    assert_eq!(
        (answer.status.as_u16(), answer.code().as_str()),
        (409, "session_confirmed")
    );
    assert_eq!(host.state_of(&opened).await, "confirmed");
}

#[tokio::test]
async fn confirm_one_second_after_expiry_the_item_still_in_the_table() {
    let host = Host::new().await;
    let opened = host.scanned().await;
    host.clock.advance(Duration::from_secs(181));
    assert_eq!(host.stored::<Login>().len(), 1);
    for answer in [
        host.confirm(&opened, 1, "yes").await,
        host.deny(&opened, 1).await,
        host.initiate(&opened, 1, json!({})).await,
        host.browser("POST", &opened, "/redeem").await,
        host.browser("DELETE", &opened, "").await,
    ] {
        assert_eq!(
            (answer.status.as_u16(), answer.code().as_str()),
            (410, "session_expired")
        );
    }
    assert_eq!(host.state_of(&opened).await, "expired");
}

/// Returns a problem without its request's id.
fn problem(answer: &Answer) -> (u16, serde_json::Value) {
    let mut body = answer.json();
    body["requestId"].take();
    (answer.status.as_u16(), body)
}

#[tokio::test]
async fn absent_foreign_and_expired_ids() {
    let host = Host::new().await;
    let token = host.open().await.token;
    let foreign = host.scanned().await;
    let expired = host.open().await;
    host.clock.advance(Duration::from_mins(2));
    let unwritten = "qrs_x".to_owned();
    let ids = [
        LoginId::from_bytes(LoginKind::Sealed, [9; 16]).to_string(),
        LoginId::from_bytes(LoginKind::Plain, [9; 16]).to_string(),
        foreign.id.to_string(),
        expired.id.to_string(),
        unwritten,
    ];
    let mut told = Vec::new();
    for id in &ids {
        let bearer = format!("Bearer {token}");
        for (method, rest, body) in [
            ("GET", "", None),
            ("DELETE", "", None),
            ("POST", "/redeem", Some(json!({"receipt": RECEIPT}))),
            ("POST", "/confirm", Some(json!({"payload": ""}))),
            ("POST", "/deny", Some(json!({"payload": ""}))),
        ] {
            let path = format!("/qr-sessions/{id}{rest}");
            let headers = [("authorization", bearer.as_str())];
            let request = asked(method, &path, &headers, body.as_ref());
            let answer = host.send(request).await;
            told.push(problem(&answer));
        }
    }
    // A phone that has not opened any of these logins.
    for id in [&ids[0], &ids[1], &ids[3], &ids[4]] {
        let (key, bearer) = (Host::app_key(), format!("Bearer {token}"));
        let headers = [("x-app-key", key.as_str()), ("authorization", &bearer)];
        let path = format!("/qr-sessions/{id}/initiate");
        let answer = host
            .send(from(PHONE, asked("POST", &path, &headers, None)))
            .await;
        told.push(problem(&answer));
    }
    assert_eq!(told[0].0, 404);
    assert!(told.iter().all(|one| *one == told[0]), "{told:#?}");
}

#[tokio::test]
async fn many_misses() {
    let host = Host::new().await;
    let opened = host.open().await;
    let other = host.open().await;
    let wrong = Opened {
        token: other.token.clone(),
        ..opened.clone()
    };
    for n in 0..30 {
        assert_eq!(host.browser("GET", &wrong, "").await.status, 404, "{n}");
    }
    let answer = host.browser("GET", &wrong, "").await;
    assert_eq!(
        (answer.status.as_u16(), answer.code().as_str()),
        (429, "too_many_misses")
    );
    assert_eq!(answer.header("retry-after"), Some("60"));
}

#[tokio::test]
async fn token_of_another_session_is_refused() {
    let host = Host::new().await;
    let opened = host.confirmed().await;
    let other = host.confirmed().await;
    let crossed = Opened {
        token: other.token,
        ..opened.clone()
    };
    for (method, rest) in [("GET", ""), ("POST", "/redeem"), ("DELETE", "")] {
        assert_eq!(host.browser(method, &crossed, rest).await.status, 404);
    }
    assert_eq!(host.state_of(&opened).await, "confirmed");
}

#[tokio::test]
async fn swapped_browser_key() {
    let host = Host::new().await;
    let opened = host.open_sealed().await;
    let answer = host.initiate(&opened, 1, json!({})).await.json();
    let key = answer["browserPublicKey"].as_str().unwrap();
    let key = key.parse::<BrowserPublicKey>().unwrap();
    let (app_key, origin) = (Host::app_key(), answer["origin"].as_str().unwrap());
    let origin = origin.parse().unwrap();
    let inputs = IdInputs {
        app_key: &app_key,
        origin: &origin,
        context: "",
    };
    assert!(identity::check(opened.id, inputs, Some(&key)).is_ok());
    // An attacker who swaps the key cannot change the id, so the phone stops and reports why.
    let swapped = BrowserPublicKey::from_bytes([4; 65]).unwrap();
    assert_ne!(swapped, key);
    let checked = identity::check(opened.id, inputs, Some(&swapped));
    assert_eq!(checked, Err(IdentityError::Mismatch));
    host.metrics.take();
    let body = json!({"payload": "", "reason": "key_mismatch"});
    for counted in [&["qr_key_mismatch"][..], &[]] {
        let denied = host.decide(&opened, 1, "deny", body.clone()).await;
        assert_eq!(denied.json(), json!(true));
        assert_eq!(host.metrics.take(), counted);
    }
    assert_eq!(host.state_of(&opened).await, "blocked");
    let redeemed = host.browser("POST", &opened, "/redeem").await;
    assert_eq!(redeemed.code(), "session_blocked");
    let late = host.confirm_sealed(&opened, 1).await;
    assert_eq!(late.code(), "session_blocked");
}

#[tokio::test]
async fn unregistered_origin() {
    let host = Host::new().await;
    for origin in [
        "https://evil.example",
        "https://shop.example.evil.example",
        "https://shop.example:8443",
        "http://shop.example",
        "null",
        "",
    ] {
        let answer = host.open_from(origin, BROWSER, json!({})).await;
        assert_eq!(answer.status, 403, "{origin}");
        assert_eq!(answer.code(), "origin_not_allowed");
    }
    let key = Host::app_key();
    for origins in [&[][..], &[("origin", SHOP), ("origin", SHOP)]] {
        let bearer = format!("Bearer {}", host.browser_token());
        let own = [("x-app-key", key.as_str()), ("authorization", &bearer)];
        let headers = [&own[..], origins].concat();
        let answer = host
            .send(asked("POST", "/qr-sessions", &headers, None))
            .await;
        assert_eq!(answer.code(), "origin_not_allowed");
    }
    assert_eq!(host.stored::<Login>(), []);
}

/// Most refused pages belong to developers, and the problem tells them what to do.
#[tokio::test]
async fn refused_page_learns_how_it_is_added() {
    let host = Host::new().await;
    let local = "http://localhost:3000".parse().unwrap();
    host.change_app(|app| app.login.origins.push(local)).await;
    for (origin, told) in [
        (
            "https://evil.example",
            "The app does not list https://evil.example.",
        ),
        (
            "http://127.0.0.1:3000",
            "The app lists http://localhost:3000. http://127.0.0.1:3000 leads there, too",
        ),
        ("null", "Send the origin of the page"),
    ] {
        let answer = host.open_from(origin, BROWSER, json!({})).await.json();
        let detail = answer["detail"].as_str().unwrap();
        assert!(detail.starts_with(told), "{detail}");
        let command = format!("countersign app update APP --add-origin {origin}");
        assert_eq!(detail.ends_with(&command), origin != "null", "{detail}");
    }
}

#[tokio::test]
async fn risk_deny_the_client_confirms_anyway() {
    let host = Host::new().await;
    let opened = host.opened_at(TOR, json!({})).await;
    let answer = host.initiate(&opened, 1, json!({})).await.json();
    assert_eq!(answer["session"]["riskAnalytics"]["riskStatus"], "deny");
    for _ in 0..2 {
        let answer = host.confirm(&opened, 1, "yes").await;
        assert_eq!(
            (answer.status.as_u16(), answer.code().as_str()),
            (403, "risk_denied")
        );
    }
    let redeemed = host.browser("POST", &opened, "/redeem").await;
    assert_eq!(redeemed.code(), "session_blocked");
}

#[tokio::test]
async fn link_preview_fetches_the_link() {
    let host = Host::new().await;
    let opened = host.open().await;
    let before = host.stored::<Login>();
    for method in ["GET", "HEAD"] {
        let path = format!("/?sessionId={}", opened.id);
        let request = asked(method, &path, &[("host", LINK_HOST)], None);
        assert_eq!(host.send(request).await.status, 200);
    }
    // Other GET requests change nothing either.
    host.browser("GET", &opened, "").await;
    for rest in ["/initiate", "/confirm", "/deny", "/redeem"] {
        assert_eq!(host.browser("GET", &opened, rest).await.status, 405);
    }
    assert_eq!(host.stored::<Login>(), before);
}

#[tokio::test]
async fn scan_by_a_stranger_reveals_no_user() {
    let host = Host::new().await;
    let opened = host.open().await;
    let user = json!({"publicUserId": "person@example.com"});
    let answer = host.initiate(&opened, 1, user).await;
    // The phone gets the browser's location, and nothing about an account.
    assert_eq!(answer.json()["session"]["iPAddressWidget"], BROWSER);
    let text = String::from_utf8(answer.body.to_vec()).unwrap();
    assert!(!text.contains("person@example.com"));
    // The browser can see that the code was scanned, and nothing about the phone.
    let status = host.browser("GET", &opened, "").await;
    let members: Vec<_> = status.json().as_object().unwrap().keys().cloned().collect();
    assert_eq!(members, ["expiresAt", "expiresIn", "serverTime", "state"]);
}

#[tokio::test]
async fn forged_cloudfront_headers_straight_to_the_origin() {
    let host = Host::new().await;
    let key = Host::app_key();
    for secret in [None, Some("origin-s3cr3t-0123456780"), Some("")] {
        let token = host.browser_token();
        let bearer = format!("Bearer {token}");
        let mut headers = vec![
            ("x-app-key", key.as_str()),
            ("authorization", bearer.as_str()),
            ("origin", SHOP),
            ("cloudfront-viewer-address", "192.0.2.200:1"),
            ("cloudfront-viewer-country", "FR"),
            ("cloudfront-viewer-city", "Paris"),
            ("cloudfront-viewer-latitude", "48.8566"),
            ("cloudfront-viewer-longitude", "2.3522"),
            ("x-forwarded-for", "192.0.2.200"),
        ];
        headers.extend(secret.map(|secret| ("x-countersign-origin-secret", secret)));
        let request = asked("POST", "/qr-sessions", &headers, None);
        let opened = Opened::from_answer(&host.send(from(BROWSER, request)).await, &token);
        let answer = host.initiate(&opened, 1, json!({})).await.json();
        let session = &answer["session"];
        assert_eq!(session["iPAddressWidget"], BROWSER, "{secret:?}");
        let browser = &session["riskAnalytics"]["geoData"]["browser"];
        assert_eq!(*browser, json!({"city": "Berlin", "country_code": "DE"}));
    }
}

#[tokio::test]
async fn repeated_denials() {
    let host = Host::new().await;
    let user = || json!({"publicUserId": "victim"});
    for _ in 0..3 {
        let opened = host.open().await;
        host.initiate(&opened, 1, user()).await;
        host.deny(&opened, 1).await;
    }
    let risk = async |address: &str| {
        let opened = host.opened_at(address, json!({})).await;
        let answer = host.initiate(&opened, 1, json!({})).await.json();
        answer["session"]["riskAnalytics"]["riskStatus"].clone()
    };
    assert_eq!(risk(BROWSER).await, "warn");
    assert_eq!(risk("203.0.113.99").await, "clear");
    // The user whose login was denied can log in from that address.
    let opened = host.opened_at("203.0.113.99", json!({})).await;
    host.initiate(&opened, 1, user()).await;
    assert_eq!(host.confirm(&opened, 1, "yes").await.status, 200);
}

/// Without logins, their paths do not exist.
#[tokio::test]
async fn host_without_logins_returns_404() {
    let host = Host::new().await;
    let mut parts = host.parts();
    parts.logins = None;
    let router = countersign_api::router(&ApiState::from(parts));
    let key = Host::app_key();
    let headers = [("x-app-key", key.as_str()), ("origin", SHOP)];
    let request = asked("POST", "/qr-sessions", &headers, None);
    let answer = crate::host::send_to(router.clone(), request).await;
    assert_eq!(answer.status(), 404);
    let request = asked(
        "GET",
        "/.well-known/assetlinks.json",
        &[("host", LINK_HOST)],
        None,
    );
    let answer = crate::host::send_to(router, request).await;
    assert_eq!(answer.status(), 404);
}
