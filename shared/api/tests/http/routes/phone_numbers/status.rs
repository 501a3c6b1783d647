//! `GET /confirmation-status/{id}`.

use std::time::Duration;

use serde_json::{Value, json};

use crate::host::{Answer, CALLBACK, Host, PERSON, SEND_TO, asked};

async fn watched(host: &Host) -> Value {
    let body = json!({"callbackUrl": CALLBACK, "clientChannel": true});
    let answer = host.post("/acquire-phone-number", body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

/// Requests the status as the page does.
async fn ask(host: &Host, session: &Value, headers: &[(&str, &str)]) -> Answer {
    let client = &session["client"];
    let url = client["statusUrl"].as_str().unwrap();
    let path = url.strip_prefix("https://countersign.example").unwrap();
    let bearer = format!("Bearer {}", client["token"].as_str().unwrap());
    let own = [("authorization", bearer.as_str())];
    let headers = [&own, headers].concat();
    host.send(asked("GET", path, &headers, None)).await
}

#[tokio::test]
async fn page_sees_the_status_and_never_the_number() {
    let host = Host::new().await;
    let session = watched(&host).await;
    assert_eq!(
        session["client"]["socketUrl"],
        "wss://countersign.example/socket"
    );
    assert_eq!(session["sendToCountry"], "US");
    let expected = |status: &str| {
        json!({
            "confirmationId": session["confirmationId"],
            "status": status,
            "expiresAt": session["expiresAt"],
            "expiresIn": 300,
            "serverTime": session["serverTime"],
        })
    };
    let page = [("origin", "https://shop.example")];
    let open = ask(&host, &session, &page).await;
    assert_eq!(open.json(), expected("open"));
    assert_eq!(
        open.header("access-control-allow-origin"),
        Some("https://shop.example")
    );
    let tag = open.header("etag").unwrap().to_owned();
    let unchanged = [("if-none-match", tag.as_str())];
    assert_eq!(ask(&host, &session, &unchanged).await.status, 304);
    let message = session["confirmationMessage"].as_str().unwrap();
    host.text("text-1", PERSON, SEND_TO, message).await;
    let verified = ask(&host, &session, &unchanged).await;
    assert_eq!(verified.json(), expected("verified"));
    assert!(!String::from_utf8_lossy(&verified.body).contains(PERSON));
}

#[tokio::test]
async fn page_sees_the_kind_of_a_miss_and_nothing_more() {
    let host = Host::new().await;
    for (from, to, reason) in [
        ("", SEND_TO, "number_hidden"),
        ("ACME", SEND_TO, "wrong_sender"),
        (PERSON, "+12025550198", "wrong_recipient"),
    ] {
        let session = watched(&host).await;
        let before = ask(&host, &session, &[]).await;
        assert_eq!(before.json().get("lastMiss"), None);
        let tag = before.header("etag").unwrap().to_owned();
        let message = session["confirmationMessage"].as_str().unwrap();
        host.text(reason, from, to, message).await;
        let unchanged = [("if-none-match", tag.as_str())];
        let after = ask(&host, &session, &unchanged).await;
        assert_eq!(after.json()["lastMiss"], json!({"reason": reason}));
        assert_eq!(after.json()["status"], "open");
        host.text("own", PERSON, SEND_TO, message).await;
        let verified = ask(&host, &session, &unchanged).await.json();
        assert_eq!(
            (&verified["status"], verified.get("lastMiss")),
            (&json!("verified"), None)
        );
    }
}

#[tokio::test]
async fn page_sees_expiry() {
    let host = Host::new().await;
    let session = watched(&host).await;
    host.clock.advance(Duration::from_mins(5));
    let answer = ask(&host, &session, &[]).await.json();
    assert_eq!(answer["status"], "expired");
    assert_eq!(answer["expiresIn"], 0);
}

#[tokio::test]
async fn other_tokens_and_confirmations_without_a_channel_are_not_found() {
    let host = Host::new().await;
    let (mut session, other) = (watched(&host).await, watched(&host).await);
    session["client"]["token"] = other["client"]["token"].clone();
    let crossed = ask(&host, &session, &[]).await;
    session["client"]["token"] = json!("malformed");
    let malformed = ask(&host, &session, &[]).await;
    let unwatched = host.acquire().await;
    assert_eq!(unwatched.get("client"), None);
    let id = unwatched["confirmationId"].as_str().unwrap();
    session["client"] = json!({
        "token": other["client"]["token"],
        "statusUrl": format!("https://countersign.example/confirmation-status/{id}"),
    });
    let without = ask(&host, &session, &[]).await;
    for answer in [crossed, malformed, without] {
        assert_eq!(answer.code(), "confirmation_not_found");
    }
}

#[tokio::test]
async fn guesses_are_limited() {
    let host = Host::new().await;
    let mut session = watched(&host).await;
    session["client"]["token"] = json!("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
    for _ in 0..30 {
        assert_eq!(ask(&host, &session, &[]).await.status, 404);
    }
    let limited = ask(&host, &session, &[]).await;
    assert_eq!(limited.code(), "too_many_misses");
}

#[tokio::test]
async fn any_page_may_ask() {
    let host = Host::new().await;
    let session = watched(&host).await;
    let url = session["client"]["statusUrl"].as_str().unwrap();
    let path = url.strip_prefix("https://countersign.example").unwrap();
    let preflight = [
        ("origin", "https://shop.example"),
        ("access-control-request-method", "GET"),
    ];
    let answer = host.send(asked("OPTIONS", path, &preflight, None)).await;
    assert_eq!(answer.status, 204);
    let allowed = answer.header("access-control-allow-headers").unwrap();
    assert!(allowed.contains("authorization"));
}
