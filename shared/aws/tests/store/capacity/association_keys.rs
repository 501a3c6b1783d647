//! The calls and the write capacity that association keys cost.

use countersign_conformance::samples::association_keys::{association_key, user};
use countersign_conformance::samples::{NOW, app_id};
use countersign_domain::app::quota::{Allowance, Quota};
use countersign_domain::login::MAX_KEYS;
use countersign_domain::login::association_key::store::AssociationKeyStore;
use countersign_domain::login::association_key::transitions::{RegisterOutcome, RevokeOutcome};

use super::measured;

#[tokio::test]
async fn association_key_costs_three_units_and_its_revocation_two() {
    let Some((store, meter)) = measured("the cost of association keys in DynamoDB").await else {
        return;
    };
    let longest = "a".repeat(256);
    let key = association_key("shop", &longest, 0);
    let quota = Allowance::Within(Quota::ASSOCIATION_KEYS);
    let register = async |key| store.register_within(key, quota, NOW).await.unwrap();
    let outcome = register(key.clone()).await;
    assert_eq!(outcome, RegisterOutcome::Registered);
    assert_eq!(meter.writes(), [1.0, 1.0, 1.0], "register");
    let outcome = register(key.clone()).await;
    assert_eq!(outcome, RegisterOutcome::Repeated);
    assert!(meter.writes().is_empty(), "repeat");
    meter.reads();
    store.find_key(&key.app, key.id).await.unwrap();
    assert_eq!(meter.reads(), [1.0], "find");
    store.list(&key.app, &user(&longest)).await.unwrap();
    assert_eq!(meter.reads(), [1.0, 1.0], "list");

    let outcome = store.revoke(&key.app, key.id, NOW).await.unwrap();
    assert_eq!(outcome, RevokeOutcome::Revoked);
    assert_eq!(meter.writes(), [1.0, 1.0], "revoke");
    let most = u8::try_from(MAX_KEYS).unwrap();
    for n in 1..=most {
        register(association_key("shop", &longest, n)).await;
        // The list stays below one unit even if it is full.
        assert_eq!(meter.writes(), [1.0, 1.0, 1.0], "key {n}");
    }
    let listed = store.list(&app_id("shop"), &user(&longest)).await.unwrap();
    assert_eq!(listed.len(), MAX_KEYS);
}
