//! Telnyx, whose calls only Telnyx can sign: here the owner of the tests' key.

use axum::body::Body;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::Request;
use ring::signature::Ed25519KeyPair;
use serde_json::json;

use super::{host, message, status};
use crate::host::{Host, PERSON, SEND_TO};

fn call(host: &Host, text: &str) -> Request<Body> {
    let body = json!({
        "data": {
            "event_type": "message.received",
            "id": "event-1",
            "payload": {
                "id": "message-1",
                "type": "SMS",
                "direction": "inbound",
                "from": {"phone_number": PERSON, "carrier": "Example Wireless"},
                "to": [{"phone_number": SEND_TO, "status": "webhook_delivered"}],
                "text": text,
            },
        },
        "meta": {"attempt": 1},
    });
    let body = body.to_string();
    let at = host.clock.get().as_secs();
    let key = Ed25519KeyPair::from_seed_unchecked(&[1; 32]).unwrap();
    let signature = key.sign(format!("{at}|{body}").as_bytes());
    Request::post("/inbound-sms/telnyx")
        .header("telnyx-timestamp", at.to_string())
        .header(
            "telnyx-signature-ed25519",
            BASE64_STANDARD.encode(signature.as_ref()),
        )
        .body(Body::from(body))
        .unwrap()
}

#[tokio::test]
async fn text_verifies_and_names_the_carrier() {
    let host = host().await;
    let session = host.acquire().await;
    let answer = host.send(call(&host, message(&session))).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.body.is_empty());
    assert_eq!(status(&host, &session).await, "verified");
    let path = format!("/confirmations/{}", crate::host::id_of(&session));
    let shown = host.call("GET", &path, None).await.json();
    assert!(shown.to_string().contains("Example Wireless"), "{shown}");
    host.metrics.take();
    let again = host.send(call(&host, message(&session))).await;
    assert_eq!(again.status, 200);
    assert_eq!(host.metrics.take(), ["text_repeated"]);
}

#[tokio::test]
async fn changed_text_is_refused() {
    let host = host().await;
    let session = host.acquire().await;
    let mut changed = call(&host, message(&session));
    *changed.body_mut() = Body::from("{}");
    assert_eq!(host.send(changed).await.status, 401);
    assert_eq!(status(&host, &session).await, "open");
}
