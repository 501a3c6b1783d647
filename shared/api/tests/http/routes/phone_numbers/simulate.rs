//! Test keys, and `POST /simulated-texts`.

use countersign_domain::app::api_key::{KeyMode, PresentedApiKey};
use countersign_domain::primitives::ids::AppId;
use serde_json::{Value, json};

use crate::host::{Answer, CALLBACK, Host, PERSON, SEND_TO, id_of, keyed};

/// A server with a test key.
struct Tester<'a> {
    host: &'a Host,
    key: PresentedApiKey,
}

impl<'a> Tester<'a> {
    async fn new(host: &'a Host, app: &str) -> Self {
        let key = PresentedApiKey::generate_for(KeyMode::Test, &*host.entropy);
        host.add_key(&app.parse::<AppId>().unwrap(), &key).await;
        Self { host, key }
    }

    async fn call(&self, method: &str, path: &str, body: &Value) -> Answer {
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        self.host.send(keyed(&self.key, method, path, body)).await
    }

    async fn acquire(&self) -> Value {
        let body = json!({"callbackUrl": CALLBACK});
        let answer = self.call("POST", "/acquire-phone-number", &body).await;
        answer.json()
    }

    async fn text(&self, session: &Value) -> Value {
        let text = json!({"from": PERSON, "to": SEND_TO, "text": session["confirmationMessage"]});
        let answer = self.call("POST", "/simulated-texts", &text).await;
        answer.json()
    }
}

#[tokio::test]
async fn simulated_text_completes_what_a_test_key_started() {
    let host = Host::new().await;
    let tester = Tester::new(&host, "demo").await;
    let session = tester.acquire().await;
    assert_eq!(session["test"], true);
    let id = session["confirmationId"].clone();
    assert_eq!(
        tester.text(&session).await,
        json!({"effect": "verified", "confirmationId": id, "event": "verified"})
    );
    assert_eq!(tester.text(&session).await["effect"], "repeated");
    let path = format!("/confirmations/{}", id_of(&session));
    let shown = tester.call("GET", &path, &Value::Null).await.json();
    assert_eq!(shown["test"], true);
    assert_eq!(shown["result"]["channel"], "simulated");
    assert_eq!(shown["result"]["phoneNumber"], PERSON);
    // The metrics of live use do not count tests.
    assert!(host.metrics.take().is_empty());
}

#[tokio::test]
async fn text_moves_only_what_its_own_kind_of_key_started() {
    let host = Host::new().await;
    let tester = Tester::new(&host, "demo").await;
    host.stranger().await;
    let stranger = Tester::new(&host, "stranger").await;
    let live = host.acquire().await;
    assert_eq!(live.get("test"), None);
    assert_eq!(tester.text(&live).await["event"], "miss_unknown");

    let session = tester.acquire().await;
    assert_eq!(stranger.text(&session).await["event"], "miss_unknown");
    let message = session["confirmationMessage"].as_str().unwrap();
    for to in [SEND_TO, "+12025550198"] {
        assert_eq!(host.text(to, PERSON, to, message).await.status, 200);
    }
    for session in [&live, &session] {
        let path = format!("/confirmations/{}", id_of(session));
        let shown = host.call("GET", &path, None).await.json();
        assert_eq!(shown["status"], "open");
        assert_eq!(shown.get("lastMiss"), None);
    }
}

#[tokio::test]
async fn simulated_text_without_a_number_is_a_miss() {
    let host = Host::new().await;
    let tester = Tester::new(&host, "demo").await;
    let session = tester.acquire().await;
    let text = json!({"from": "", "to": SEND_TO, "text": session["confirmationMessage"]});
    let effect = tester.call("POST", "/simulated-texts", &text).await.json();
    assert_eq!(
        effect,
        json!({"effect": "missed", "event": "miss_number_hidden"})
    );
    let path = format!("/confirmations/{}", id_of(&session));
    let shown = tester.call("GET", &path, &Value::Null).await.json();
    assert_eq!(shown["lastMiss"]["reason"], "number_hidden");
    assert_eq!(tester.text(&session).await["effect"], "verified");
}

#[tokio::test]
async fn test_key_reaches_nothing_but_tests() {
    let host = Host::new().await;
    let tester = Tester::new(&host, "demo").await;
    let id = host.verified().await;
    for (method, rest) in [
        ("GET", ""),
        ("DELETE", ""),
        ("POST", "/redact"),
        ("POST", "/redeliver"),
    ] {
        let path = format!("/confirmations/{id}{rest}");
        let answer = tester.call(method, &path, &Value::Null).await;
        assert_eq!(answer.code(), "confirmation_not_found", "{method} {rest}");
    }
    // A live key of the app can access live and test confirmations.
    let path = format!("/confirmations/{}", id_of(&tester.acquire().await));
    assert_eq!(host.call("DELETE", &path, None).await.status, 200);
}

#[tokio::test]
async fn live_key_simulates_nothing() {
    let host = Host::new().await;
    let text = json!({"from": PERSON, "to": SEND_TO, "text": "CS-0000000000000000"});
    let answer = host.post("/simulated-texts", text).await;
    assert_eq!(answer.code(), "test_key_needed");
}

#[tokio::test]
async fn text_without_its_parts_is_refused() {
    let host = Host::new().await;
    let tester = Tester::new(&host, "demo").await;
    for missing in ["from", "to", "text"] {
        let mut text = json!({"from": PERSON, "to": SEND_TO, "text": "CS-0"});
        text[missing].take();
        let answer = tester.call("POST", "/simulated-texts", &text).await;
        let expected = ("field_missing".to_owned(), Some(format!("/{missing}")));
        assert_eq!(answer.code_at(), expected);
    }
}
