//! Association keys of an app's users.

use countersign_conformance::samples::phone_registrations::{accepted, registration, signed};
use countersign_domain::app::quota::Allowance;
use countersign_domain::login::phone_registration::SetupStatus;
use countersign_domain::login::{ClaimedUserId, KeyKind, PhoneRegistration};
use countersign_domain::store::StartRegistrationOutcome;
use countersign_proof::{AssociationPrivateKey, registration};

use super::*;

fn private_key(byte: u8) -> AssociationPrivateKey {
    AssociationPrivateKey::from_bytes(&[byte; 32]).unwrap()
}

#[tokio::test]
async fn key_is_added_listed_and_revoked() {
    let data = data();
    let admin = Admin::of_storage(&data.storage, true, None);
    ask(&admin, "app create shop").await.unwrap();
    let key = private_key(1).public_key();
    let add = format!("app keys add shop zoe@example.com {key}");
    let added = ask(&admin, &add).await.unwrap();
    assert_eq!(added["keyId"], key.key_id().to_string());
    assert_eq!(added["publicUserId"], "zoe@example.com");
    assert_eq!(ask(&admin, &add).await.unwrap(), added);
    let list = "app keys list shop --user zoe@example.com";
    let listed = async |line: &str| ask(&admin, line).await.unwrap()["items"].clone();
    for list in [list, "app keys list shop", "app keys list"] {
        assert_eq!(listed(list).await, json!([added]), "{list}");
    }
    let lines = read(&admin, list).await;
    assert_eq!(lines[0], "APP KEY ID REGISTERED AT KIND PUBLIC USER ID");
    assert!(lines[1].ends_with(" app zoe@example.com"), "{lines:?}");
    let taken = ask(&admin, &format!("app keys add shop max {key}")).await;
    assert!(matches!(taken, Err(AdminError::Register(_))), "{taken:?}");
    let revoke = format!("app keys revoke shop {}", key.key_id());
    for _ in 0..2 {
        let revoked = ask(&admin, &revoke).await.unwrap();
        assert_eq!(revoked["keyId"], added["keyId"]);
    }
    for list in [list, "app keys list shop", "app keys list"] {
        assert_eq!(listed(list).await, json!([]), "{list}");
    }
    assert!(ask(&admin, &add).await.is_err());
}

#[tokio::test]
async fn keys_of_all_apps_are_listed_page_by_page() {
    let data = data();
    let admin = Admin::of_storage(&data.storage, true, None);
    let mut expected = Vec::new();
    for (app, bytes) in [("bank", 1..4), ("shop", 4..8)] {
        ask(&admin, &format!("app create {app}")).await.unwrap();
        for byte in bytes {
            let key = private_key(byte).public_key();
            let add = format!("app keys add {app} user-{byte} {key}");
            expected.push(ask(&admin, &add).await.unwrap());
        }
    }
    expected.sort_by_key(|key| (key["app"].to_string(), key["keyId"].to_string()));
    let (mut found, mut after) = (Vec::new(), String::new());
    loop {
        let page = ask(&admin, &format!("app keys list --limit 2{after}"))
            .await
            .unwrap();
        found.extend(page["items"].as_array().unwrap().clone());
        assert_eq!(page["complete"], page["next"].is_null());
        let Some(next) = page["next"].as_str() else {
            break;
        };
        after = format!(" --after {next}");
    }
    assert_eq!(found, expected);
    let of_nobody = ask(&admin, "app keys list --user user-9").await.unwrap();
    assert_eq!(of_nobody["items"], json!([]));
    let of_one = ask(&admin, "app keys list --user user-5").await.unwrap();
    assert_eq!(of_one["items"][0]["publicUserId"], "user-5");
}

#[tokio::test]
async fn all_keys_of_a_user_are_revoked_in_one_recorded_step() {
    let data = data();
    let admin = Admin::of_storage(&data.storage, true, None);
    ask(&admin, "app create shop").await.unwrap();
    for (byte, user) in [(1, "zoe"), (2, "zoe"), (3, "max")] {
        let key = private_key(byte).public_key();
        let add = format!("app keys add shop {user} {key}");
        ask(&admin, &add).await.unwrap();
    }
    let unconfirmed = Cli::try_parse_from("countersign app keys revoke-all shop zoe".split(' '));
    assert!(unconfirmed.is_err());
    let revoke = "app keys revoke-all shop zoe --yes";
    let revoked = ask(&admin, revoke).await.unwrap();
    assert_eq!(revoked["keyIds"].as_array().unwrap().len(), 2);
    let left = ask(&admin, "app keys list shop").await.unwrap();
    assert_eq!(left["items"].as_array().unwrap().len(), 1);
    assert_eq!(left["items"][0]["publicUserId"], "max");
    let again = read(&admin, revoke).await;
    assert_eq!(again, ["The user had no active keys"]);
    let records = ask(&admin, "audit --action revoke_user_keys")
        .await
        .unwrap();
    assert_eq!(records.as_array().unwrap().len(), 2);
    assert_eq!(records[0]["app"], "shop");
    assert_eq!(records[0]["details"], json!({ "public_user_id": "zoe" }));
}

#[tokio::test]
async fn phones_that_are_being_set_up_get_no_key_after_all_keys_are_revoked() {
    let data = data();
    let admin = Admin::of_storage(&data.storage, true, None);
    ask(&admin, "app create shop").await.unwrap();
    let (store, now) = (&admin.store, admin.clock.now());
    let start = async |item: PhoneRegistration| {
        let item = PhoneRegistration {
            created_at: now,
            purge_at: PhoneRegistration::kept_until(now),
            ..item
        };
        let started = store.start_phone_registration(item, Allowance::Unlimited, now);
        assert_eq!(started.await.unwrap(), StartRegistrationOutcome::Created);
    };
    let (opened, typed, others) = (
        signed("shop", "zoe", 1, KeyKind::Browser),
        accepted(signed("shop", "zoe", 2, KeyKind::Browser)),
        registration("shop", "max", 3),
    );
    for item in [&opened, &typed, &others] {
        start(item.clone()).await;
    }
    let revoked = ask(&admin, "app keys revoke-all shop zoe --yes")
        .await
        .unwrap();
    assert_eq!(revoked["cancelledRegistrations"], 1);
    // The user had typed the digits of this phone, so it had a key.
    assert_eq!(revoked["keyIds"].as_array().unwrap().len(), 1);
    let status = async |item: &PhoneRegistration| {
        let found = store.find::<PhoneRegistration>(item.id, now).await;
        found.unwrap().unwrap().status(now)
    };
    assert_eq!(status(&opened).await, SetupStatus::Failed);
    assert_eq!(status(&typed).await, SetupStatus::Completed);
    assert_eq!(status(&others).await, SetupStatus::Created);
    let left = ask(&admin, "app keys list shop").await.unwrap();
    assert_eq!(left["items"], json!([]));
    start(registration("shop", "zoe", 4)).await;
    let said = read(&admin, "app keys revoke-all shop zoe --yes").await;
    let expected = [
        "The user had no active keys",
        "1 phone registration cancelled",
    ];
    assert_eq!(said, expected);
}

#[tokio::test]
async fn possession_is_shown_where_proofs_are_required() {
    let data = data();
    let admin = Admin::of_storage(&data.storage, true, None);
    let app = ask(&admin, "app create shop --require-proof true")
        .await
        .unwrap();
    let app_key = app["appKey"].as_str().unwrap().parse().unwrap();
    let (key, user) = (private_key(1), "zoe".parse::<ClaimedUserId>().unwrap());
    let add = format!("app keys add shop zoe {}", key.public_key());
    assert!(ask(&admin, &add).await.is_err());
    let signature = registration::sign(&key, &app_key, &user);
    let added = ask(&admin, &format!("{add} --signature {signature}")).await;
    assert_eq!(added.unwrap()["publicUserId"], "zoe");
}

#[tokio::test]
async fn unknown_app_and_unknown_key_are_named() {
    let data = data();
    let admin = Admin::of_storage(&data.storage, true, None);
    let key = private_key(1).public_key();
    let unknown = ask(&admin, &format!("app keys add shop zoe {key}")).await;
    assert!(matches!(unknown, Err(AdminError::UnknownApp(_))));
    ask(&admin, "app create shop").await.unwrap();
    let revoke = format!("app keys revoke shop {}", key.key_id());
    let unknown = ask(&admin, &revoke).await.unwrap_err();
    assert!(
        unknown
            .to_string()
            .contains("countersign app keys list shop --user USER")
    );
}
