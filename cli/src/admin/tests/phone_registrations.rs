//! Phone registrations as operators see them, and the keys that they make.

use countersign_conformance::samples;
use countersign_conformance::samples::association_keys::{of_phone, passkey};
use countersign_conformance::samples::phone_registrations::{accepted, registration, signed};
use countersign_domain::app::quota::Allowance;
use countersign_domain::login::{AssociationKey, KeyKind, PhoneRegistration};
use countersign_domain::store::StartRegistrationOutcome;

use super::confirmations::{Then, send};
use super::*;
use crate::admin::phone_registrations::ListPhoneRegistrations;

fn admin(data: &Data) -> Admin {
    Admin {
        clock: Arc::new(Then),
        ..Admin::of_storage(&data.storage, true, None)
    }
}

async fn start(admin: &Admin, item: &PhoneRegistration) {
    let started =
        admin
            .store
            .start_phone_registration(item.clone(), Allowance::Unlimited, samples::NOW);
    assert_eq!(started.await.unwrap(), StartRegistrationOutcome::Created);
}

#[tokio::test]
async fn registrations_of_a_user_are_listed_without_secrets() {
    let data = data();
    let admin = admin(&data);
    for app in ["bank", "shop"] {
        ask(&admin, &format!("app create {app}")).await.unwrap();
    }
    let digits = signed("shop", "zoe", 2, KeyKind::Browser);
    let test = PhoneRegistration {
        test: true,
        ..registration("bank", "zoe", 3)
    };
    let typed = accepted(signed("shop", "zoe", 4, passkey(true)));
    for item in [
        &registration("shop", "zoe", 1),
        &digits,
        &test,
        &typed,
        &registration("shop", "max", 5),
    ] {
        start(&admin, item).await;
    }
    let finished = admin
        .store
        .finish_phone_registration(typed, None, samples::NOW);
    let (done, _) = finished.await.unwrap();
    let list = async |line: &str| ask(&admin, line).await.unwrap()["items"].clone();
    let all = list("app phone-registrations list --user zoe").await;
    let all = all.as_array().unwrap();
    let states: Vec<_> = all
        .iter()
        .map(|item| {
            (
                item["app"].as_str().unwrap(),
                item["state"].as_str().unwrap(),
            )
        })
        .collect();
    let expected = [
        ("shop", "completed"),
        ("bank", "created"),
        ("shop", "signed"),
        ("shop", "created"),
    ];
    assert_eq!(states, expected);
    let of_shop = list("app phone-registrations list shop --user zoe").await;
    assert_eq!(of_shop.as_array().unwrap().len(), 3);
    let completed = json!({
        "id": done.id.to_string(),
        "app": "shop",
        "publicUserId": "zoe",
        "label": "Pixel 9",
        "state": "completed",
        "createdAt": "2026-01-02T03:04:05.678Z",
        "expiresAt": "2026-01-02T03:14:05.678Z",
        "endedAt": "2026-01-02T03:04:05.678Z",
        "browser": "Chrome on Android",
        "place": "Berlin, DE",
        "keyId": samples::association_keys::point(4).key_id().to_string(),
        "kind": "passkey",
        "delivery": "pending",
        "attempts": 0,
        "test": false,
    });
    assert_eq!(of_shop[0], completed);
    let shown = ask(&admin, &format!("app phone-registrations show {}", done.id)).await;
    assert_eq!(shown.unwrap(), completed);
    // What the phone shows, and what opens a registration, stays out.
    let members: Vec<_> = of_shop[1].as_object().unwrap().keys().collect();
    let expected = [
        "app",
        "browser",
        "createdAt",
        "expiresAt",
        "id",
        "label",
        "place",
        "publicUserId",
        "state",
        "test",
    ];
    assert_eq!(members, expected);
    let lines = read(&admin, "app phone-registrations list bank --user zoe").await;
    assert_eq!(lines[0], "APP ID CREATED AT STATE FAILURE BROWSER PLACE");
    assert!(lines[1].starts_with("bank phr_0303"), "{lines:?}");
    let nothing = read(&admin, "app phone-registrations list --user eve").await;
    assert_eq!(
        nothing,
        ["No phone of this user was set up in the last day"]
    );
    let everyone = serde_json::from_value::<ListPhoneRegistrations>(json!({ "app": "shop" }));
    assert!(everyone.is_err());
    let unknown = send::<ListPhoneRegistrations>(
        &admin,
        json!({ "app": "no-such-app", "public_user_id": "zoe" }),
    );
    assert!(matches!(unknown.await, Err(AdminError::UnknownApp(_))));
}

#[tokio::test]
async fn registration_under_way_is_cancelled_and_recorded() {
    let data = data();
    let admin = admin(&data);
    ask(&admin, "app create shop").await.unwrap();
    let opened = signed("shop", "zoe", 1, KeyKind::Browser);
    let typed = accepted(signed("shop", "zoe", 2, KeyKind::Browser));
    for item in [&opened, &typed] {
        start(&admin, item).await;
    }
    let cancel = async |id: &dyn std::fmt::Display| {
        ask(&admin, &format!("app phone-registrations cancel {id}")).await
    };
    for _ in 0..2 {
        let cancelled = cancel(&opened.id).await.unwrap();
        assert_eq!(
            (&cancelled["state"], &cancelled["failure"]),
            (&json!("failed"), &json!("cancelled"))
        );
    }
    let refused = cancel(&typed.id).await.unwrap_err().to_string();
    assert_eq!(
        refused,
        "it is completed: only a phone that is being set up can be cancelled"
    );
    let unknown = cancel(&registration("shop", "zoe", 3).id).await;
    assert!(
        matches!(unknown, Err(AdminError::Started(_))),
        "{unknown:?}"
    );
    let records = ask(
        &admin,
        "audit --action cancel_phone_registration --app shop",
    )
    .await;
    let records = records.unwrap();
    let mut found: Vec<_> = records
        .as_array()
        .unwrap()
        .iter()
        .map(|record| {
            (
                record["result"].as_str().unwrap(),
                record["details"]["id"].as_str().unwrap(),
            )
        })
        .collect();
    found.sort_unstable();
    let (opened, typed) = (opened.id.to_string(), typed.id.to_string());
    assert_eq!(
        found,
        [("done", &*opened), ("done", &*opened), ("refused", &*typed)]
    );
}

#[tokio::test]
async fn keys_say_where_they_are_and_why_they_cannot_be_used() {
    let data = data();
    let admin = admin(&data);
    ask(
        &admin,
        "app create shop --link-host login.shop.example --web-phone on",
    )
    .await
    .unwrap();
    for (n, kind) in [
        (1, KeyKind::Browser),
        (2, passkey(true)),
        (3, passkey(false)),
    ] {
        let key: AssociationKey = of_phone("shop", "zoe", n, kind, "Safari on iOS");
        let added = admin
            .store
            .register_association_key(key, Allowance::Unlimited, samples::NOW);
        added.await.unwrap().unwrap();
    }
    let found = async || {
        let keys = ask(&admin, "app keys list shop --user zoe").await.unwrap();
        let mut lines = read(&admin, "app keys list shop").await;
        lines.remove(0);
        let kinds = lines.iter().map(|line| {
            let (_, after) = line.split_once("Z ").unwrap();
            after.trim_end_matches(" zoe").to_owned()
        });
        let mut kinds: Vec<_> = kinds.collect();
        kinds.sort_unstable();
        (keys["items"].clone(), kinds)
    };
    let (keys, kinds) = found().await;
    let expected = [
        "browser · Safari on iOS",
        "passkey · Safari on iOS · on one device · login.shop.example",
        "passkey · Safari on iOS · synced · login.shop.example",
    ];
    assert_eq!(kinds, expected);
    let synced = keys
        .as_array()
        .unwrap()
        .iter()
        .find(|key| key["synced"] == true);
    let synced = synced.unwrap();
    assert_eq!(synced["kind"], "passkey");
    assert_eq!(synced["origin"], "https://login.shop.example");
    assert_eq!(synced["obstacle"], Value::Null);
    ask(
        &admin,
        "app update shop --link-host new.shop.example --web-phone-key passkey",
    )
    .await
    .unwrap();
    let (_, kinds) = found().await;
    let expected = [
        "browser · Safari on iOS · unusable: the app accepts passkeys only",
        "passkey · Safari on iOS · on one device · login.shop.example · unusable: not the app's link host",
        "passkey · Safari on iOS · synced · login.shop.example · unusable: not the app's link host",
    ];
    assert_eq!(kinds, expected);
}
