//! `countersign phone open` against the real server.

use serde_json::Value;

use crate::support::{Browser, Server, countersign, data_dir};

#[tokio::test(flavor = "multi_thread")]
async fn only_the_browser_reads_the_payload() {
    let data = data_dir();
    let server = Server::start(data.path());
    let browser = Browser::open(&server).await;
    let words = [
        "--confirm",
        "--payload",
        "a token",
        "--public-user-id",
        "zoe",
        "--json",
    ];
    let words = [&["phone", "open", &browser.url], &words[..]].concat();
    let output = countersign(data.path(), &words);
    assert!(output.status.success(), "{output:?}");
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told["decision"], "confirmed");
    assert_eq!(told["encrypted"], true);

    assert_eq!(browser.payload().await, "a token");
}

#[tokio::test(flavor = "multi_thread")]
async fn login_stays_undecided_without_a_terminal() {
    let data = data_dir();
    let server = Server::start(data.path());
    let browser = Browser::open(&server).await;
    let undecided = countersign(data.path(), &["phone", "open", &browser.url]);
    assert_eq!(undecided.status.code(), Some(3), "{undecided:?}");
    let screen = String::from_utf8(undecided.stdout).unwrap();
    assert!(screen.contains(&server.facts.url), "{screen}");
    assert_eq!(browser.state().await, "scanned");

    let again = countersign(data.path(), &["phone", "open", &browser.url, "--confirm"]);
    assert_eq!(again.status.code(), Some(1));
    let complaint = String::from_utf8(again.stderr).unwrap();
    assert!(complaint.contains("(second_phone)"), "{complaint}");
    assert_eq!(browser.state().await, "blocked");
}

#[tokio::test(flavor = "multi_thread")]
async fn denial_ends_the_login() {
    let data = data_dir();
    let server = Server::start(data.path());
    let browser = Browser::open(&server).await;
    let denied = countersign(data.path(), &["phone", "open", &browser.url, "--deny"]);
    assert!(denied.status.success(), "{denied:?}");
    assert_eq!(browser.state().await, "denied");
}
