use std::num::NonZeroU32;
use std::time::Duration;

use countersign_domain::delivery::ClaimOutcome;
use countersign_domain::login::PhoneRegistration;
use countersign_domain::web::callback_url::CallbackUrl;
use serde_json::{Value, json};

use super::world::{self, Setup};
use super::world::{
    PATH, host, on, phone, share_link_host, shared, software_key, stranger, test_key, wrong,
};
use crate::host::{Host, SHOP, asked};
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

#[tokio::test]
async fn app_must_have_the_web_authenticator_at_a_host_of_its_own() {
    let body = json!({"publicUserId": "zoe"});
    let host = Host::new().await;
    let create = async || host.create_with(&host.key, &body).await.code();
    host.change_app(|app| app.login.web_phone = false).await;
    assert_eq!(create().await, "web_phone_off");
    host.change_app(|app| {
        on(app);
        app.login.link_host = None;
    })
    .await;
    assert_eq!(create().await, "web_phone_off");
    host.change_app(on).await;
    let setup = host.set_up().await;
    share_link_host(&host);
    host.clock.advance(Duration::from_mins(2));
    assert_eq!(create().await, "web_phone_off");
    host.change_app(|app| app.login.web_phone = false).await;
    host.clock.advance(Duration::from_mins(2));
    assert_eq!(host.open_link(&setup, 1).await.code(), "web_phone_off");
}

#[tokio::test]
async fn malformed_requests_are_refused() {
    let host = host().await;
    for (body, code, field) in [
        (json!({}), "field_missing", None),
        (
            json!({"publicUserId": ""}),
            "public_user_id_malformed",
            Some("/publicUserId"),
        ),
        (
            json!({"publicUserId": "ANON"}),
            "public_user_id_anonymous",
            Some("/publicUserId"),
        ),
        (
            json!({"publicUserId": 1}),
            "field_wrong_type",
            Some("/publicUserId"),
        ),
        (
            json!({"publicUserId": "zoe", "label": "a\nb"}),
            "label_malformed",
            Some("/label"),
        ),
    ] {
        let answer = host.create_with(&host.key, &body).await;
        let (found, at) = answer.code_at();
        assert_eq!(found, code, "{body}");
        if field.is_some() {
            assert_eq!(at.as_deref(), field, "{body}");
        }
    }
    let setup = host.set_up().await;
    let open = setup.path("/open");
    let secret = json!({"secret": setup.secret});
    for (token, body, code) in [
        (phone(1), json!({}), "field_missing"),
        (
            phone(1),
            json!({"secret": "short"}),
            "registration_not_found",
        ),
        ("short".to_owned(), secret, "token_malformed"),
    ] {
        let answer = host.device(&token, "POST", &open, Some(&body)).await;
        assert_eq!(answer.code(), code, "{body}");
    }
    let bare = host
        .send(asked("POST", &open, &[], Some(&json!({"secret": "x"}))))
        .await;
    assert_eq!(
        (bare.status.as_u16(), bare.code()),
        (401, "token_missing".to_owned())
    );
    let large = json!({"secret": "x".repeat(20_000)});
    let large = host.device(&phone(1), "POST", &open, Some(&large)).await;
    assert_eq!(
        (large.status.as_u16(), large.code()),
        (413, "body_too_large".to_owned())
    );
    host.open_link(&setup, 1).await;
    let good = software_key(1, "zoe");
    for (name, value, code) in [
        ("publicKey", json!("AAAA"), "association_key_malformed"),
        ("publicKey", Value::Null, "field_missing"),
        ("signature", Value::Null, "field_missing"),
        ("signature", json!("AAAA"), "key_signature_false"),
    ] {
        let mut body = good.clone();
        body[name] = value;
        let answer = host.sign(&setup, 1, &body).await;
        assert_eq!(
            (answer.status.as_u16(), answer.code()),
            (422, code.to_owned()),
            "{name}"
        );
    }
    assert_eq!(host.seen(&setup).await["state"], "opened");
}

#[tokio::test]
async fn app_and_user_have_limits() {
    let host = host().await;
    let body = json!({"publicUserId": "zoe"});
    for n in 0..64 {
        if n % 50 == 0 {
            host.clock.advance(Duration::from_mins(2));
        }
        assert_eq!(host.create_with(&host.key, &body).await.status, 200, "{n}");
    }
    let one_more = host.create_with(&host.key, &body).await;
    let expected = (409, "too_many_registrations".to_owned());
    assert_eq!((one_more.status.as_u16(), one_more.code()), expected);
    host.change_app(|app| {
        on(app);
        app.quotas.association_keys.burst = NonZeroU32::new(1);
    })
    .await;
    host.clock.advance(Duration::from_mins(2));
    for status in [200, 429] {
        let answer = host
            .create_with(&host.key, &json!({"publicUserId": "max"}))
            .await;
        assert_eq!(
            answer.status, status,
            "the rate for association keys applies"
        );
    }
}

#[tokio::test]
async fn pages_can_read_answers() {
    let host = host().await;
    let setup = host.set_up().await;
    let headers = [("origin", SHOP), ("access-control-request-method", "POST")];
    let preflight = host
        .send(asked("OPTIONS", &setup.path("/digits"), &headers, None))
        .await;
    assert_eq!(preflight.status, 204);
    for answer in [
        preflight,
        host.device(&setup.page_token, "GET", &setup.path(""), None)
            .await,
        host.type_digits(&setup, "42").await,
        host.device("x", "GET", &format!("{PATH}/phr_1"), None)
            .await,
    ] {
        assert_eq!(
            answer.header("access-control-allow-origin"),
            Some(SHOP),
            "{answer:?}"
        );
    }
}

#[tokio::test]
async fn other_apps_and_pages_see_nothing() {
    let host = host().await;
    let other = stranger(&host).await;
    let setup = host.set_up().await;
    let digits = host.digits_of(&setup, 1).await;
    let headers = [("x-api-key", other.reveal())];
    for method in ["GET", "DELETE"] {
        let answer = host
            .send(asked(method, &setup.path(""), &headers, None))
            .await;
        assert_eq!(
            (answer.status.as_u16(), answer.code()),
            (404, "registration_not_found".to_owned())
        );
    }
    let others = world::phone(5);
    let body = json!({"digits": digits});
    for (method, rest, body) in [
        ("GET", "", None),
        ("DELETE", "", None),
        ("POST", "/digits", Some(&body)),
        ("POST", "/sign", Some(&software_key(2, "zoe"))),
    ] {
        let answer = host.device(&others, method, &setup.path(rest), body).await;
        assert_eq!(answer.code(), "registration_not_found", "{method} {rest}");
    }
    // The phone's token types no digits, and the page's token signs nothing.
    let swapped = host
        .device(&phone(1), "POST", &setup.path("/digits"), Some(&body))
        .await;
    assert_eq!(swapped.code(), "registration_not_found");
    let key = software_key(2, "zoe");
    let swapped = host
        .device(&setup.page_token, "POST", &setup.path("/sign"), Some(&key))
        .await;
    assert_eq!(swapped.code(), "registration_not_found");
    assert_eq!(host.seen(&setup).await["state"], "signed");
}
