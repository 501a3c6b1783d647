//! Confirmations that use several routes.

mod acquire;
mod cancel;
mod confirm;
mod list;
mod redact;
mod redeliver;
mod show;
mod simulate;
mod status;

use countersign_domain::primitives::ids::ConfirmationId;
use serde_json::{Value, json};

use crate::host::{Answer, CALLBACK, Host, PERSON, SEND_TO, id_of, keyed};

async fn show(host: &Host, id: ConfirmationId) -> Value {
    let answer = host
        .call("GET", &format!("/confirmations/{id}"), None)
        .await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    answer.json()
}

async fn post(host: &Host, id: ConfirmationId, action: &str) -> Answer {
    host.call("POST", &format!("/confirmations/{id}/{action}"), None)
        .await
}

async fn cancel(host: &Host, id: ConfirmationId) -> Answer {
    host.call("DELETE", &format!("/confirmations/{id}"), None)
        .await
}

#[tokio::test]
async fn foreign_confirmation_is_not_found() {
    let host = Host::new().await;
    let id = host.verified().await;
    host.deliver(id).await;
    let before = show(&host, id).await;
    let stranger = host.stranger().await;
    let none = ConfirmationId::from_bytes([7; 16]);
    for (method, action) in [
        ("GET", ""),
        ("DELETE", ""),
        ("POST", "/redact"),
        ("POST", "/redeliver"),
    ] {
        let mut answers = Vec::new();
        for (key, id) in [(&stranger, id), (&host.key, none)] {
            let path = format!("/confirmations/{id}{action}");
            let answer = host.send(keyed(key, method, &path, "")).await;
            assert_eq!(answer.code(), "confirmation_not_found", "{method} {action}");
            let mut body = answer.json();
            body["requestId"].take();
            answers.push(body);
        }
        assert_eq!(answers[0], answers[1]);
    }
    assert_eq!(show(&host, id).await, before);
}

#[tokio::test]
async fn malformed_id_is_not_found() {
    let host = Host::new().await;
    let id = id_of(&host.acquire().await).to_string();
    for bad in [
        "x".to_owned(),
        id[4..].to_owned(),
        id.to_uppercase(),
        format!("{id}0"),
        id.replace("cfm_", "msg_"),
        id.replacen('_', "%5F", 1) + "%00",
        "%ff".to_owned(),
        "%".to_owned(),
        "..".to_owned(),
        "%2e%2e%2f".to_owned(),
        "a".repeat(4_000),
    ] {
        for (method, action) in [("GET", ""), ("POST", "/redact"), ("POST", "/redeliver")] {
            let path = format!("/confirmations/{bad}{action}");
            let answer = host.call(method, &path, None).await;
            assert_eq!(answer.code(), "confirmation_not_found", "{path}");
        }
    }
    // The percent-encoded id is the same id.
    let path = format!("/confirmations/{}", id.replacen('_', "%5F", 1));
    assert_eq!(host.call("GET", &path, None).await.status, 200);
}

#[tokio::test]
async fn started_confirmation_has_every_field_of_the_specification() {
    let host = Host::new().await;
    for (path, body) in [
        ("/acquire-phone-number", json!({"callbackUrl": CALLBACK})),
        (
            "/make-confirmation",
            json!({"callbackUrl": CALLBACK, "phoneNumber": PERSON, "metadata": {}}),
        ),
    ] {
        let answer = host.post(path, body).await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert_eq!(answer.header("idempotent-replayed"), None);
        let session = answer.json();
        let id = session["confirmationId"].as_str().unwrap();
        let message = session["confirmationMessage"].as_str().unwrap();
        let number = (path == "/make-confirmation").then_some(PERSON);
        assert_eq!(session.get("phoneNumber").and_then(Value::as_str), number);
        assert_eq!((id.len(), &id[..4]), (36, "cfm_"));
        assert_eq!((message.len(), &message[..3]), (19, "CS-"));
        let mut specified = session.clone();
        specified.as_object_mut().unwrap().remove("phoneNumber");
        assert_eq!(
            specified,
            json!({
                "confirmationId": id,
                "confirmationMessage": message,
                "confirmationUri": {
                    "qr": format!("smsto:{SEND_TO}:{message}"),
                    "ios": format!("sms:{SEND_TO}&body={message}"),
                    "android": format!("smsto:{SEND_TO}:{message}"),
                    "sms": format!("sms:{SEND_TO}?body={message}"),
                },
                "sendTo": SEND_TO,
                "sendToCountry": "US",
                "expiresAt": "2026-01-02T03:09:05.678Z",
                "expiresIn": 300,
                "serverTime": "2026-01-02T03:04:05.678Z",
            })
        );
    }
    assert_eq!(host.metrics.take(), ["created", "created"]);
}
