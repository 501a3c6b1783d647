//! Replacing the secret from which the webhook secrets of apps derive.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Admin, AdminError, Data, ask, data};
use crate::data_dir::WEBHOOK_SECRET;
use crate::master_secret::MasterSecretError;
use crate::storage::{self, IfMissing};

async fn secrets(admin: &Admin) -> Vec<Value> {
    let shown = ask(admin, "app webhook-secret shop").await.unwrap();
    shown["webhookSecrets"].as_array().unwrap().clone()
}

async fn with_shop() -> (Data, Admin) {
    let data = data();
    let admin = Admin::of_storage(&data.storage, true, None);
    ask(&admin, "app create shop").await.unwrap();
    (data, admin)
}

#[tokio::test]
async fn each_app_has_a_secret_of_each_until_the_former_is_retired() {
    let (data, admin) = with_shop().await;
    let before = secrets(&admin).await;
    let replaced = ask(&admin, "webhook-secret replace").await.unwrap();
    assert_eq!(
        replaced,
        json!({"secretsInForce": 2, "apps": ["shop"], "unreadable": 0})
    );
    let both = secrets(&admin).await;
    assert_eq!(both.len(), 2);
    assert_eq!(both[1..], before);
    let third = ask(&admin, "webhook-secret replace").await;
    assert!(
        matches!(
            third,
            Err(AdminError::MasterSecret(MasterSecretError::Refused(_)))
        ),
        "{third:?}"
    );
    // An app can be in the middle of rotating its secret.
    ask(&admin, "app webhook-secret shop --rotate")
        .await
        .unwrap();
    let four = secrets(&admin).await;
    assert_eq!([&four[1], &four[3]], [&both[0], &both[1]]);

    let retired = ask(&admin, "webhook-secret retire").await.unwrap();
    assert_eq!(retired["secretsInForce"], 1);
    assert_eq!(secrets(&admin).await, four[..2]);
    let again = ask(&admin, "webhook-secret retire").await;
    assert!(again.is_err(), "{again:?}");
    let records = ask(&admin, "audit").await.unwrap();
    let actions = records.as_array().unwrap().iter();
    let actions: Vec<_> = actions.map(|record| &record["action"]).collect();
    assert!(
        actions.contains(&&json!("replace_master_secret")),
        "{actions:?}"
    );
    assert!(
        actions.contains(&&json!("retire_master_secret")),
        "{actions:?}"
    );

    // The same secrets must be in force after a restart.
    data.storage.items.close();
    let lock = data.dir.lock(Duration::ZERO).unwrap();
    let clock = Arc::new(countersign_system::clock::SystemClock);
    let storage = storage::open(&data.dir, &lock, IfMissing::Refused, clock).unwrap();
    let next = Admin::of_storage(&storage, true, None);
    assert_eq!(secrets(&next).await, four[..2]);
}

#[tokio::test]
async fn stopped_server_gets_a_secret_in_the_place_of_a_lost_or_unreadable_one() {
    let (data, admin) = with_shop().await;
    let before = secrets(&admin).await;
    data.storage.remember_files(&data.dir).await.unwrap();
    data.storage.items.close();
    let path = data.dir.path().join(WEBHOOK_SECRET);
    for (lose, advice) in [
        (
            (|path| fs::remove_file(path)) as fn(_) -> _,
            "webhook-secret replace",
        ),
        (
            |path: &std::path::PathBuf| fs::write(path, "short"),
            "is corrupt",
        ),
    ] {
        lose(&path).unwrap();
        let lock = data.dir.lock(Duration::ZERO).unwrap();
        let clock = || Arc::new(countersign_system::clock::SystemClock);
        let refused = storage::open(&data.dir, &lock, IfMissing::Refused, clock()).unwrap_err();
        assert!(refused.to_string().contains(advice), "{refused}");
        let opened = storage::open_store(&data.dir, &lock, IfMissing::Refused, clock()).unwrap();
        let admin = Admin::of_stopped(&opened, &data.dir).unwrap();
        // Commands that need no secret work.
        ask(&admin, "app show shop").await.unwrap();
        let shown = ask(&admin, "app webhook-secret shop").await.unwrap_err();
        assert!(shown.to_string().contains(advice), "{shown}");
        let replaced = ask(&admin, "webhook-secret replace").await.unwrap();
        assert_eq!(
            replaced,
            json!({"secretsInForce": 1, "apps": ["shop"], "unreadable": 0})
        );
        opened.items.close();
        let storage = storage::open(&data.dir, &lock, IfMissing::Refused, clock()).unwrap();
        let after = secrets(&Admin::of_storage(&storage, true, None)).await;
        assert_eq!(after.len(), 1);
        assert_ne!(after, before);
        storage.items.close();
    }
}
