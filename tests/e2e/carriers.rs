//! Looks up carriers that the provider did not report, with a fake Twilio.

use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, io::Write as _};

use axum::Router;
use axum::http::{HeaderMap, StatusCode, Uri};
use serde_json::json;
use tokio::net::TcpListener;

use crate::support::{Receiver, Server, count_of, countersign, data_dir};

/// A fake Twilio server.
struct Twilio {
    origin: String,
    asked: Arc<AtomicUsize>,
}

impl Twilio {
    /// Answers each lookup with this status and this carrier.
    async fn answering(status: u16, carrier: &'static str) -> Self {
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let answer = async move |uri: Uri, headers: HeaderMap| {
            count.fetch_add(1, Ordering::SeqCst);
            let path = "/v2/PhoneNumbers/%2B12025550100?Fields=line_type_intelligence";
            let known = uri == path && headers["authorization"] == "Basic U0sxOmh1bnRlcjI=";
            let status = if known { status } else { 400 };
            let line_type = json!({"carrier_name": carrier, "error_code": null});
            let body = json!({"line_type_intelligence": line_type});
            (StatusCode::from_u16(status).unwrap(), body.to_string())
        };
        Self::serving(Router::new().fallback(answer), asked).await
    }

    /// Accepts lookups but never answers them.
    async fn hanging() -> Self {
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let answer = async move || {
            count.fetch_add(1, Ordering::SeqCst);
            std::future::pending::<()>().await;
        };
        Self::serving(Router::new().fallback(answer), asked).await
    }

    async fn serving(router: Router, asked: Arc<AtomicUsize>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async { axum::serve(listener, router).await });
        Self { origin, asked }
    }

    /// Writes settings that point lookups to this server.
    fn configure(&self, data: &Path) {
        let twilio = json!({"apiKey": "SK1", "secret": "hunter2", "testOrigin": self.origin});
        write(data, &json!({"twilio": twilio}).to_string());
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

fn write(data: &Path, settings: &str) {
    fs::set_permissions(data, fs::Permissions::from_mode(0o700)).unwrap();
    let path = data.join("carrier-lookup.json");
    let mut options = fs::OpenOptions::new();
    let file = options.write(true).create(true).truncate(true).mode(0o600);
    let mut file = file.open(path).unwrap();
    file.write_all(settings.as_bytes()).unwrap();
}

/// Returns whether a lookup has timed out. The server allows each lookup 800 ms from the text,
/// which a busy machine can exceed. In that case a test starts over, with a server that has no
/// earlier state.
fn was_late(data: &Path) -> bool {
    count_of(data, "carrier_timed_out") > 0
}

#[tokio::test(flavor = "multi_thread")]
async fn webhook_retry_and_status_have_the_carrier_that_was_looked_up() {
    for _ in 0..20 {
        let data = data_dir();
        let twilio = Twilio::answering(200, "Acme\u{0} Mobile").await;
        twilio.configure(data.path());
        let server = Server::start(data.path());
        let receiver = Receiver::answering(|number| if number == 0 { 500 } else { 204 }).await;
        let (id, message) = server.acquire(&receiver.url).await;
        server.text("+12025550100", &server.facts.send_to, &message);
        let (first, second) = (receiver.next().await, receiver.next().await);
        if was_late(data.path()) {
            continue;
        }
        first.verify(&server.anyone()).await;
        assert_eq!(first.json()["carrier"], "Acme Mobile");
        assert_eq!(first.body, second.body);
        let status = server.delivered(&id).await;
        assert_eq!(status["result"]["carrier"], "Acme Mobile");

        // Looking up the same number again costs nothing.
        let (_, message) = server.acquire(&receiver.url).await;
        server.text("+12025550100", &server.facts.send_to, &message);
        assert_eq!(receiver.next().await.json()["carrier"], "Acme Mobile");
        assert_eq!(twilio.asked(), 1);
        assert_eq!(count_of(data.path(), "carrier_found"), 1);
        assert_eq!(count_of(data.path(), "carrier_cached"), 1);
        return;
    }
    panic!("no lookup ends in time");
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_lookup_leaves_the_carrier_empty() {
    for _ in 0..20 {
        let data = data_dir();
        let twilio = Twilio::answering(429, "Acme").await;
        twilio.configure(data.path());
        let server = Server::start(data.path());
        let receiver = Receiver::start().await;
        let (id, message) = server.acquire(&receiver.url).await;
        server.text("+12025550100", &server.facts.send_to, &message);
        assert_eq!(receiver.next().await.json()["carrier"], "");
        let status = server.delivered(&id).await;
        assert_eq!(status["result"]["carrier"], "");
        if was_late(data.path()) {
            continue;
        }
        assert_eq!(twilio.asked(), 1);
        assert_eq!(count_of(data.path(), "carrier_failed"), 1);
        return;
    }
    panic!("no lookup ends in time");
}

/// Sixty webhooks share a few delivery slots, so webhooks that had to wait for others' lookups
/// would be late by many timeouts.
#[tokio::test(flavor = "multi_thread")]
async fn look_ups_that_hang_cost_a_webhook_no_more_than_one() {
    let data = data_dir();
    let twilio = Twilio::hanging().await;
    twilio.configure(data.path());
    let server = Server::start(data.path());
    let receiver = Receiver::start().await;
    let mut messages = Vec::new();
    for _ in 0..60 {
        messages.push(server.acquire(&receiver.url).await.1);
    }
    let from = (0..60).map(|n| format!("+1202555{:04}", 100 + n));
    for (from, message) in from.zip(&messages) {
        server.text(&from, &server.facts.send_to, message);
    }
    for _ in &messages {
        assert_eq!(receiver.next().await.json()["carrier"], "");
    }
    assert!(count_of(data.path(), "carrier_timed_out") >= 3);
    assert!(count_of(data.path(), "carrier_paused") > 0);
    assert!(twilio.asked() < 60, "{}", twilio.asked());
}

#[tokio::test(flavor = "multi_thread")]
async fn carrier_in_the_text_is_not_looked_up() {
    let data = data_dir();
    let twilio = Twilio::answering(200, "Acme").await;
    twilio.configure(data.path());
    let server = Server::start(data.path());
    let receiver = Receiver::start().await;
    let (_, message) = server.acquire(&receiver.url).await;
    let (from, to) = ("+12025550100", server.facts.send_to.as_str());
    let args = ["phone", "text", "--from", from, "--to", to];
    let more = ["--message", &message, "--carrier", "Other"];
    countersign(data.path(), &[&args[..], &more[..]].concat());
    assert_eq!(receiver.next().await.json()["carrier"], "Other");
    assert_eq!(twilio.asked(), 0);
}

#[test]
fn unusable_settings_stop_the_server_and_are_not_repeated() {
    for settings in [
        r#"{"twilio": {"apiKey": "SK1", "secret": "hunter2 "}}"#,
        r#"{"twilio": {"apiKey": "SK1", "secret": "hunter2", "testOrigin": "http://192.0.2.1"}}"#,
        "hunter2",
    ] {
        let data = data_dir();
        write(data.path(), settings);
        let output = countersign(data.path(), &["serve", "--listen", "127.0.0.1:0"]);
        assert!(!output.status.success());
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("carrier-lookup.json"), "{said}");
        assert!(!said.contains("hunter2"), "{said}");
    }
}
