//! Association keys of an app's users.

use countersign_domain::login::ClaimedUserId;
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
    let list = "app keys list shop zoe@example.com";
    assert_eq!(ask(&admin, list).await.unwrap(), serde_json::json!([added]));
    let lines = read(&admin, list).await;
    assert_eq!(lines[0], "KEY ID REGISTERED AT PUBLIC USER ID");
    assert!(lines[1].ends_with(" zoe@example.com"), "{lines:?}");
    let taken = ask(&admin, &format!("app keys add shop max {key}")).await;
    assert!(matches!(taken, Err(AdminError::Register(_))), "{taken:?}");
    let revoke = format!("app keys revoke shop {}", key.key_id());
    for _ in 0..2 {
        let revoked = ask(&admin, &revoke).await.unwrap();
        assert_eq!(revoked["keyId"], added["keyId"]);
    }
    assert_eq!(ask(&admin, list).await.unwrap(), serde_json::json!([]));
    assert!(ask(&admin, &add).await.is_err());
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
            .contains("countersign app keys list shop")
    );
}
