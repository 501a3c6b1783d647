//! What an operator does in the console beside looking: a provider's trial, failed webhooks and a link host.

use serde_json::{Value, json};

use crate::console::ask;
use crate::providers::added;
use crate::support::{Console, Http, Receiver, Server, countersign, data_dir, until};

#[tokio::test(flavor = "multi_thread")]
async fn operator_sees_what_became_of_a_providers_calls() {
    let data = data_dir();
    let server = Server::start(data.path());
    let console = Console::start(data.path(), &[]);
    let session = console.open().await;
    let twilio = json!({ "provider": "twilio" });
    let call = Http::new(&server.facts.url);
    assert_eq!(
        call.post("/inbound-sms/twilio", &json!({})).await.status,
        404
    );
    let off = ask(&session, "show_provider", twilio.clone()).await;
    assert_eq!((&off["on"], &off["secrets"]), (&json!(false), &Value::Null));
    assert_eq!(off["calls"][0]["reason"], "not_configured");
    let refused = session.post("/api/test_provider", &twilio).await;
    assert_eq!(refused.status, 409);

    let secret = "0123456789abcdef0123456789abcdef";
    added(data.path(), &["twilio"], secret);
    assert_eq!(
        call.post("/inbound-sms/twilio", &json!({})).await.status,
        401
    );
    let troubles = ask(&session, "list_attention", json!({})).await;
    assert_eq!(troubles["items"][0]["kind"], "provider_refused");
    assert_eq!(
        troubles["items"][0]["step"],
        "countersign provider show twilio"
    );
    let trial = ask(&session, "test_provider", twilio.clone()).await;
    assert_eq!(
        (&trial["accepted"], &trial["status"]),
        (&json!(true), &json!(200))
    );
    let troubles = ask(&session, "list_attention", json!({})).await;
    assert_eq!(troubles["items"], json!([]));

    let shown = ask(&session, "show_provider", twilio).await;
    let url = format!("{}/inbound-sms/twilio", server.facts.url);
    assert_eq!(shown["url"], url);
    let calls = shown["calls"].as_array().unwrap().iter();
    let calls: Vec<_> = calls
        .map(|call| {
            (
                call["result"].as_str().unwrap(),
                call["reason"].as_str().unwrap(),
            )
        })
        .collect();
    let expected = [
        ("accepted", "miss_no_code"),
        ("refused", "not_authentic"),
        ("refused", "not_configured"),
    ];
    assert_eq!(calls, expected);
    assert!(!shown.to_string().contains(secret));

    let support = Console::start(data.path(), &["--read-only"]);
    let of_support = support.open().await;
    let listed = ask(&of_support, "list_providers", json!({})).await;
    let listed = listed["items"].as_array().unwrap();
    let listed = listed.iter().find(|item| item["name"] == "twilio").unwrap();
    let counts = ["accepted", "refused", "ignored"].map(|name| listed[name].as_u64());
    assert_eq!(counts, [Some(1), Some(2), Some(0)]);
    assert_eq!(listed["lastCall"]["result"], "accepted");
    let refused = of_support
        .post("/api/test_provider", &json!({ "provider": "twilio" }))
        .await;
    assert_eq!(refused.status, 403);

    drop(server);
    let stopped = ask(&session, "show_provider", json!({ "provider": "twilio" })).await;
    assert_eq!(
        (&stopped["on"], &stopped["calls"]),
        (&json!(true), &Value::Null)
    );
    assert!(stopped["callsElsewhere"]["sentence"].is_string());
    let refused = session
        .post("/api/test_provider", &json!({ "provider": "twilio" }))
        .await;
    assert_eq!(refused.status, 503);
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_sends_what_failed_again_and_sees_how_the_receiver_answers() {
    let data = data_dir();
    let server = Server::start(data.path());
    // 410 ends the attempts.
    let receiver = Receiver::answering(|n| if n < 2 { 410 } else { 204 }).await;
    let console = Console::start(data.path(), &[]);
    let session = console.open().await;
    let mut ids = Vec::new();
    for _ in 0..2 {
        let (id, message) = server.acquire(&receiver.url).await;
        server.text("+12025550100", &server.facts.send_to, &message);
        receiver.next().await;
        ids.push(id);
    }
    let since = json!({ "app": "demo", "since": "2026-01-01T00:00:00Z" });
    let failed = until("both webhooks to be given up", async || {
        let shown = ask(&session, "show_webhooks", since.clone()).await;
        (shown["receivers"][0]["failed"] == 2).then_some(shown)
    })
    .await;
    assert_eq!(failed["receivers"][0]["lastFailure"]["status"], 410);
    assert!(
        receiver
            .url
            .starts_with(failed["receivers"][0]["origin"].as_str().unwrap())
    );

    let again = ask(&session, "redeliver_failed", since.clone()).await;
    assert_eq!(
        (&again["redelivered"], &again["complete"]),
        (&json!(2), &json!(true))
    );
    for id in &ids {
        server.delivered(id).await;
    }
    let shown = ask(&session, "show_webhooks", since.clone()).await;
    assert_eq!(shown["receivers"][0]["delivered"], 2);
    assert!(shown["receivers"][0]["p95Ms"].is_u64(), "{shown}");
    let line = "confirmations redeliver --failed --since 2026-01-01T00:00:00Z --app demo --json";
    let words: Vec<_> = line.split(' ').collect();
    let none = countersign(data.path(), &words);
    let none: Value = serde_json::from_slice(&none.stdout).unwrap();
    assert_eq!(none["redelivered"], 0);
    let audit = ask(&session, "list_audit", json!({ "app": "demo", "last": 9 })).await;
    let actions = audit["items"].as_array().unwrap().iter();
    let actions: Vec<_> = actions
        .map(|record| record["action"].as_str().unwrap())
        .collect();
    assert_eq!(actions, ["redeliver_failed", "redeliver_failed"]);

    let test = json!({ "app": "demo", "url": receiver.url });
    let tested = ask(&session, "test_webhook", test).await;
    assert_eq!(
        (&tested["status"], &tested["answer"]),
        (&json!(204), &Value::Null)
    );
    let mut webhook = receiver.next().await;
    while !webhook.id().starts_with("msg_test_") {
        webhook = receiver.next().await;
    }
    assert_eq!(webhook.json()["metadata"], json!({ "test": "true" }));
}

#[tokio::test(flavor = "multi_thread")]
async fn link_host_is_checked_without_changing_anything() {
    let data = data_dir();
    let _server = Server::start(data.path());
    let update = [
        "app",
        "update",
        "demo",
        "--ios",
        "ABCDE12345.com.example.shop",
    ];
    let updated = countersign(data.path(), &update);
    assert!(updated.status.success(), "{updated:?}");
    let support = Console::start(data.path(), &["--read-only"]);
    let session = support.open().await;
    let checked = ask(&session, "check_link_host", json!({ "app": "demo" })).await;
    let checks = checked["checks"].as_array().unwrap();
    let check = |name: &str| checks.iter().find(|check| check["name"] == name).unwrap();
    // The files are right, but no phone reaches them.
    assert_eq!(check("apple-app-site-association")["ok"], true, "{checked}");
    assert_eq!(check("DNS")["ok"], false);
    let command = countersign(data.path(), &["app", "check-link", "demo"]);
    assert_eq!(command.status.code(), Some(1));
    let text = String::from_utf8(command.stdout).unwrap();
    assert!(
        text.contains("iOS opens the links in ABCDE12345.com.example.shop"),
        "{text}"
    );
}
