//! Tests the shop of `examples/shop` with the service at the path in `COUNTERSIGN_BIN`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr,
    reason = "a test fails by panicking, and says what it skips"
)]

#[path = "../../examples/shop/app.rs"]
mod app;
mod support;

use axum::http::StatusCode;
use countersign_client::testing::{TestPhone, start_test_login};
use countersign_client::{ConfirmRequest, Error, code};
use serde_json::{Value, json};

use support::{Service, TestShop, until};

const USER: &str = "zoe@example.com";

#[tokio::test]
async fn shop_learns_the_number_of_a_text() {
    let Some(service) = Service::start("shop_learns_the_number_of_a_text").await else {
        return;
    };
    let shop = TestShop::start(&service).await;
    let answer = shop
        .post(
            "/number",
            &json!({ "phoneNumber": "202 555 0100", "country": "US" }),
        )
        .await;
    assert_eq!(answer.status, StatusCode::OK);
    let started = answer.json();
    assert_eq!(started["phoneNumber"], "+12025550100");
    assert!(started["client"]["token"].is_string());
    shop.text("+12025550100", &started).await;
    let id = started["confirmationId"].as_str().unwrap();
    let number = until(async || shop.tables.rows().numbers[id].clone()).await;
    assert_eq!(number, "+12025550100");
    // A number that does not exist is the visitor's error.
    let answer = shop
        .post("/number", &json!({ "phoneNumber": "+1 202" }))
        .await;
    assert_eq!(
        (answer.status, answer.text.as_str()),
        (
            StatusCode::UNPROCESSABLE_ENTITY,
            code::PHONE_NUMBER_NOT_POSSIBLE
        )
    );
}

#[tokio::test]
async fn confirmation_that_another_server_started_is_unknown() {
    let Some(service) = Service::start("confirmation_that_another_server_started_is_unknown").await
    else {
        return;
    };
    let shop = TestShop::start(&service).await;
    let other = service.client(&shop.api_key);
    let request = ConfirmRequest::new("+12025550100").callback_url(&shop.webhook_url);
    let started = other.confirmations().confirm(request).await.unwrap();
    shop.text("+12025550100", &json!(started)).await;
    // The service has notified the shop, which does not know the confirmation.
    let status = until(async || {
        let confirmation = other
            .confirmations()
            .get(&started.confirmation_id)
            .await
            .unwrap();
        confirmation.delivery?.attempts.first()?.status
    });
    assert_eq!(status.await, 404);
    assert!(shop.tables.rows().numbers.is_empty());
}

#[tokio::test]
async fn phone_whose_key_is_registered_logs_in_once() {
    let Some(service) = Service::start("phone_whose_key_is_registered_logs_in_once").await else {
        return;
    };
    let shop = TestShop::start(&service).await;
    let phone = shop.phone(USER);
    let login = start_test_login(&shop.client, &shop.origin).await.unwrap();
    let detail = phone
        .open(&login.url)
        .await
        .unwrap()
        .confirm("hello")
        .await
        .unwrap();
    assert_eq!(detail.payload.as_deref(), Some("hello"));
    let answer = shop.post("/login", &json!(detail)).await;
    assert_eq!(
        (answer.status, answer.text.as_str()),
        (StatusCode::OK, "logged in")
    );
    assert!(
        answer
            .cookie
            .is_some_and(|cookie| shop.tables.rows().sessions.contains_key(&cookie))
    );
    // Only once, and never with a stranger's key.
    let again = shop.post("/login", &json!(detail)).await;
    assert_eq!(
        (again.status, again.text.as_str()),
        (StatusCode::FORBIDDEN, "not logged in")
    );
    let stranger = TestPhone::new(&shop.client, USER).unwrap();
    let login = start_test_login(&shop.client, &shop.origin).await.unwrap();
    let detail = stranger
        .open(&login.url)
        .await
        .unwrap()
        .confirm("")
        .await
        .unwrap();
    assert_eq!(
        shop.post("/login", &json!(detail)).await.status,
        StatusCode::FORBIDDEN
    );
}

#[tokio::test]
async fn payment_is_approved_once() {
    let Some(service) = Service::start("payment_is_approved_once").await else {
        return;
    };
    let shop = TestShop::start(&service).await;
    let phone = shop.phone(USER);
    let session = shop.post("/pay", &Value::Null).await.json();
    let opened = phone.open(session["url"].as_str().unwrap()).await.unwrap();
    assert_eq!(
        (opened.context(), opened.origin()),
        (Some("Pay 20 EUR to Zoë"), shop.origin.as_str())
    );
    assert_eq!(
        shop.post("/paid", &Value::Null).await.json(),
        json!({ "status": "waiting" })
    );
    // A reloaded page continues.
    assert_eq!(shop.post("/pay", &Value::Null).await.json(), session);
    opened.confirm("").await.unwrap();
    for _ in 0..2 {
        assert_eq!(
            shop.post("/paid", &Value::Null).await.json(),
            json!({ "status": "approved" })
        );
    }
}

#[tokio::test]
async fn payments_fail_that_are_denied_or_late_or_signed_by_a_wrong_key() {
    let Some(service) = Service::start("payments_fail").await else {
        return;
    };
    let shop = TestShop::start(&service).await;
    let (phone, stranger) = (
        shop.phone(USER),
        TestPhone::new(&shop.client, USER).unwrap(),
    );
    for expected in ["denied", "unverified", "expired"] {
        let session = shop.post("/pay", &Value::Null).await.json();
        let opened = phone.open(session["url"].as_str().unwrap()).await.unwrap();
        match expected {
            "denied" => opened.deny("").await.unwrap(),
            "unverified" => _ = opened.confirm_signed_with("", &stranger).await.unwrap(),
            _ => {
                let error = opened.confirm_late("").await.unwrap_err();
                assert_eq!(error.code(), Some(code::SESSION_EXPIRED));
            }
        }
        let status = if expected == "expired" {
            "expired"
        } else {
            "denied"
        };
        assert_eq!(
            shop.post("/paid", &Value::Null).await.json(),
            json!({ "status": status }),
            "{expected}"
        );
    }
}

#[tokio::test]
async fn another_user_cannot_pay() {
    let Some(service) = Service::start("another_user_cannot_pay").await else {
        return;
    };
    let shop = TestShop::start(&service).await;
    let mallory = shop.phone("mallory@example.com");
    let session = shop.post("/pay", &Value::Null).await.json();
    let url = session["url"].as_str().unwrap();
    let error = mallory.open(url).await.unwrap_err();
    assert_eq!(error.code(), Some("user_mismatch"));
    // A phone that sends no user id may open the approval, but its key belongs to a different user.
    let opened = mallory.open(url).as_nobody().await.unwrap();
    opened.confirm("").await.unwrap();
    assert_eq!(
        shop.post("/paid", &Value::Null).await.json(),
        json!({ "status": "denied" })
    );
}

#[tokio::test]
async fn keys_are_registered_with_the_service() {
    let Some(service) = Service::start("keys_are_registered_with_the_service").await else {
        return;
    };
    let client = service.client(&service.test_key().await);
    let phone = TestPhone::new(&client, USER).unwrap();
    assert_eq!(phone.register().await.unwrap(), phone.key_id());
    let keys = client.association_keys().list(USER).await.unwrap();
    assert_eq!(
        keys.iter()
            .map(|key| key.public_key.as_str())
            .collect::<Vec<_>>(),
        [phone.public_key()]
    );
    // Without `find_key`, this key is used.
    let approval = client
        .approvals()
        .start(&service.url, "Pay 1 EUR", USER)
        .await
        .unwrap();
    phone
        .open(&approval.session.url)
        .await
        .unwrap()
        .confirm("")
        .await
        .unwrap();
    let result = client.approvals().result(&approval.id).await.unwrap();
    assert_eq!(result.status(), "approved");
    assert_eq!(
        client
            .approvals()
            .result(&approval.id)
            .await
            .unwrap()
            .status(),
        "already_reported"
    );
    client
        .association_keys()
        .revoke(phone.key_id())
        .await
        .unwrap();
    assert_eq!(client.association_keys().list(USER).await.unwrap(), []);
    let unknown = client
        .approvals()
        .result("qrs_00000000000000000000000000000000")
        .await
        .unwrap();
    assert_eq!(unknown.status(), "expired");
    let refused = TestPhone::new(&service.client(&service.api_key), USER).unwrap_err();
    assert!(matches!(refused, Error::Invalid(_)));
}
