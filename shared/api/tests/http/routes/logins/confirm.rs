//! `POST /qr-sessions/{id}/confirm`.

use countersign_domain::app::login::PayloadEncryption;
use strum::VariantArray as _;

use crate::host::{Answer, Host};

/// Returns the detail of the problem of an unsuitable payload.
fn unsuitable(answer: &Answer) -> String {
    assert_eq!(answer.status, 422);
    let expected = ("payload_unsuitable".to_owned(), Some("/payload".to_owned()));
    assert_eq!(answer.code_at(), expected);
    answer.json()["detail"].as_str().unwrap().to_owned()
}

/// The id determines whether the payload is encrypted, whatever the app's current setting.
#[tokio::test]
async fn unsuitable_payload_changes_nothing() {
    let host = Host::new().await;
    let plain = host.scanned().await;
    let sealed = host.open_sealed().await;
    host.initiate(&sealed, 1, serde_json::json!({})).await;
    for &setting in PayloadEncryption::VARIANTS {
        host.change_app(|app| app.login.payload_encryption = setting)
            .await;
        let encrypted = host.confirm_sealed(&plain, 1).await;
        assert!(unsuitable(&encrypted).contains("has no key"));
        let readable = host.confirm(&sealed, 1, "yes").await;
        assert!(unsuitable(&readable).contains("has a key"));
    }
    for opened in [&plain, &sealed] {
        assert_eq!(host.state_of(opened).await, "scanned");
    }
    assert_eq!(host.confirm(&plain, 1, "yes").await.status, 200);
    assert_eq!(host.confirm_sealed(&sealed, 1).await.status, 200);
}
