//! `POST /acquire-phone-number`.

use crate::host::{Host, SEND_TO};

#[tokio::test]
async fn two_acquisitions_share_no_secret() {
    let host = Host::new().await;
    let (one, other) = (host.acquire().await, host.acquire().await);
    assert_ne!(one["confirmationId"], other["confirmationId"]);
    assert_ne!(one["confirmationMessage"], other["confirmationMessage"]);
}

#[tokio::test]
async fn message_follows_the_apps_template() {
    let host = Host::new().await;
    host.change_app(|app| app.template = "Shop: {code}".parse().unwrap())
        .await;
    let session = host.acquire().await;
    let message = session["confirmationMessage"].as_str().unwrap();
    let code = message.strip_prefix("Shop: ").unwrap();
    let uri = &session["confirmationUri"];
    assert_eq!(uri["qr"], format!("smsto:{SEND_TO}:Shop: {code}"));
    assert_eq!(uri["android"], format!("smsto:{SEND_TO}:Shop%3A%20{code}"));
}

#[tokio::test]
async fn host_sets_the_validity() {
    let host = Host::with(|parts| parts.times.validity = std::time::Duration::from_secs(1)).await;
    let session = host.acquire().await;
    assert_eq!(session["expiresAt"], "2026-01-02T03:04:06.678Z");
}
