//! SNS: texts, and the confirmation of a subscription.

use std::future::ready;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::Body;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use countersign_api::ConfirmSubscription;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_inbound::SubscribeUrl;
use http::Request;
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use serde_json::{Value, json};

use super::{host_with, message, status};
use crate::host::{Answer, Host, PERSON, SEND_TO};

const TOPIC: &str = "arn:aws:sns:eu-west-1:123456789012:texts";
const SUBSCRIBE: &str =
    "https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=x&Token=secret";

/// Records the addresses that it was asked to confirm.
#[derive(Default)]
struct Kept {
    urls: Mutex<Vec<String>>,
    broken: bool,
}

impl Kept {
    fn confirm(&self, url: &SubscribeUrl) -> Result<(), Unavailable> {
        self.urls.lock().unwrap().push(url.as_str().to_owned());
        if self.broken {
            return Err(Unavailable::new("a port", "the cable is cut"));
        }
        Ok(())
    }
}

async fn host(subscriber: Option<Arc<Kept>>) -> Host {
    let host = host_with(|inbound| {
        inbound.confirm_subscription = subscriber.map(|kept| -> ConfirmSubscription {
            Arc::new(move |url| Box::pin(ready(kept.confirm(&url))))
        });
    })
    .await;
    // A day on which the tests' certificate is valid.
    let valid = 1_795_500_000_000;
    let until = Duration::from_millis(valid - host.clock.get().as_millis());
    host.clock.advance(until);
    host
}

/// Sends a message as SNS does, signed over these members in this order.
async fn send(host: &Host, members: &[(&str, &str)]) -> Answer {
    let key = RsaKeyPair::from_pkcs8(include_bytes!("../../../../../inbound/tests/sns/key.der"));
    let key = key.unwrap();
    let lines = members.iter();
    let lines = lines.map(|(name, value)| format!("{name}\n{value}\n"));
    let signed = lines.collect::<Vec<_>>().concat();
    let mut signature = vec![0; key.public().modulus_len()];
    let random = SystemRandom::new();
    key.sign(
        &RSA_PKCS1_SHA256,
        &random,
        signed.as_bytes(),
        &mut signature,
    )
    .unwrap();
    let mut body: serde_json::Map<String, Value> = members
        .iter()
        .map(|(name, value)| ((*name).to_owned(), json!(value)))
        .collect();
    body.insert("SignatureVersion".to_owned(), json!("2"));
    body.insert(
        "Signature".to_owned(),
        json!(BASE64_STANDARD.encode(signature)),
    );
    let certificate = "https://sns.eu-west-1.amazonaws.com/SNS-1.pem";
    body.insert("SigningCertURL".to_owned(), json!(certificate));
    let body = Body::from(Value::Object(body).to_string());
    let request =
        Request::post("/inbound-sms/sns").header("content-type", "text/plain; charset=UTF-8");
    host.send(request.body(body).unwrap()).await
}

async fn subscribe(host: &Host, url: &str) -> Answer {
    let members = [
        ("Message", "You have chosen to subscribe"),
        ("MessageId", "s1"),
        ("SubscribeURL", url),
        ("Timestamp", "2026-11-24T10:00:00.000Z"),
        ("Token", "secret"),
        ("TopicArn", TOPIC),
        ("Type", "SubscriptionConfirmation"),
    ];
    send(host, &members).await
}

#[tokio::test]
async fn text_verifies_its_confirmation() {
    let host = host(None).await;
    let session = host.acquire().await;
    let text = json!({
        "originationNumber": PERSON,
        "destinationNumber": SEND_TO,
        "messageBody": message(&session),
        "inboundMessageId": "m1",
    });
    let text = text.to_string();
    let members = [
        ("Message", text.as_str()),
        ("MessageId", "s1"),
        ("Timestamp", "2026-11-24T10:00:00.000Z"),
        ("TopicArn", TOPIC),
        ("Type", "Notification"),
    ];
    assert_eq!(send(&host, &members).await.status, 200);
    assert_eq!(status(&host, &session).await, "verified");
}

#[tokio::test]
async fn subscription_is_confirmed_on_the_host_of_sns_alone() {
    let kept = Arc::new(Kept::default());
    let host = host(Some(Arc::clone(&kept))).await;
    assert_eq!(subscribe(&host, SUBSCRIBE).await.status, 200);
    for other in [
        "https://evil.example/?Action=ConfirmSubscription&Token=x",
        "https://sns.eu-west-1.amazonaws.com/?Action=Publish&Message=x",
        "http://169.254.169.254/?Action=ConfirmSubscription&Token=x",
    ] {
        assert_eq!(subscribe(&host, other).await.status, 400, "{other}");
    }
    assert_eq!(*kept.urls.lock().unwrap(), [SUBSCRIBE]);
}

#[tokio::test]
async fn subscription_that_cannot_be_confirmed_is_asked_for_again() {
    let broken = Kept {
        broken: true,
        ..Kept::default()
    };
    let host_of_broken = host(Some(Arc::new(broken))).await;
    assert_eq!(subscribe(&host_of_broken, SUBSCRIBE).await.status, 503);
    let without = host(None).await;
    assert_eq!(subscribe(&without, SUBSCRIBE).await.status, 503);
}
