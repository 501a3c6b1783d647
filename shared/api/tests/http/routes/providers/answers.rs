//! Answers to providers.

use axum::body::Body;
use countersign_domain::confirmation::text::Channel;
use countersign_inbound::SignedCall;
use http::Request;
use serde_json::json;

use super::{SIGNING, host, host_with, request, signed, text_of};
use crate::host::{PERSON, SEND_TO, broken, log};

#[tokio::test]
async fn twilio_is_answered_in_twiml() {
    let host = host().await;
    let answer = super::hand_in(&host, "twilio", "hello").await;
    assert_eq!(
        answer.header("content-type"),
        Some("text/xml; charset=utf-8")
    );
    let twiml = r#"<?xml version="1.0" encoding="UTF-8"?><Response/>"#;
    assert_eq!(answer.body, twiml);
    assert_eq!(answer.header("cache-control"), Some("no-store"));
}

#[tokio::test]
async fn others_are_answered_without_a_body() {
    let host = host().await;
    for name in SIGNING {
        if ["twilio", "generic"].contains(&name) {
            continue;
        }
        let answer = super::hand_in(&host, name, "hello").await;
        assert_eq!(answer.status, 200, "{name}");
        assert!(answer.body.is_empty(), "{name}: {answer:?}");
        assert_eq!(answer.header("content-type"), None, "{name}");
    }
}

#[tokio::test]
async fn refusal_has_no_body_and_its_reason_is_logged() {
    let host = host().await;
    let before = log::lines().len();
    let call = SignedCall {
        headers: Vec::new(),
        body: b"From=%2B12025550100".to_vec(),
    };
    let answer = host.send(request("twilio", call)).await;
    assert_eq!(answer.status, 401);
    assert!(answer.body.is_empty());
    assert!(answer.header("www-authenticate").is_some());
    let lines = log::lines();
    assert_eq!(lines.len(), before + 1);
    let fields = &lines[before]["fields"];
    assert_eq!(fields["provider"], "twilio");
    assert_eq!(fields["code"], "inbound_not_authentic");
    assert_eq!(fields["route"], "/inbound-sms/{provider}");
}

#[tokio::test]
async fn failed_store_returns_503_with_its_cause_in_the_log() {
    let host = super::host().await;
    host.items.fail(broken::confirmations);
    for name in SIGNING {
        let before = log::lines().len();
        let answer = super::hand_in(&host, name, "CS-0000000000000000").await;
        assert_eq!(answer.status, 503, "{name}");
        assert!(answer.header("retry-after").is_some(), "{name}");
        let fields = &log::lines()[before]["fields"];
        assert_eq!(fields["cause"], "store failed: the cable is cut", "{name}");
    }
}

#[tokio::test]
async fn method_that_a_provider_does_not_use_is_refused() {
    let host = host().await;
    for (name, method, allow) in [
        ("twilio", "GET", "POST"),
        ("sinch", "PUT", "POST"),
        ("vonage-sms", "DELETE", "GET,POST"),
        ("whatsapp", "PUT", "GET,POST"),
    ] {
        let answer = host
            .call(method, &format!("/inbound-sms/{name}"), None)
            .await;
        assert_eq!(answer.code(), "method_not_allowed", "{method} {name}");
        assert_eq!(answer.header("allow"), Some(allow), "{name}");
    }
}

#[tokio::test]
async fn body_may_be_as_large_as_the_provider_sends() {
    let host = host().await;
    for (name, size, expected) in [
        ("twilio", 16 * 1024 + 1, 413),
        ("twilio", 16 * 1024, 401),
        ("bandwidth", 256 * 1024 + 1, 413),
        ("bandwidth", 256 * 1024, 401),
        ("infobip", 2 * 1024 * 1024 + 1, 413),
        ("infobip", 2 * 1024 * 1024, 401),
        ("acme", 16 * 1024 + 1, 404),
    ] {
        let call = SignedCall {
            headers: Vec::new(),
            body: vec![b'x'; size],
        };
        let answer = host.send(request(name, call)).await;
        assert_eq!(answer.status, expected, "{name} {size}");
    }
}

/// Infobip sends up to 2,000 texts per call.
#[tokio::test]
async fn each_text_of_a_large_call_verifies() {
    const TEXTS: usize = 2000;
    let host = host().await;
    let sessions = [host.acquire().await, host.acquire().await];
    let mut call = signed(&host, "infobip", &text_of(Channel::Sms, "x"));
    let results: Vec<_> = (0..TEXTS)
        .map(|number| {
            let text = match number {
                0 => super::message(&sessions[0]),
                _ if number == TEXTS - 1 => super::message(&sessions[1]),
                _ => "a text without a code, as long as texts are, which is taken and counted",
            };
            let id = format!("message-{number}");
            let to = SEND_TO.trim_start_matches('+');
            json!({"messageId": id, "from": &PERSON[1..], "to": to, "text": text,
                "cleanText": text, "receivedAt": "2026-11-22T10:00:00.000+0000"})
        })
        .collect();
    call.body = json!({ "results": results }).to_string().into_bytes();
    assert!(call.body.len() > 256 * 1024);
    host.metrics.take();
    assert_eq!(host.send(request("infobip", call)).await.status, 200);
    for session in &sessions {
        assert_eq!(super::status(&host, session).await, "verified");
    }
    let counted = host.metrics.take();
    assert_eq!(counted.len(), TEXTS);
    let verified = counted.iter().filter(|name| **name == "verified");
    assert_eq!(verified.count(), 2);
}

#[tokio::test]
async fn meta_gets_its_challenge_back() {
    let host = host().await;
    let ask = async |token: &str| {
        let path = format!(
            "/inbound-sms/whatsapp?hub.mode=subscribe&hub.verify_token={token}&hub.challenge=1158201444"
        );
        host.send(Request::get(path).body(Body::empty()).unwrap())
            .await
    };
    let answer = ask("secret-two").await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.body, "1158201444");
    assert_eq!(ask("secret-one").await.status, 401);
}

#[tokio::test]
async fn what_is_no_text_is_taken_and_counted() {
    let host = host().await;
    // Basic authentication does not cover the body.
    let mut call = signed(&host, "bandwidth", &text_of(Channel::Sms, "x"));
    call.body = br#"[{"type": "message-delivered", "message": {"id": "1"}}]"#.to_vec();
    assert_eq!(host.send(request("bandwidth", call)).await.status, 200);
    assert_eq!(host.metrics.take(), ["inbound_ignored"]);
}

#[tokio::test]
async fn authentic_but_malformed_call_gets_400() {
    let host = host_with(|_| ()).await;
    let mut call = signed(&host, "bandwidth", &text_of(Channel::Sms, "x"));
    call.body = b"[".to_vec();
    assert_eq!(host.send(request("bandwidth", call)).await.status, 400);
    assert_eq!(host.metrics.take(), ["inbound_refused"]);
}
