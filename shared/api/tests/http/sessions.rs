//! Starting a session: the answer to the letter.

use countersign_domain::app::template::MessageTemplate;
use serde_json::json;

use crate::host::{CALLBACK, Host, PERSON, SEND_TO, SEND_TO_GB};

#[tokio::test]
async fn the_answer_has_the_fields_of_the_specification_and_sms() {
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
        assert_eq!((id.len(), &id[..4]), (36, "cfm_"));
        assert_eq!((message.len(), &message[..3]), (19, "CS-"));
        assert_eq!(
            session,
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
                "expiresAt": "2026-01-02T03:09:05.678Z",
            })
        );
    }
    assert_eq!(host.metrics.take(), ["created", "created"]);
}

#[tokio::test]
async fn two_sessions_have_nothing_secret_in_common() {
    let host = Host::new().await;
    let (one, other) = (host.acquire().await, host.acquire().await);
    assert_ne!(one["confirmationId"], other["confirmationId"]);
    assert_ne!(one["confirmationMessage"], other["confirmationMessage"]);
}

#[tokio::test]
async fn the_country_of_the_number_chooses_where_to_send() {
    let host = Host::new().await;
    let body = json!({"callbackUrl": CALLBACK, "phoneNumber": "+44 20 7946 0018"});
    let session = host.post("/make-confirmation", body).await.json();
    assert_eq!(session["sendTo"], SEND_TO_GB);
}

#[tokio::test]
async fn the_apps_words_are_around_the_code() {
    let host = Host::new().await;
    host.change_app(|app| app.template = "Shop: {code}".parse::<MessageTemplate>().unwrap())
        .await;
    let session = host.acquire().await;
    let message = session["confirmationMessage"].as_str().unwrap();
    let code = message.strip_prefix("Shop: ").unwrap();
    let uri = &session["confirmationUri"];
    assert_eq!(uri["qr"], format!("smsto:{SEND_TO}:Shop: {code}"));
    assert_eq!(uri["android"], format!("smsto:{SEND_TO}:Shop%3A%20{code}"));
}

#[tokio::test]
async fn validity_is_the_hosts_to_say() {
    let host = Host::with(|parts| parts.times.validity = std::time::Duration::from_secs(1)).await;
    let session = host.acquire().await;
    assert_eq!(session["expiresAt"], "2026-01-02T03:04:06.678Z");
}
