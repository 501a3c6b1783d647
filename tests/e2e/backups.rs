//! Backups of a running server that are restored elsewhere.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Output;

use serde_json::json;

use crate::support::{ClosedReceiver, Receiver, Server, countersign, data_dir, deliver_text};

fn run(data: &Path, command: &str, file: &Path) -> Output {
    countersign(data, &[command, file.to_str().unwrap()])
}

fn succeeded(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn backup_of_a_running_server_restores_elsewhere() {
    let folder = data_dir();
    let data = folder.path().join("data");
    let file = folder.path().join("backup");
    let server = Server::start_with(&data, &["--validity", "1h"]);
    let receiver = Receiver::start().await;
    let (delivered, message) = server.acquire(&receiver.url).await;
    deliver_text(&server.facts, "text-1", "+12025550100", &message)
        .await
        .unwrap();
    receiver.next().await;
    server.delivered(&delivered).await;
    let (open, message) = server.acquire(&receiver.url).await;

    succeeded(&run(&data, "backup", &file));
    let mode = fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let found = succeeded(&run(&data, "check", &file));
    assert!(found.contains("2 confirmations"), "{found}");
    // The server keeps running, so the backup lacks everything that is created later.
    let (later, _) = server.acquire(&receiver.url).await;
    let key = server.anyone().get("/public-key").await.body;
    let facts = server.facts.clone();
    server.kill();

    let elsewhere = folder.path().join("elsewhere");
    let said = succeeded(&run(&elsewhere, "restore", &file));
    assert!(said.contains("0 webhooks are owed"), "{said}");
    let refused = run(&elsewhere, "restore", &file);
    assert!(!refused.status.success());
    let found = succeeded(&countersign(&elsewhere, &["check"]));
    assert!(found.contains("Nothing is damaged"), "{found}");

    let server = Server::start(&elsewhere);
    assert_eq!(server.facts.api_key, facts.api_key);
    assert_eq!(server.facts.inbound_secret, facts.inbound_secret);
    assert_eq!(server.anyone().get("/public-key").await.body, key);
    let status = async |id: &str| server.caller().get(&format!("/confirmations/{id}")).await;
    assert_eq!(status(&delivered).await.ok()["status"], "verified");
    assert_eq!(status(&later).await.status, 404);
    deliver_text(&server.facts, "text-2", "+12025550100", &message)
        .await
        .unwrap();
    let webhook = receiver.next().await;
    assert_eq!(webhook.confirmation_id(), open);
    webhook.verify(&server.anyone()).await;
}

/// A webhook that was pending when the backup was made is sent again under its id.
#[tokio::test(flavor = "multi_thread")]
async fn webhook_owed_in_the_backup_is_sent_again_under_its_id() {
    let folder = data_dir();
    let data = folder.path().join("data");
    let file = folder.path().join("backup");
    let server = Server::start_with(&data, &["--validity", "1h"]);
    // The webhook stays pending while this is closed.
    let closed = ClosedReceiver::new();
    let (id, message) = server.acquire(&closed.url).await;
    deliver_text(&server.facts, "text-1", "+12025550100", &message)
        .await
        .unwrap();
    succeeded(&run(&data, "backup", &file));
    let receiver = closed.open();
    server.kill();
    let server = Server::start(&data);
    let first = receiver.next().await;
    server.delivered(&id).await;
    server.kill();

    let elsewhere = folder.path().join("elsewhere");
    let said = succeeded(&run(&elsewhere, "restore", &file));
    assert!(said.contains("1 webhooks are owed"), "{said}");
    let server = Server::start(&elsewhere);
    let again = receiver.next().await;
    assert_eq!(again.confirmation_id(), id);
    assert_eq!(again.id(), first.id());
    server.delivered(&id).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn damage_is_found_and_a_damaged_backup_is_refused() {
    let folder = data_dir();
    let data = folder.path().join("data");
    let file = folder.path().join("backup");
    let server = Server::start(&data);
    let running = countersign(&data, &["check"]);
    assert!(!running.status.success());
    let said = String::from_utf8(running.stderr).unwrap();
    assert!(said.contains("countersign backup"), "{said}");
    assert!(server.terminate().success());
    // The check gives the same result if no server is running.
    succeeded(&run(&data, "backup", &file));
    succeeded(&countersign(&data, &["check"]));

    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, &bytes).unwrap();
    let checked = run(&data, "check", &file);
    assert!(!checked.status.success(), "{checked:?}");
    let elsewhere = folder.path().join("elsewhere");
    let refused = run(&elsewhere, "restore", &file);
    assert!(!refused.status.success(), "{refused:?}");
    Server::start(&elsewhere);

    // Change a digit in the store itself.
    let store = data.join("countersign.db");
    let mut bytes = fs::read(&store).unwrap();
    let places: Vec<_> = (0..bytes.len() - 12)
        .filter(|at| &bytes[*at..*at + 12] == b"+12025550199")
        .collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at + 11] = b'8';
    }
    fs::write(&store, &bytes).unwrap();
    let checked = countersign(&data, &["check"]);
    assert!(!checked.status.success(), "{checked:?}");
    let said = String::from_utf8(checked.stdout).unwrap();
    assert!(said.contains("NOT sound"), "{said}");
}

/// Restoring the backup brings back data that was erased after it was made; the data must then be
/// erased again.
#[tokio::test(flavor = "multi_thread")]
async fn redactions_are_repeated_after_a_restore() {
    let folder = data_dir();
    let data = folder.path().join("data");
    let file = folder.path().join("backup");
    let server = Server::start(&data);
    let receiver = Receiver::start().await;
    let mut ids = Vec::new();
    for n in 0..3 {
        let (id, message) = server.acquire(&receiver.url).await;
        deliver_text(
            &server.facts,
            &format!("text-{n}"),
            "+12025550100",
            &message,
        )
        .await
        .unwrap();
        receiver.next().await;
        server.delivered(&id).await;
        ids.push(id);
    }
    succeeded(&run(&data, "backup", &file));
    for id in &ids[1..] {
        let path = format!("/confirmations/{id}/redact");
        server.caller().post(&path, &json!({})).await.ok();
    }
    let (later, _) = server.acquire(&receiver.url).await;
    server.kill();
    let lines = succeeded(&countersign(&data, &["redactions", "list"]));
    assert_eq!(lines.lines().count(), 2, "{lines}");

    let elsewhere = folder.path().join("elsewhere");
    succeeded(&run(&elsewhere, "restore", &file));
    let server = Server::start(&elsewhere);
    let number = async |id: &str| {
        let found = server.caller().get(&format!("/confirmations/{id}")).await;
        found.ok()["phoneNumber"].clone()
    };
    for id in &ids {
        assert_eq!(number(id).await, "+12025550100");
    }
    // One confirmation that is not in the backup, and one that is still open in it.
    let (open, _) = server.acquire(&receiver.url).await;
    let app = lines.split(' ').next().unwrap();
    let given = folder.path().join("redactions.txt");
    fs::write(&given, format!("{lines}{app} {later}\n")).unwrap();
    let repeat = ["redactions", "repeat", given.to_str().unwrap()];
    let said = succeeded(&countersign(&elsewhere, &repeat));
    assert!(said.contains("2 redacted, 1 not there"), "{said}");
    assert_eq!(number(&ids[0]).await, "+12025550100");
    for id in &ids[1..] {
        assert_eq!(number(id).await, json!(null));
    }
    let said = succeeded(&countersign(&elsewhere, &["audit"]));
    let is_record = |line: &str| {
        let mut words = line.split_whitespace();
        words.any(|word| word == "repeat_redactions") && words.any(|word| word == "redactions=3")
    };
    assert!(said.lines().any(is_record), "{said}");

    fs::write(&given, format!("{app} {open}\n")).unwrap();
    let later = countersign(&elsewhere, &repeat);
    assert!(!later.status.success());
    let said = String::from_utf8(later.stdout).unwrap();
    assert!(said.contains(&open), "{said}");
    fs::write(&given, "no line of ours").unwrap();
    let refused = countersign(&elsewhere, &repeat);
    assert!(
        String::from_utf8(refused.stderr)
            .unwrap()
            .contains("line 1")
    );
}
