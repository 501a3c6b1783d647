use std::time::Duration;

use countersign_domain::delivery::ClaimOutcome;
use countersign_domain::login::PhoneRegistration;
use countersign_domain::web::callback_url::CallbackUrl;
use serde_json::{Value, json};

use super::world::{Setup, host, on, phone, shared, software_key, test_key, wrong};
use crate::host::{Host, asked};
use crate::routes::association_keys::private_key;

#[tokio::test]
async fn phone_is_set_up() {
    let host = host().await;
    let body = json!({"publicUserId": "zoe", "label": " Zoë Example "});
    let created = host.create_with(&host.key, &body).await;
    assert_eq!(created.header("cache-control"), Some("no-store"));
    let setup = Setup::from_answer(&created);
    let json = created.json();
    let url = format!(
        "https://login.shop.example/phone-setup#{}.{}",
        setup.id, setup.secret
    );
    assert_eq!(json["url"], url);
    assert_eq!(
        (json["expiresIn"].clone(), setup.secret.len()),
        (json!(600), 22)
    );
    let expected = json!({
        "state": "created", "expiresAt": json["expiresAt"], "expiresIn": 600,
        "serverTime": json["serverTime"], "publicUserId": "zoe", "label": "Zoë Example",
    });
    assert_eq!(host.seen(&setup).await, expected);

    let opened = host.open_link(&setup, 1).await.json();
    assert_eq!(
        opened["app"],
        json!({"name": "demo", "key": Host::app_key().as_str()})
    );
    for (name, value) in [
        ("publicUserId", json!("zoe")),
        ("label", json!("Zoë Example")),
        ("key", json!("any")),
        ("rpId", json!("login.shop.example")),
        ("origin", json!("https://login.shop.example")),
        ("excludeCredentials", json!([])),
    ] {
        assert_eq!(opened[name], value, "{name}");
    }
    assert_eq!(opened["userHandle"].as_str().map(str::len), Some(43));
    assert_eq!(
        host.open_link(&setup, 1).await.json(),
        opened,
        "the same phone repeats it"
    );

    let key = software_key(1, "zoe");
    let signed = host.sign(&setup, 1, &key).await;
    let digits = signed.json()["digits"].as_str().unwrap().to_owned();
    assert_eq!(host.sign(&setup, 1, &key).await.json(), signed.json());
    let watched = host
        .device(&setup.page_token, "GET", &setup.path(""), None)
        .await;
    let watched = watched.json();
    assert_eq!(watched["state"], "signed");
    let device = json!({"browser": "Chrome on Android", "location": "Berlin, DE"});
    assert_eq!(watched["device"], device);
    for hidden in ["publicUserId", "label", "digits", "keyId"] {
        assert_eq!(watched[hidden], Value::Null, "{hidden}");
    }
    assert_eq!(
        host.keys_of("zoe").await.len(),
        0,
        "the key is not active yet"
    );

    for _ in 0..2 {
        assert_eq!(host.type_digits(&setup, &digits).await.status, 204);
    }
    let seen = host.seen(&setup).await;
    let id = private_key(1).public_key().key_id().to_string();
    assert_eq!(
        (&seen["state"], &seen["kind"]),
        (&json!("completed"), &json!("browser"))
    );
    assert_eq!(seen["keyId"], json!(id));
    let keys = host.keys_of("zoe").await;
    assert_eq!(
        (&keys[0]["keyId"], &keys[0]["kind"]),
        (&json!(id), &json!("browser"))
    );
    assert_eq!(
        (&keys[0]["label"], keys.len()),
        (&json!("Chrome on Android"), 1)
    );
    let told = host.device(&phone(1), "GET", &setup.path(""), None).await;
    assert_eq!(
        told.json()["state"],
        "completed",
        "the phone learns it, too"
    );
}

#[tokio::test]
async fn app_gets_a_webhook() {
    let host = Host::new().await;
    let hook = "https://shop.example/logins";
    host.change_app(|app| {
        on(app);
        app.login.callback = CallbackUrl::from_stored(hook).ok();
    })
    .await;
    let setup = host.set_up().await;
    let digits = host.digits_of(&setup, 1).await;
    host.type_digits(&setup, &digits).await;
    let seen = host.seen(&setup).await;
    let stored: Vec<PhoneRegistration> = host.stored();
    let claimed = host.store.claim(stored[0].id.into(), 0, host.clock.get());
    let ClaimOutcome::Claimed(claimed) = claimed.await.unwrap() else {
        panic!("no webhook is due");
    };
    let body = claimed.body.unwrap().into_text();
    let body: Value = serde_json::from_str(&body).unwrap();
    let expected = json!({
        "event": "phone.registered", "registrationId": setup.id, "publicUserId": "zoe",
        "keyId": seen["keyId"], "kind": "browser", "label": "Chrome on Android",
        "timestamp": seen["serverTime"],
    });
    assert_eq!((body, claimed.callback.as_str()), (expected, hook));
}

#[tokio::test]
async fn digits_have_three_tries() {
    let host = host().await;
    let setup = host.set_up().await;
    let early = host.type_digits(&setup, "42").await;
    assert_eq!(
        (early.status.as_u16(), early.code()),
        (409, "registration_not_signed".to_owned())
    );
    let digits = host.digits_of(&setup, 1).await;
    let malformed = host.type_digits(&setup, "4").await;
    let expected = (
        "check_code_malformed".to_owned(),
        Some("/digits".to_owned()),
    );
    assert_eq!(
        (malformed.status.as_u16(), malformed.code_at()),
        (422, expected)
    );
    for (n, left) in [(0, 2), (0, 2), (1, 1)] {
        let answer = host.type_digits(&setup, &wrong(&digits, n)).await;
        assert_eq!(
            (answer.status.as_u16(), answer.code()),
            (403, "check_code_wrong".to_owned())
        );
        assert_eq!(answer.json()["triesLeft"], left);
    }
    for typed in [wrong(&digits, 2), digits] {
        let answer = host.type_digits(&setup, &typed).await;
        assert_eq!(
            (answer.status.as_u16(), answer.code()),
            (409, "registration_failed".to_owned())
        );
    }
    let seen = host.seen(&setup).await;
    assert_eq!(
        (&seen["state"], &seen["failure"]),
        (&json!("failed"), &json!("wrong_digits"))
    );
    assert_eq!(host.keys_of("zoe").await.len(), 0);
}

#[tokio::test]
async fn registration_expires_after_ten_minutes() {
    let host = host().await;
    let setup = host.set_up().await;
    let digits = host.digits_of(&setup, 1).await;
    host.clock.advance(Duration::from_mins(10));
    for answer in [
        host.open_link(&setup, 1).await,
        host.sign(&setup, 1, &software_key(1, "zoe")).await,
        host.type_digits(&setup, &digits).await,
        host.device(&setup.page_token, "DELETE", &setup.path(""), None)
            .await,
    ] {
        assert_eq!(
            (answer.status.as_u16(), answer.code()),
            (410, "registration_expired".to_owned())
        );
    }
    assert_eq!(host.seen(&setup).await["state"], "expired");
    assert_eq!(host.keys_of("zoe").await.len(), 0);
    host.clock.advance(Duration::from_hours(24));
    let gone = host.call("GET", &setup.path(""), None).await;
    assert_eq!(
        (gone.status.as_u16(), gone.code()),
        (404, "registration_not_found".to_owned())
    );
}

#[tokio::test]
async fn each_party_may_cancel() {
    let host = host().await;
    for party in ["server", "page", "phone"] {
        let setup = host.set_up().await;
        let digits = host.digits_of(&setup, 1).await;
        for _ in 0..2 {
            let cancelled = match party {
                "server" => host.call("DELETE", &setup.path(""), None).await,
                "page" => {
                    host.device(&setup.page_token, "DELETE", &setup.path(""), None)
                        .await
                }
                _ => {
                    host.device(&phone(1), "DELETE", &setup.path(""), None)
                        .await
                }
            };
            assert_eq!(cancelled.status, 204, "{party}");
        }
        assert_eq!(host.seen(&setup).await["failure"], "cancelled");
        let late = host.type_digits(&setup, &digits).await;
        assert_eq!(late.code(), "registration_cancelled");
    }
    let setup = host.set_up().await;
    let digits = host.digits_of(&setup, 1).await;
    host.type_digits(&setup, &digits).await;
    let late = host.call("DELETE", &setup.path(""), None).await;
    assert_eq!(
        (late.status.as_u16(), late.code()),
        (409, "registration_completed".to_owned())
    );
}

#[tokio::test]
async fn test_key_sets_up_a_phone_of_tests() {
    let host = shared().await;
    let test = test_key(&host).await;
    let created = host
        .create_with(&test, &json!({"publicUserId": "zoe"}))
        .await;
    let setup = Setup::from_answer(&created);
    let digits = host.digits_of(&setup, 1).await;
    assert_eq!(host.type_digits(&setup, &digits).await.status, 204);
    assert_eq!(host.keys_of("zoe").await.len(), 0, "real logins ignore it");
    let headers = [("x-api-key", test.reveal())];
    let path = "/association-keys?publicUserId=zoe";
    let listed = host.send(asked("GET", path, &headers, None)).await.json();
    assert_eq!(listed["keys"][0]["kind"], "browser");
    let real = host.set_up().await;
    let hidden = host
        .send(asked("GET", &real.path(""), &headers, None))
        .await;
    assert_eq!(
        hidden.code(),
        "registration_not_found",
        "a test key sees tests only"
    );
    assert_eq!(
        host.seen(&setup).await["state"],
        "completed",
        "a live key sees both"
    );
}
