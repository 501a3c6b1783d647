use std::sync::atomic::{AtomicU64, Ordering};

use countersign_domain::primitives::time::{Clock, Timestamp};
use serde_json::json;

use super::*;
use crate::admin::AdminError;

/// A clock that advances with each reading, so that no two records have the same time.
struct EachLater(AtomicU64);

impl Clock for EachLater {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

#[tokio::test]
async fn each_change_is_recorded_with_who_made_it_and_what_became_of_it() {
    let data = data();
    let admin = Admin {
        clock: Arc::new(EachLater(AtomicU64::new(1_767_323_045_678))),
        ..Admin::of_storage(&data.storage, false, None)
    };
    let made = ask(
        &admin,
        "app create shop --sender +12025550199 --max-open-logins 5",
    );
    let made = made.await.unwrap();
    for line in [
        "app list",
        "app show shop",
        "key list shop",
        "signing-key list",
    ] {
        ask(&admin, line).await.unwrap();
    }
    ask(&admin, "app create shop --sender +12025550100")
        .await
        .unwrap_err();
    let key = ask(&admin, "key issue shop").await.unwrap();
    let key_id = key["keyId"].as_str().unwrap();
    ask(&admin, &format!("key revoke shop {key_id}"))
        .await
        .unwrap();
    ask(
        &admin,
        "app update shop --no-callback-url --origin https://shop.example",
    )
    .await
    .unwrap();
    let rotated = ask(&admin, "signing-key rotate").await.unwrap();

    let records = ask(&admin, "audit").await.unwrap();
    let records = records.as_array().unwrap();
    assert!(
        records
            .iter()
            .all(|record| record["by"] == "anna" && record["at"].is_string())
    );
    let told = records.iter().map(|record| {
        json!([
            record["action"],
            record["app"],
            record["details"],
            record["result"],
            record["keyId"]
        ])
    });
    assert_eq!(
        told.rev().collect::<Vec<_>>(),
        [
            json!(["create_app", "shop", {"senders": ["+12025550199"], "max_open_logins": "5"}, "done", made["keyId"]]),
            json!(["create_app", "shop", {"senders": ["+12025550100"]}, "refused", null]),
            json!(["issue_key", "shop", {}, "done", key_id]),
            json!(["revoke_key", "shop", {"key": key_id}, "done", null]),
            json!(["update_app", "shop", {"no_callback_url": true, "origins": ["https://shop.example"]}, "done", null]),
            json!(["rotate_signing_key", null, {}, "done", rotated[0]["keyId"]]),
        ]
    );
    assert_eq!(
        records[4]["reason"],
        "an app called shop already exists; `countersign app update shop` changes it"
    );
    let of_shop = ask(&admin, "audit --app shop --last 2").await.unwrap();
    assert_eq!(of_shop, json!([records[1], records[2]]));
    for (filters, found) in [
        ("--action update_app", json!([records[1]])),
        (
            "--by ANN --action create_app",
            json!([records[4], records[5]]),
        ),
        (
            "--by anna --action create_app --last 1",
            json!([records[4]]),
        ),
        ("--by ben", json!([])),
    ] {
        let answer = ask(&admin, &format!("audit {filters}")).await.unwrap();
        assert_eq!(answer, found, "{filters}");
    }
    let lines = read(&admin, "audit --last 3").await;
    assert_eq!(lines[0], "AT BY ACTION APP RESULT KEY ID DETAILS REASON");
    let without_time = |line: &String| line.split_once(' ').unwrap().1.to_owned();
    assert_eq!(
        lines[1..].iter().map(without_time).collect::<Vec<_>>(),
        [
            format!(
                "anna rotate_signing_key none done {} none none",
                rotated[0]["keyId"].as_str().unwrap()
            ),
            "anna update_app shop done none no_callback_url=yes origins=https://shop.example none"
                .to_owned(),
            format!("anna revoke_key shop done none key={key_id} none"),
        ]
    );
}

#[tokio::test]
async fn nothing_changes_that_cannot_be_recorded() {
    let data = data();
    let admin = Admin::of_storage(&data.storage, false, None);
    data.storage.items.close();
    let refused = ask(&admin, "signing-key rotate").await;
    assert!(
        matches!(refused, Err(AdminError::Unavailable(_))),
        "{refused:?}"
    );
    let keys = ask(&admin, "signing-key list").await.unwrap();
    assert_eq!(keys.as_array().unwrap().len(), 1);
}
