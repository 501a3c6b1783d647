//! The playground as a receiver.

use axum::http::StatusCode;
use serde_json::Value;

use super::Fixture;
use super::events::Watching;
use super::fake_api::ID;

fn webhook_path(confirmation: &str) -> String {
    confirmation.replace("/confirmations/", "/webhooks/")
}

fn body(id: &str) -> String {
    format!(r#"{{"carrier":"","confirmationId":"{id}","metadata":{{}}}}"#)
}

/// Headers and body of a webhook, and the expected status of the answer.
type Sent<'a> = (Vec<(&'a str, String)>, String, StatusCode);

/// Posts webhooks and returns the state that a watching page receives.
async fn shown(fixture: &Fixture, confirmation: &str, webhooks: &[Sent<'_>]) -> Vec<Value> {
    for (headers, body, status) in webhooks {
        let answer = fixture
            .ask("POST", &webhook_path(confirmation), headers, body)
            .await;
        assert_eq!(answer.status, *status);
    }
    let mut watching = Watching::begin(fixture, confirmation).await;
    let state = watching.next().await.unwrap();
    state["webhooks"].as_array().unwrap().clone()
}

#[tokio::test]
async fn signed_webhook_is_accepted_and_its_repeat_marked() {
    let fixture = Fixture::new();
    let confirmation = fixture.acquisition().await;
    let signed = fixture.api.sign(&body(ID));
    let sent = (signed, body(ID), StatusCode::NO_CONTENT);
    let shown = shown(&fixture, &confirmation, &[sent.clone(), sent]).await;
    assert_eq!(shown.len(), 2);
    assert_eq!(shown[0]["verdict"], "accepted");
    assert_eq!(shown[0]["number"], 1);
    assert_eq!(shown[0]["repeat"], false);
    assert_eq!(shown[0]["body"], body(ID));
    assert_eq!(shown[0]["receivedAt"], "2026-01-02T03:04:05.678Z");
    let headers = shown[0]["headers"].as_array().unwrap();
    assert!(headers.contains(&serde_json::json!(["webhook-id", "msg_1"])));
    assert_eq!(shown[1]["repeat"], true);
}

#[tokio::test]
async fn unauthentic_webhooks_are_refused_and_shown() {
    let fixture = Fixture::new();
    let confirmation = fixture.acquisition().await;
    let other = body("cfm_ffffffffffffffffffffffffffffffff");
    let good = fixture.api.sign(&body(ID));
    let without = |name: &str| good.iter().filter(|(n, _)| *n != name).cloned().collect();
    let with = |name: &'static str, value: &str| {
        let mut headers: Vec<(&str, String)> = without(name);
        headers.push((name, value.to_owned()));
        headers
    };
    let forbidden = StatusCode::FORBIDDEN;
    let cases = [
        (
            without("x-signature"),
            body(ID),
            forbidden,
            "signatureMissing",
        ),
        (
            with("x-signature", "AAAA"),
            body(ID),
            forbidden,
            "signatureMissing",
        ),
        (
            with("x-signature-key-id", "no"),
            body(ID),
            forbidden,
            "keyUnknown",
        ),
        (
            good.clone(),
            format!("{} ", body(ID)),
            forbidden,
            "signatureFalse",
        ),
        (fixture.api.sign(&other), other, StatusCode::GONE, "notOurs"),
        (
            fixture.api.sign("no JSON"),
            "no JSON".to_owned(),
            StatusCode::GONE,
            "notOurs",
        ),
    ];
    let webhooks: Vec<_> = cases
        .iter()
        .map(|(headers, body, status, _)| (headers.clone(), body.clone(), *status))
        .collect();
    let shown = shown(&fixture, &confirmation, &webhooks).await;
    for (shown, (.., verdict)) in shown.iter().zip(&cases) {
        assert_eq!(shown["verdict"], *verdict);
        assert_eq!(shown["repeat"], false);
    }
    assert_eq!(shown.len(), cases.len());
}

#[tokio::test]
async fn only_the_latest_webhooks_are_kept() {
    let fixture = Fixture::new();
    let confirmation = fixture.acquisition().await;
    let sent = (Vec::new(), "{}".to_owned(), StatusCode::FORBIDDEN);
    let shown = shown(&fixture, &confirmation, &vec![sent; 12]).await;
    let numbers: Vec<_> = shown
        .iter()
        .map(|w| w["number"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, (3..=12).collect::<Vec<_>>());
}

#[tokio::test]
async fn webhook_of_a_dropped_confirmation_gets_410() {
    let fixture = Fixture::new();
    let signed = fixture.api.sign(&body(ID));
    let answer = fixture
        .ask("POST", "/playground/webhooks/unknown", &signed, &body(ID))
        .await;
    assert_eq!(answer.status, StatusCode::GONE);
}
