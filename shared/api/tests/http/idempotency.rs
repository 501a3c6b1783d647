//! Repeated requests with an `Idempotency-Key`.

use countersign_domain::confirmation::Confirmation;
use std::time::Duration;

use countersign_domain::app::api_key::PresentedApiKey;
use countersign_domain::app::template::MessageTemplate;
use countersign_domain::primitives::ids::AppId;
use http::HeaderValue;
use serde_json::{Value, json};

use crate::host::{Answer, CALLBACK, Host, PERSON, id_of, keyed};

const ACQUIRE: &str = "/acquire-phone-number";
const BODY: &str = r#"{"callbackUrl":"https://example.com/hook"}"#;
const DAY: Duration = Duration::from_hours(24);

async fn send(host: &Host, api_key: &PresentedApiKey, key: &str, path: &str, body: &str) -> Answer {
    let mut request = keyed(api_key, "POST", path, body.to_owned());
    let key = HeaderValue::from_bytes(key.as_bytes()).unwrap();
    request.headers_mut().insert("idempotency-key", key);
    host.send(request).await
}

async fn repeat(host: &Host) -> Answer {
    send(host, &host.key, "k", ACQUIRE, BODY).await
}

fn replayed(answer: &Answer) -> bool {
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.header("idempotent-replayed") == Some("true")
}

#[tokio::test]
async fn repeated_request_repeats_the_answer() {
    let host = Host::new().await;
    let first = repeat(&host).await;
    assert!(!replayed(&first));
    host.clock.advance(Duration::from_secs(7));
    let again = repeat(&host).await;
    assert!(replayed(&again));
    assert_eq!(first.lasting(), again.lasting());
    let left = [&first, &again].map(|answer| answer.json()["expiresIn"].clone());
    assert_eq!(left, [300, 293]);
    assert_eq!(host.stored::<Confirmation>().len(), 1);
    assert_eq!(host.metrics.take(), ["created", "replayed"]);
}

#[tokio::test]
async fn same_key_with_another_request_is_refused() {
    let host = Host::new().await;
    repeat(&host).await;
    let confirm = json!({"callbackUrl": CALLBACK, "phoneNumber": PERSON}).to_string();
    for (path, body) in [
        (ACQUIRE, r#"{"callbackUrl":"https://example.com/other"}"#),
        (ACQUIRE, r#"{"callbackUrl":"https://example.com/hook" }"#),
        ("/make-confirmation", &confirm),
    ] {
        let answer = send(&host, &host.key, "k", path, body).await;
        assert_eq!(answer.code(), "idempotency_key_reused", "{path} {body}");
    }
    assert_eq!(host.stored::<Confirmation>().len(), 1);
}

#[tokio::test]
async fn same_body_to_another_route_is_another_request() {
    let host = Host::new().await;
    let body = json!({"callbackUrl": CALLBACK, "phoneNumber": PERSON}).to_string();
    assert!(!replayed(
        &send(&host, &host.key, "k", ACQUIRE, &body).await
    ));
    let answer = send(&host, &host.key, "k", "/make-confirmation", &body).await;
    assert_eq!(answer.code(), "idempotency_key_reused");
}

#[tokio::test]
async fn refused_request_does_not_use_its_key() {
    let host = Host::new().await;
    let answer = send(&host, &host.key, "k", ACQUIRE, "{}").await;
    assert_eq!(answer.code(), "field_missing");
    assert!(!replayed(&repeat(&host).await));
}

#[tokio::test]
async fn idempotency_keys_are_separate_for_each_api_key() {
    let host = Host::new().await;
    let first = repeat(&host).await;
    let stranger = host.stranger().await;
    let second = PresentedApiKey::generate(&*host.entropy);
    host.add_key(&"demo".parse::<AppId>().unwrap(), &second)
        .await;
    for api_key in [stranger, second] {
        let answer = send(&host, &api_key, "k", ACQUIRE, BODY).await;
        assert!(!replayed(&answer));
        assert_ne!(answer.lasting(), first.lasting());
    }
}

#[tokio::test]
async fn idempotency_key_is_remembered_for_a_day() {
    let host = Host::new().await;
    let first = repeat(&host).await;
    host.clock
        .advance(DAY.saturating_sub(Duration::from_millis(1)));
    assert_eq!(repeat(&host).await.lasting(), first.lasting());
    host.clock.advance(Duration::from_millis(1));
    let second = repeat(&host).await;
    assert!(!replayed(&second));
    assert_ne!(second.json()["expiresAt"], first.json()["expiresAt"]);
}

/// A verified confirmation is kept longer than a day. The code of the old confirmation must not be
/// used again.
#[tokio::test]
async fn key_reused_after_a_day_starts_a_new_confirmation() {
    let host = Host::new().await;
    let first = repeat(&host).await.json();
    let message = first["confirmationMessage"].as_str().unwrap();
    let send_to = first["sendTo"].as_str().unwrap();
    host.text("t", PERSON, send_to, message).await;
    host.clock.advance(DAY);
    let second = repeat(&host).await;
    assert!(!replayed(&second));
    let second = second.json();
    assert_ne!(id_of(&second), id_of(&first));
    assert_ne!(second["confirmationMessage"], first["confirmationMessage"]);
    let again = repeat(&host).await;
    assert!(replayed(&again));
    assert_eq!(again.json(), second);
}

#[tokio::test]
async fn replay_ignores_later_changes() {
    let host = Host::new().await;
    host.change_app(|app| app.template = "Old: {code}".parse::<MessageTemplate>().unwrap())
        .await;
    let first = repeat(&host).await;
    let message: Value = first.json()["confirmationMessage"].clone();
    assert!(message.as_str().unwrap().starts_with("Old: CS-"));
    host.change_app(|app| {
        app.template = "New: {code}".parse::<MessageTemplate>().unwrap();
        app.prefix = "XY"
            .parse::<countersign_domain::app::code::CodePrefix>()
            .unwrap();
    })
    .await;
    assert_eq!(repeat(&host).await.lasting(), first.lasting());

    let path = format!("/confirmations/{}", id_of(&first.json()));
    assert_eq!(host.call("DELETE", &path, None).await.status, 200);
    assert_eq!(repeat(&host).await.lasting(), first.lasting());
}

#[tokio::test]
async fn idempotency_key_is_1_to_255_visible_characters_sent_once() {
    let host = Host::new().await;
    let with = async |key: &str| send(&host, &host.key, key, ACQUIRE, BODY).await;
    assert_eq!(with(&"k".repeat(255)).await.status, 200);
    assert_eq!(with("!~").await.status, 200);
    for bad in ["", " ", "a b", "a\tb", "é", &"k".repeat(256)] {
        assert_eq!(
            with(bad).await.code(),
            "idempotency_key_malformed",
            "{bad:?}"
        );
    }
    let mut request = host.request("POST", ACQUIRE, BODY);
    for key in ["a", "b"] {
        let key = HeaderValue::from_static(key);
        request.headers_mut().append("idempotency-key", key);
    }
    assert_eq!(host.send(request).await.code(), "idempotency_key_malformed");
}
