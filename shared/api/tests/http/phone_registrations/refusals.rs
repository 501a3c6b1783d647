//! Requests that are refused, and callers who see nothing.

use std::num::NonZeroU32;
use std::time::Duration;

use serde_json::{Value, json};

use super::world::{PATH, host, on, phone, share_link_host, software_key, stranger};
use crate::host::{Host, SHOP, asked};

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
    let others = phone(5);
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
