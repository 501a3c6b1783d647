//! Starting, texting and ending confirmations, and the access checks.

use axum::http::StatusCode;
use countersign_api::ProblemCode;
use serde_json::json;

use super::fake_api::{ID, MESSAGE, SEND_TO};
use super::{Fixture, URL};

#[tokio::test]
async fn acquisition_starts_with_the_playgrounds_callback() {
    let fixture = Fixture::new();
    let answer = fixture
        .own(
            "POST",
            "/playground/confirmations",
            r#"{"flow":"acquisition"}"#,
        )
        .await;
    let started = answer.json();
    let token = started["token"].as_str().unwrap();
    let request = json!({ "callbackUrl": format!("{URL}/playground/webhooks/{token}") });
    assert_eq!(
        *fixture.api.begun.lock().unwrap(),
        [("/acquire-phone-number".to_owned(), request.clone())]
    );
    assert_eq!(started["request"]["path"], "/acquire-phone-number");
    assert_eq!(started["request"]["body"], request);
    assert_eq!(started["confirmation"]["confirmationId"], ID);
    assert_eq!(started["confirmation"]["confirmationMessage"], MESSAGE);
    assert!(started["qr"]["size"].as_u64().unwrap() > 20);
    assert_eq!(answer.headers["cache-control"], "no-store");

    let again = fixture
        .own("GET", &format!("/playground/confirmations/{token}"), "")
        .await;
    assert_eq!(again.json(), started);
}

#[tokio::test]
async fn confirmation_carries_the_number_and_the_metadata() {
    let fixture = Fixture::new();
    let body = r#"{"flow":"confirmation","phoneNumber":"+12025550100","metadata":{"a":1}}"#;
    fixture.own("POST", "/playground/confirmations", body).await;
    let begun = fixture.api.begun.lock().unwrap().clone();
    assert_eq!(begun[0].0, "/make-confirmation");
    assert_eq!(begun[0].1["phoneNumber"], "+12025550100");
    assert_eq!(begun[0].1["metadata"], json!({ "a": 1 }));
}

#[tokio::test]
async fn refusal_of_the_api_is_passed_on() {
    let fixture = Fixture::new();
    let body = r#"{"flow":"confirmation","phoneNumber":"nonsense"}"#;
    let answer = fixture.own("POST", "/playground/confirmations", body).await;
    assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(answer.headers["content-type"], "application/problem+json");
    assert_eq!(answer.json()["detail"], "no such number");
}

#[tokio::test]
async fn malformed_requests_are_problems() {
    let fixture = Fixture::new();
    for body in ["", "{}", "[]", r#"{"flow":"other"}"#] {
        let answer = fixture.own("POST", "/playground/confirmations", body).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{body}");
        assert_eq!(answer.problem, Some(ProblemCode::MalformedJson));
    }
    let answer = fixture.own("PUT", "/playground/confirmations", "").await;
    assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(answer.problem, Some(ProblemCode::MethodNotAllowed));
    assert!(fixture.api.begun.lock().unwrap().is_empty());
}

#[tokio::test]
async fn text_is_sent_as_a_provider_sends_it() {
    let fixture = Fixture::new();
    let path = fixture.acquisition().await;
    let text = |message: &str, to: Option<&str>| {
        json!({ "from": "+12025550100", "message": message, "to": to }).to_string()
    };
    for (message, to, status) in [
        ("hello", None, "open"),
        (MESSAGE, Some("+12025550188"), "open"),
        (MESSAGE, Some(SEND_TO), "verified"),
        (MESSAGE, None, "verified"),
    ] {
        let answer = fixture
            .own("POST", &format!("{path}/text"), &text(message, to))
            .await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
        assert_eq!(answer.json()["answered"], 200);
        assert_eq!(answer.json()["confirmation"]["status"], status);
    }
}

#[tokio::test]
async fn confirmation_is_cancelled_once_and_redelivered() {
    let fixture = Fixture::new();
    let path = fixture.acquisition().await;
    let answer = fixture.own("DELETE", &path, "").await;
    assert_eq!(
        (answer.status, answer.body.as_str()),
        (StatusCode::NO_CONTENT, "")
    );
    let answer = fixture.own("DELETE", &path, "").await;
    assert_eq!(answer.status, StatusCode::CONFLICT);
    assert_eq!(answer.json()["detail"], "it has ended");
    fixture.own("POST", &format!("{path}/redeliver"), "").await;
    assert_eq!(*fixture.api.redelivered.lock().unwrap(), 1);
}

#[tokio::test]
async fn other_pages_change_nothing() {
    let fixture = Fixture::new();
    let path = fixture.acquisition().await;
    for (method, path, body) in [
        (
            "POST",
            "/playground/confirmations",
            r#"{"flow":"acquisition"}"#,
        ),
        ("POST", &format!("{path}/text"), "{}"),
        ("POST", &format!("{path}/redeliver"), ""),
        ("DELETE", &path, ""),
    ] {
        for origin in [None, Some("http://evil.example"), Some("null")] {
            let headers: Vec<_> = origin
                .map(|o| ("origin", o.to_owned()))
                .into_iter()
                .collect();
            let answer = fixture.ask(method, path, &headers, body).await;
            assert_eq!(answer.status, StatusCode::FORBIDDEN, "{method} {path}");
            assert_eq!(answer.problem, Some(ProblemCode::OriginForbidden));
        }
    }
    assert_eq!(fixture.api.begun.lock().unwrap().len(), 1);
    assert_eq!(*fixture.api.status.lock().unwrap(), "open");
    assert_eq!(*fixture.api.redelivered.lock().unwrap(), 0);
}

#[tokio::test]
async fn oldest_confirmation_makes_room() {
    let fixture = Fixture::new();
    let first = fixture.acquisition().await;
    for _ in 1..super::super::MAX_CONFIRMATIONS {
        fixture.acquisition().await;
    }
    assert_eq!(fixture.own("GET", &first, "").await.status, StatusCode::OK);
    let latest = fixture.acquisition().await;
    let answer = fixture.own("GET", &first, "").await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    assert_eq!(answer.problem, Some(ProblemCode::NotFound));
    assert_eq!(fixture.own("GET", &latest, "").await.status, StatusCode::OK);
}

#[tokio::test]
async fn page_is_hardened_and_holds_no_secret() {
    let fixture = Fixture::new();
    let secrets = [
        fixture.api.api_key.reveal().to_owned(),
        fixture.api.inbound_secret.reveal().to_string(),
    ];
    for path in [
        "/",
        "/playground.js",
        "/playground.css",
        "/playground/phone-number.js",
        "/playground/login.js",
        "/playground/facts",
    ] {
        let answer = fixture.ask("GET", path, &[], "").await;
        assert_eq!(answer.status, StatusCode::OK, "{path}");
        let policy = answer.headers["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"));
        assert_eq!(answer.headers["x-content-type-options"], "nosniff");
        assert_eq!(answer.headers["referrer-policy"], "no-referrer");
        assert!(secrets.iter().all(|secret| !answer.body.contains(secret)));
        if path == "/playground/facts" {
            continue;
        }
        let tag = answer.headers["etag"].to_str().unwrap().to_owned();
        let again = fixture
            .ask("GET", path, &[("if-none-match", tag)], "")
            .await;
        assert_eq!(again.status, StatusCode::NOT_MODIFIED);
        assert_eq!(again.body, "");
    }
    let started = fixture
        .own(
            "POST",
            "/playground/confirmations",
            r#"{"flow":"acquisition"}"#,
        )
        .await;
    assert!(secrets.iter().all(|secret| !started.body.contains(secret)));
}
