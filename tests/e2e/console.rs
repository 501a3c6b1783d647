//! The operator's console beside a running server: the page's first requests, a change, and its record.

use serde_json::{Value, json};

use crate::support::{Browser, Console, Http, Receiver, Server, count_of, countersign, data_dir};

pub(crate) async fn ask(session: &Http, name: &str, body: Value) -> Value {
    session.post(&format!("/api/{name}"), &body).await.ok()
}

#[tokio::test(flavor = "multi_thread")]
async fn console_changes_an_app_under_the_persons_name() {
    let data = data_dir();
    let server = Server::start(data.path());
    let console = Console::start(data.path(), &[]);
    assert!(console.origin.starts_with("http://127.0.0.1:"));
    let shell = Http::new(&console.origin).get("/apps/demo").await;
    assert_eq!(shell.status, 200);
    let code = json!({ "code": console.code });
    let foreign = Http::new(&console.origin).with("origin", &server.facts.url);
    assert_eq!(foreign.post("/session", &code).await.status, 403);

    let session = console.open().await;
    assert_eq!(console.page().post("/session", &code).await.status, 403);
    let refused = console.page().post("/api/list_apps", &json!({})).await;
    assert_eq!(refused.status, 401);

    let facts = ask(&session, "show_console", json!({})).await;
    assert_eq!(facts["running"], true);
    assert_eq!(facts["local"], true);
    let system = ask(&session, "show_system", json!({})).await;
    assert_eq!(system["url"], server.facts.url);
    assert_eq!(system["backups"], json!([]));
    let apps = ask(&session, "list_apps", json!({})).await;
    assert_eq!(apps["items"][0]["app"], "demo");
    let key = ask(
        &session,
        "issue_key",
        json!({ "app": "demo", "test": true }),
    )
    .await;
    let audit = countersign(data.path(), &["audit", "--json"]);
    let records: Value = serde_json::from_slice(&audit.stdout).unwrap();
    assert_eq!(records[0]["action"], "issue_key");
    assert_eq!(records[0]["keyId"], key["keyId"]);
    assert_eq!(records[0]["by"], facts["person"]);
    let again = countersign(
        data.path(),
        &["key", "revoke", "demo", key["keyId"].as_str().unwrap()],
    );
    assert!(again.status.success(), "{again:?}");
    let audit = ask(&session, "list_audit", json!({ "app": "demo", "last": 1 })).await;
    assert_eq!(audit["items"][0]["by"], facts["person"]);

    drop(server);
    let facts = ask(&session, "show_console", json!({})).await;
    assert_eq!(facts["running"], false);
    let unavailable = session.post("/api/show_metrics", &json!({})).await;
    assert_eq!(unavailable.status, 503);
    assert!(console.interrupt());
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_finds_a_failed_webhook_and_sends_it_again() {
    let data = data_dir();
    let server = Server::start(data.path());
    // 410 ends the attempts.
    let receiver = Receiver::answering(|n| if n == 0 { 410 } else { 204 }).await;
    let (id, message) = server.acquire(&receiver.url).await;
    server.text("+12025550100", &server.facts.send_to, &message);
    receiver.next().await;
    let console = Console::start(data.path(), &[]);
    let session = console.open().await;
    let failed = crate::support::until("the webhook to be given up", async || {
        let found = ask(&session, "find_confirmations", json!({ "failed": true })).await;
        found["items"].get(0).cloned()
    })
    .await;
    assert_eq!(failed["id"], id);
    assert_eq!(failed["number"], "+1 202 ••• ••00");
    let attention = ask(&session, "list_attention", json!({})).await;
    assert_eq!(attention["items"][0]["kind"], "receiver_failing");
    let shown = ask(&session, "show_confirmation", json!({ "id": id })).await;
    assert!(!shown.to_string().contains("+12025550100"), "{shown}");
    let kinds = shown["timeline"].as_array().unwrap().iter();
    let kinds: Vec<_> = kinds
        .map(|moment| moment["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds[..3], ["started", "verified", "attempt_failed"]);
    ask(&session, "redeliver_webhook", json!({ "id": id })).await;
    server.delivered(&id).await;
    assert_eq!(count_of(data.path(), "delivered"), 1);
    assert_eq!(
        ask(&session, "list_attention", json!({})).await["items"],
        json!([])
    );
    let history = ask(&session, "show_history", json!({ "by": "app" })).await;
    let hours = history["hours"].as_array().unwrap();
    for step in ["started", "texted", "verified", "delivered"] {
        // The hour may have ended in between.
        let of_demo = hours.iter().filter(|hour| hour["app"] == "demo");
        let sum: u64 = of_demo.map(|hour| hour[step].as_u64().unwrap()).sum();
        assert_eq!(sum, 1, "{step}: {history}");
    }

    let reveal = json!({ "id": id, "reason": "The customer asked for help" });
    let support = Console::start(data.path(), &["--read-only"]);
    let of_support = support.open().await;
    let refused = of_support.post("/api/reveal_number", &reveal).await;
    assert_eq!(refused.status, 403);
    let digits = ask(
        &of_support,
        "find_confirmations",
        json!({ "digits": "0100" }),
    )
    .await;
    assert_eq!(digits["items"][0]["id"], id);
    let shown = ask(&session, "reveal_number", reveal).await;
    assert_eq!(shown["phoneNumber"], "+12025550100");
    let audit = ask(
        &of_support,
        "list_audit",
        json!({ "app": "demo", "last": 9 }),
    )
    .await;
    let actions = audit["items"].as_array().unwrap().iter();
    let actions: Vec<_> = actions
        .map(|record| record["action"].as_str().unwrap())
        .collect();
    assert_eq!(actions, ["reveal_number", "redeliver_webhook"]);
    assert!(!audit.to_string().contains("+12025550100"));
}

#[tokio::test(flavor = "multi_thread")]
async fn second_of_two_operators_learns_what_the_first_changed() {
    let data = data_dir();
    let server = Server::start(data.path());
    let (one, two) = (
        Console::start(data.path(), &[]),
        Console::start(data.path(), &[]),
    );
    let (one, two) = (one.open().await, two.open().await);
    let update = |setting: &str, value: &str, seen: Value| {
        let settings = json!({ setting: value });
        json!({ "app": "demo", "settings": settings, "seen": seen })
    };
    let from_cs = json!({ "codePrefix": "CS" });
    let first = update("code_prefix", "FIRST", from_cs.clone());
    assert_eq!(ask(&one, "update_app", first).await["codePrefix"], "FIRST");
    let second = update("code_prefix", "SECOND", from_cs);
    let refused = two.post("/api/update_app", &second).await;
    assert_eq!(refused.status, 409);
    assert_eq!(refused.json()["now"], json!({ "codePrefix": "FIRST" }));
    // Another setting is no conflict.
    let template = update(
        "message_template",
        "Shop: {code}",
        json!({ "messageTemplate": "{code}" }),
    );
    let app = ask(&two, "update_app", template).await;
    assert_eq!(app["codePrefix"], "FIRST");
    assert_eq!(app["messageTemplate"], "Shop: {code}");
    drop(server);
    // The data of a stopped server has the same rules.
    let refused = two.post("/api/update_app", &second).await;
    assert_eq!(refused.status, 409);
    assert_eq!(refused.json()["now"], json!({ "codePrefix": "FIRST" }));
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_ends_a_login_and_its_page_learns_it() {
    let data = data_dir();
    let server = Server::start(data.path());
    let browser = Browser::open(&server).await;
    let mut watch = browser.watch().await;
    let console = Console::start(data.path(), &[]);
    let session = console.open().await;
    let facts = ask(&session, "show_console", json!({})).await;
    let offered = facts["requests"].as_array().unwrap();
    assert!(offered.contains(&json!("cancel_login")), "{offered:?}");
    assert!(offered.contains(&json!("show_metrics")), "{offered:?}");
    let found = ask(&session, "find_logins", json!({})).await;
    let login = json!({ "id": found["items"][0]["id"] });
    let ended = ask(&session, "cancel_login", login.clone()).await;
    assert_eq!(ended["state"], "cancelled");
    watch.notified().await;
    assert_eq!(browser.state().await, "cancelled");
    assert_eq!(session.post("/api/cancel_login", &login).await.status, 409);
    let audit = ask(&session, "list_audit", json!({ "last": 1 })).await;
    assert_eq!(audit["items"][0]["action"], "cancel_login");
    assert_eq!(audit["items"][0]["app"], "demo");
}
