//! Vectors of webhooks, published keys, the service's time, and events of AWS Lambda.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

use super::stub::Stub;
use super::vectors::{cases, pairs, text, vectors};
use super::world::TestWorld;
use crate::clock::Clock;
use crate::error::{BoxError, Error};
use crate::handlers::WebhookHandler;
use crate::store::{self, WEBHOOK_TTL};
use crate::webhooks::Event;

#[tokio::test]
async fn webhooks_are_verified_by_secrets() {
    let all = cases(&vectors()["webhooks"]);
    for case in all {
        let name = text(case, "name");
        let stub = Stub::start().await;
        stub.tell_time(text(vectors(), "date"));
        let secrets = case["secrets"]
            .as_array()
            .unwrap()
            .iter()
            .map(|secret| secret.as_str().unwrap());
        let client = stub.builder().webhook_secrets(secrets).build().unwrap();
        let body = text(case, "body").as_bytes();
        let event = client
            .webhooks()
            .verify(body, pairs(&case["headers"]))
            .await;
        match (event, case["reason"].as_str()) {
            (Err(Error::Webhook(refused)), Some(reason)) => {
                assert_eq!(refused.reason.as_str(), reason, "{name}");
            }
            (Ok(Event::VerifiedNumber(number)), None) => {
                assert_eq!(
                    number.confirmation_id,
                    text(case, "confirmationId"),
                    "{name}"
                );
            }
            (Ok(Event::PhoneRegistered(phone)), None) => {
                assert_eq!(
                    phone.registration_id,
                    text(case, "registrationId"),
                    "{name}"
                );
            }
            (event, _) => panic!("{name}: {event:?}"),
        }
    }
    assert_eq!(all.len(), 69);
}

#[tokio::test]
async fn webhooks_are_verified_by_published_keys() {
    let all = cases(&vectors()["keySets"]["sequences"]);
    let body = text(&vectors()["keySets"], "body").as_bytes();
    for case in all {
        let stub = Stub::start().await;
        let client = stub.builder().published_webhook_keys().build().unwrap();
        for (at, step) in cases(&case["steps"]).iter().enumerate() {
            let name = format!("{}, step {at}", text(case, "name"));
            stub.world
                .advance(Duration::from_secs_f64(step["advance"].as_f64().unwrap()));
            stub.answers(step.get("jwks"));
            let outcome = match client
                .webhooks()
                .verify(body, pairs(&step["headers"]))
                .await
            {
                Ok(_) => "accepted",
                Err(Error::Webhook(refused)) => refused.reason.as_str(),
                Err(Error::KeysUnavailable(_)) => "unavailable",
                Err(error) => panic!("{name}: {error:?}"),
            };
            assert_eq!(outcome, text(step, "expect"), "{name}");
            if let Some(fetches) = step["fetches"].as_u64() {
                assert_eq!(stub.requests() as u64, fetches, "{name}");
            }
        }
    }
    assert_eq!(all.len(), 40);
}

#[test]
fn time_is_learned_from_answers() {
    let all = cases(&vectors()["clocks"]);
    for case in all {
        let clock = Clock::new(Arc::new(TestWorld::default().world()));
        let mut headers = HeaderMap::new();
        for (name, value) in pairs(&case["headers"]) {
            let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
            headers.append(name, HeaderValue::from_str(value).unwrap());
        }
        clock.learn(&headers, Some(&case["body"]));
        let time = clock.is_known().then(|| clock.now());
        assert_eq!(time, case["time"].as_f64(), "{}", text(case, "name"));
    }
    assert_eq!(all.len(), 13);
}

/// Returns method, headers and body of an event, as `lambda_http` converts it to a request. The library needs no
/// separate adapter.
fn request_of(event: &Value) -> (&str, Vec<(&str, &str)>, Vec<u8>) {
    let method = event["httpMethod"]
        .as_str()
        .or(event["requestContext"]["http"]["method"].as_str());
    let several = event["multiValueHeaders"]
        .as_object()
        .filter(|headers| !headers.is_empty());
    let headers = several
        .or(event["headers"].as_object())
        .into_iter()
        .flatten();
    let headers = headers.flat_map(|(name, value)| {
        let values = value
            .as_array()
            .map_or(std::slice::from_ref(value), Vec::as_slice);
        values
            .iter()
            .map(move |value| (name.as_str(), value.as_str().unwrap()))
    });
    let body = event["body"].as_str().unwrap_or_default();
    let body = match event["isBase64Encoded"].as_bool() {
        Some(true) => BASE64_STANDARD.decode(body).unwrap(),
        _ => body.as_bytes().to_vec(),
    };
    (method.unwrap_or_default(), headers.collect(), body)
}

#[tokio::test]
async fn requests_of_lambda_are_answered() {
    let section = &vectors()["lambda"];
    let all = cases(&section["events"]);
    for case in all {
        let name = text(case, "name");
        let stub = Stub::start().await;
        stub.tell_time(text(vectors(), "date"));
        let client = stub
            .builder()
            .webhook_secret(text(section, "secret"))
            .build()
            .unwrap();
        let id = text(section, "confirmationId");
        store::remember(client.store(), id, WEBHOOK_TTL, async { Ok(()) })
            .await
            .unwrap();
        let handler = WebhookHandler::builder(&client);
        let handler = handler
            .on_verified(|_| async { Ok::<_, BoxError>(()) })
            .build()
            .unwrap();
        let (method, headers, body) = request_of(&case["event"]);
        let reply = handler.answer(method, headers, &body).await;
        assert_eq!(
            Value::from(reply.status().as_u16()),
            case["status"],
            "{name}"
        );
        assert_eq!(reply.body(), text(case, "text"), "{name}");
        assert_eq!(reply.headers()["cache-control"], "no-store", "{name}");
    }
    assert_eq!(all.len(), 17);
}
