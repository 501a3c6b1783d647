//! A stranger who knows a user's name: end-to-end tests.

use countersign_domain::login::risk::MAX_KNOWN_BROWSERS;
use serde_json::{Value, json};

use crate::host::{ABROAD, BROWSER, Host, Opened, PHONE};
use crate::routes::association_keys::{confirmation, private_key, register};

/// The browser from which an attacker relays codes.
const RELAY: &str = "203.0.113.99";

/// Opens a login of this browser under the name `zoe` on a phone at this address. Returns the codes of
/// the login's flags.
async fn opened(host: &Host, browser: &str, phone: &str) -> (Opened, Vec<Value>) {
    let opened = host.opened_at(browser, json!({})).await;
    let body = json!({"publicUserId": "zoe"});
    let answer = host.initiate_at(phone, &opened, 1, body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let session = answer.json()["session"].take();
    let flags = session["mobileTemplateResponse"]["flags"]
        .as_array()
        .unwrap();
    let codes = flags.iter().map(|flag| flag["code"].clone()).collect();
    (opened, codes)
}

/// Logs `zoe` in with her registered key.
async fn prove(host: &Host, browser: &str) {
    let (opened, _) = opened(host, browser, PHONE).await;
    let body = confirmation(&private_key(1), &opened);
    let answer = host.decide(&opened, 1, "confirm", body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

/// Confirms a stranger's own login under the name `zoe`.
async fn claim(host: &Host, browser: &str, phone: &str) {
    let (opened, _) = opened(host, browser, phone).await;
    let answer = host.confirm(&opened, 1, "yes").await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[tokio::test]
async fn strangers_neither_cause_nor_silence_warnings_about_a_verified_user() {
    let host = Host::new().await;
    register(&host, "zoe", 1).await;
    prove(&host, BROWSER).await;
    // More browsers than are remembered, on the other side of the world; the last one is hers.
    for n in 0..=MAX_KNOWN_BROWSERS {
        claim(&host, &format!("198.18.0.{n}"), ABROAD).await;
    }
    claim(&host, BROWSER, ABROAD).await;
    assert!(opened(&host, BROWSER, PHONE).await.1.is_empty());

    claim(&host, RELAY, PHONE).await;
    assert_eq!(opened(&host, RELAY, PHONE).await.1, ["new_browser"]);
}

/// The same attack works on a name without registered keys.
#[tokio::test]
async fn strangers_cause_and_silence_warnings_about_a_name_alone() {
    let host = Host::new().await;
    claim(&host, BROWSER, PHONE).await;
    claim(&host, BROWSER, ABROAD).await;
    assert_eq!(opened(&host, BROWSER, PHONE).await.1, ["too_fast"]);
    claim(&host, RELAY, PHONE).await;
    assert!(opened(&host, RELAY, PHONE).await.1.is_empty());
}
