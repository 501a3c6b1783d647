//! Quotas of apps.

use serde_json::json;

use super::{ask, data, read};
use crate::admin::Admin;

#[tokio::test]
async fn quotas_are_set_shown_and_reset() {
    let data = data();
    let admin = Admin::of_storage(&data.storage, false, None);
    let create = "app create shop --sender +12025550199 --max-open-confirmations 3 \
                  --max-login-burst 7";
    let made = ask(&admin, create).await.unwrap();
    let lists = json!({"perMinute": 1_200, "burst": 1_200, "maxOpen": 32});
    assert_eq!(made["quotas"]["lists"], lists);
    let confirmations = json!({"perMinute": 1_200, "burst": 6_000, "maxOpen": 3});
    assert_eq!(made["quotas"]["confirmations"], confirmations);
    assert_eq!(made["quotas"]["logins"]["burst"], 7);

    let update = "app update shop --max-open-confirmations default --max-logins-per-minute 60 \
                  --max-confirmations-per-minute 1 --max-confirmation-burst 2 --max-open-logins 9 \
                  --max-association-keys-per-minute 4 --max-association-key-burst 5 \
                  --max-association-keys 6 --max-lists-per-minute 8 --max-list-burst 9 \
                  --max-lists-under-way 10";
    let changed = ask(&admin, update).await.unwrap();
    let quotas = json!({
        "confirmations": {"perMinute": 1, "burst": 2, "maxOpen": 100_000},
        "logins": {"perMinute": 60, "burst": 7, "maxOpen": 9},
        "associationKeys": {"perMinute": 4, "burst": 5, "maxOpen": 6},
        "lists": {"perMinute": 8, "burst": 9, "maxOpen": 10},
    });
    assert_eq!(changed["quotas"], quotas);
    assert_eq!(
        ask(&admin, "app show shop").await.unwrap()["quotas"],
        quotas
    );
    let shown = read(&admin, "app show shop").await.join("\n");
    assert!(
        shown.contains("logins\nper minute 60\nburst 7\nmax open 9"),
        "{shown}"
    );
}
