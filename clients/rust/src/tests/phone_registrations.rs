//! Phones without an app: the request, and the webhook about a phone that was set up.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::stub::Stub;
use super::vectors::{cases, pairs, text, vectors};
use crate::client::Countersign;
use crate::error::BoxError;
use crate::handlers::{WebhookHandler, WebhookHandlerBuilder};
use crate::types::{
    AssociationKeyKind, CreatePhoneRegistration, NewPhoneRegistration, PhoneRegistered,
};

/// Returns the case with this name.
fn named(section: &str, name: &str) -> &'static Value {
    cases(&vectors()[section])
        .iter()
        .find(|case| case["name"] == name)
        .unwrap()
}

fn client(stub: &Stub) -> Countersign {
    stub.tell_time(text(vectors(), "date"));
    let webhook = named("webhooks", "a phone that was set up");
    stub.builder()
        .webhook_secret(text(&webhook["secrets"], 0))
        .build()
        .unwrap()
}

async fn post(handler: &WebhookHandler, webhook: &str) -> (u16, String) {
    let webhook = named("webhooks", webhook);
    let body = text(webhook, "body").as_bytes();
    let reply = handler
        .answer("POST", pairs(&webhook["headers"]), body)
        .await;
    (reply.status().as_u16(), reply.into_body())
}

fn answer(status: u16, text: &str) -> (u16, String) {
    (status, text.to_owned())
}

fn recording(
    builder: WebhookHandlerBuilder,
    phones: &Arc<Mutex<Vec<PhoneRegistered>>>,
) -> WebhookHandler {
    let phones = Arc::clone(phones);
    let fails = Mutex::new(true);
    let builder = builder.on_phone_registered(move |phone| {
        let outcome: Result<(), BoxError> = if std::mem::take(&mut *fails.lock().unwrap()) {
            Err("the mail server is down".into())
        } else {
            phones.lock().unwrap().push(phone);
            Ok(())
        };
        async { outcome }
    });
    builder.build().unwrap()
}

#[tokio::test]
async fn phone_that_was_set_up_is_reported_once() {
    let stub = Stub::start().await;
    let client = client(&stub);
    let phones = Arc::default();
    let handler = recording(WebhookHandler::builder(&client), &phones);
    let genuine = "a phone that was set up";
    let unknown = answer(404, "unknown registration");
    assert_eq!(post(&handler, genuine).await, unknown);
    let created = named("answers", "createPhoneRegistration is answered");
    stub.answers([&created["answers"][0]]);
    let request = CreatePhoneRegistration::new("zoé@example.com").label("Zoé");
    client.phone_registrations().create(request).await.unwrap();
    let asked = stub.asked();
    let sent = asked.iter().find(|asked| asked.method == "POST").unwrap();
    assert_eq!(
        (sent.path.as_str(), &sent.body),
        (
            "/phone-registrations",
            &json!({ "publicUserId": "zoé@example.com", "label": "Zoé" })
        )
    );
    for (webhook, status, text) in [
        (
            "a phone that was set up, by another secret",
            403,
            "signature refused",
        ),
        (
            "signed, but a phone without a key",
            400,
            "not a confirmation",
        ),
        (
            "signed, but a phone with another event",
            400,
            "not a confirmation",
        ),
        (genuine, 500, "internal error"),
    ] {
        assert_eq!(
            post(&handler, webhook).await,
            answer(status, text),
            "{webhook}"
        );
    }
    assert!(phones.lock().unwrap().is_empty());
    assert_eq!(post(&handler, genuine).await, answer(200, "accepted"));
    let repeated = answer(200, "already accepted");
    assert_eq!(post(&handler, genuine).await, repeated);
    let phones = phones.lock().unwrap();
    let [phone] = phones.as_slice() else {
        panic!("{phones:?}")
    };
    assert_eq!(phone.public_user_id, "zoé@example.com");
    assert_eq!(phone.kind, AssociationKeyKind::Passkey);
    assert_eq!(phone.label.as_deref(), Some("Chrome on Android"));
    assert_eq!(phone.test, None);
}

#[tokio::test]
async fn phone_that_was_set_up_is_acknowledged_without_a_callback() {
    let stub = Stub::start().await;
    let client = client(&stub);
    let builder = WebhookHandler::builder(&client);
    let builder = builder.on_verified(|number| async move { Err::<(), _>(format!("{number:?}")) });
    let handler = builder.build().unwrap();
    let forged = post(&handler, "a phone that was set up, by another secret").await;
    assert_eq!(forged, answer(403, "signature refused"));
    for genuine in [
        "a phone that was set up",
        "a phone that was set up in a test",
    ] {
        assert_eq!(post(&handler, genuine).await, answer(200, "acknowledged"));
    }
}

/// The link and the token set a phone up.
#[test]
fn debug_hides_what_sets_a_phone_up() {
    let created = named("answers", "createPhoneRegistration is answered");
    let body = created["answers"][0]["body"].clone();
    let created: NewPhoneRegistration = serde_json::from_value(body.clone()).unwrap();
    assert_eq!(json!(created), body);
    let shown = format!("{created:?}");
    assert!(shown.contains("phr_"), "{shown}");
    assert!(
        !shown.contains("nW0tT1kX") && !shown.contains("mBq7wPKQ"),
        "{shown}"
    );
}
