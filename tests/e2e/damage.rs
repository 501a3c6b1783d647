//! Serves, checks, backs up and restores a store with a corrupt part.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::support::{Receiver, Server, count_of, countersign, data_dir, deliver_text, until};

/// Flips a bit wherever the file contains the text.
fn damage(store: &Path, text: &str) {
    let mut bytes = fs::read(store).unwrap();
    let places: Vec<_> = (0..=bytes.len() - text.len())
        .filter(|at| &bytes[*at..*at + text.len()] == text.as_bytes())
        .collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at] ^= 1;
    }
    fs::write(store, &bytes).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_confirmation_harms_only_itself() {
    let folder = data_dir();
    let data = folder.path().join("data");
    let backup = folder.path().join("backup");
    let backup = backup.to_str().unwrap();
    let server = Server::start_with(&data, &["--validity", "1h"]);
    let receiver = Receiver::start().await;
    let mut started = Vec::new();
    for n in 0..5 {
        let request = json!({"callbackUrl": receiver.url, "metadata": {"note": format!("order-{n}-of-five")}});
        let answer = server
            .caller()
            .post("/acquire-phone-number", &request)
            .await
            .ok();
        let text = |name: &str| answer[name].as_str().unwrap().to_owned();
        started.push((text("confirmationId"), text("confirmationMessage")));
    }
    let whole = countersign(&data, &["backup", backup]);
    assert!(whole.status.success(), "{whole:?}");
    assert!(server.terminate().success());
    damage(&data.join("countersign.db"), "order-2-of-five");

    let server = Server::start_with(&data, &["--validity", "1h"]);
    let path = |n: usize| format!("/confirmations/{}", started[n].0);
    until("the look at the store to find the damage", async || {
        let health = server.anyone().get("/healthz").await;
        assert_eq!(health.status, 200);
        (health.json()["storage"] == "damaged").then_some(())
    })
    .await;
    assert!(count_of(&data, "store_damaged") > 0);
    assert_eq!(server.caller().get(&path(2)).await.status, 503);
    let listed = server.caller().get("/confirmations").await.ok();
    assert_eq!(listed["confirmations"].as_array().unwrap().len(), 4);
    for n in [1, 3] {
        deliver_text(
            &server.facts,
            &format!("text-{n}"),
            "+12025550100",
            &started[n].1,
        )
        .await
        .unwrap();
        assert_eq!(receiver.next().await.confirmation_id(), started[n].0);
    }

    // The backup reports what it lacks, and keeps the earlier backup that has the data.
    let lacking = countersign(&data, &["backup", backup]);
    assert_eq!(lacking.status.code(), Some(4), "{lacking:?}");
    let said = String::from_utf8(lacking.stderr).unwrap();
    assert!(said.contains("backup.earlier"), "{said}");
    let named: Vec<_> = said.lines().filter(|line| line.contains("CFM#")).collect();
    let [key] = named[..] else { panic!("{said}") };
    let key = key.trim();
    let elsewhere = folder.path().join("earlier");
    let restored = countersign(&elsewhere, &["restore", &format!("{backup}.earlier")]);
    let said = String::from_utf8(restored.stdout).unwrap();
    assert!(said.contains("5 confirmations"), "{said}");

    assert!(server.terminate().success());
    for args in [&["check"][..], &["check", "--repair"], &["check"]] {
        let checked = countersign(&data, args);
        assert_eq!(checked.status.code(), Some(1), "{checked:?}");
        let said = String::from_utf8(checked.stdout).unwrap();
        assert!(
            said.contains(key) && said.contains("4 confirmations"),
            "{said}"
        );
    }
    let elsewhere = folder.path().join("elsewhere");
    let restored = countersign(&elsewhere, &["restore", backup]);
    assert!(restored.status.success(), "{restored:?}");
    let server = Server::start(&elsewhere);
    for n in 0..5 {
        let status = if n == 2 { 404 } else { 200 };
        assert_eq!(server.caller().get(&path(n)).await.status, status, "{n}");
    }
}
