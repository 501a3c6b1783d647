//! Operators' commands: the use of keys, and the console's searches in the shell.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Browser, Receiver, Server, countersign, data_dir};

fn asked(data: &Path, args: &[&str]) -> Value {
    let output = countersign(data, &[args, &["--json"]].concat());
    assert!(output.status.success(), "{args:?}: {output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Runs a list command, and returns its lines.
fn listed(data: &Path, args: &[&str]) -> Vec<String> {
    let output = countersign(data, args);
    assert!(output.status.success(), "{args:?}: {output:?}");
    let lines = String::from_utf8(output.stdout).unwrap();
    lines.lines().map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn last_use_of_a_key_outlives_the_server() {
    let data = data_dir();
    let server = Server::start(data.path());
    let issue = ["key", "issue", "demo", "--test", "--label", "Nightly job"];
    let key = asked(data.path(), &issue);
    let of_key = || {
        let keys = asked(data.path(), &["key", "list"]);
        let mut keys = keys.as_array().unwrap().iter();
        keys.find(|found| found["keyId"] == key["keyId"])
            .unwrap()
            .clone()
    };
    assert_eq!(of_key()["label"], "Nightly job");
    assert_eq!(of_key()["lastUsedAt"], Value::Null);
    let caller = server.anyone();
    let caller = caller.with("x-api-key", key["apiKey"].as_str().unwrap());
    caller.get("/confirmations").await.ok();
    let used = of_key();
    assert!(used["lastUsedAt"].is_string(), "{used}");
    assert!(server.terminate().success());
    assert_eq!(of_key(), used);
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_lists_without_a_key_what_the_console_finds() {
    let data = data_dir();
    let server = Server::start(data.path());
    let receiver = Receiver::answering(|_| 410).await;
    let (open, _) = server.acquire(&receiver.url).await;
    let (failed, message) = server.acquire(&receiver.url).await;
    server.text("+12025550100", &server.facts.send_to, &message);
    receiver.next().await;
    let list = |more: &[&str]| listed(data.path(), &[&["confirmations", "list"], more].concat());
    crate::support::until("the webhook to be given up", async || {
        let found = list(&["--app", "demo", "--failed"]);
        (!found.is_empty()).then_some(())
    })
    .await;
    for (filters, expected) in [
        (&["--all-apps"][..], vec![&failed, &open]),
        (&["--app", "demo", "--last", "1"], vec![&failed]),
        (&["--app", "demo", "--failed"], vec![&failed]),
        (&["--app", "demo", "--no-text"], vec![&open]),
        (&["--app", "demo", "--state", "open"], vec![&open]),
        (
            &["--all-apps", "--state", "open", "--state", "verified"],
            vec![&failed, &open],
        ),
        (
            &["--all-apps", "--digits", "+1 202 555-0100"],
            vec![&failed],
        ),
        (&["--all-apps", "--digits", "0101"], vec![]),
        (&["--all-apps", "--from", "2999-01-01T00:00:00Z"], vec![]),
        (&["--all-apps", "--to", "2000-01-01T00:00:00Z"], vec![]),
    ] {
        let found = list(filters);
        let ids = found.iter().map(|line| line.split("  ").next().unwrap());
        assert_eq!(ids.collect::<Vec<_>>(), expected, "{filters:?}");
        assert!(!found.concat().contains("12025550100"), "{found:?}");
    }
    let shown = list(&["--all-apps", "--failed", "--json"]);
    let shown: Value = serde_json::from_str(&shown[0]).unwrap();
    assert_eq!(shown["number"], "+1 202 ••• ••00");
    assert_eq!(shown["delivery"], "failed");
    let of_key = list(&["--status", "verified"]);
    assert!(of_key[0].contains("+1 202 ••• ••00"), "{of_key:?}");

    for refused in [
        &["--app", "nobody"][..],
        &["--app", "demo", "--all-apps"],
        &["--failed"],
        &["--app", "demo", "--state", "asleep"],
        &["--app", "demo", "--service", "http://127.0.0.1:1"],
        &["--app", "demo", "--digits", "x"],
        &["--state", "open", "--state", "verified"],
    ] {
        let output = countersign(data.path(), &[&["confirmations", "list"], refused].concat());
        assert!(!output.status.success(), "{refused:?}");
    }

    let browser = Browser::open(&server).await;
    browser.cancel().await;
    let logins = listed(
        data.path(),
        &["login", "list", "--all-apps", "--state", "cancelled"],
    );
    assert_eq!(logins.len(), 1, "{logins:?}");
    let logins = listed(data.path(), &["login", "list", "--app", "demo", "--failed"]);
    assert!(logins.is_empty(), "{logins:?}");
    // A stopped server's data has the same answers.
    drop(server);
    assert_eq!(list(&["--app", "demo"]).len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn operators_revoke_the_keys_of_a_lost_phone_at_once() {
    let data = data_dir();
    let server = Server::start(data.path());
    let phone = data.path().join("phone");
    let phone = ["phone", "--phone", phone.to_str().unwrap()];
    let create = ["keys", "create", "--public-user-id", "zoe", "--json"];
    let key = countersign(data.path(), &[&phone[..], &create].concat());
    let key: Value = serde_json::from_slice(&key.stdout).unwrap();
    let public = key["publicKey"].as_str().unwrap();
    asked(data.path(), &["app", "keys", "add", "demo", "zoe", public]);
    let unconfirmed = countersign(data.path(), &["app", "keys", "revoke-all", "demo", "zoe"]);
    assert!(!unconfirmed.status.success());
    let revoke = ["app", "keys", "revoke-all", "demo", "zoe", "--yes"];
    let revoked = asked(data.path(), &revoke);
    assert_eq!(revoked["keyIds"].as_array().unwrap().len(), 1);
    let keys = asked(data.path(), &["app", "keys", "list"]);
    assert_eq!(keys["items"], json!([]));
    let audit = asked(data.path(), &["audit", "--action", "revoke_user_keys"]);
    assert_eq!(audit[0]["details"], json!({ "public_user_id": "zoe" }));
    drop(server);
}
