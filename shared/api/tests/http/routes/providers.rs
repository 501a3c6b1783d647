//! `/inbound-sms/{provider}` for every provider except the generic one.

mod answers;
mod calls;
mod once;
mod parts;
mod plivo;
mod proxies;
mod senders;
mod sns;
mod telnyx;
mod whatsapp;

use std::sync::Arc;

use async_trait::async_trait;
use axum::body::Body;
use countersign_api::InboundParts;
use countersign_domain::confirmation::text::{Channel, InboundMessage};
use countersign_inbound::sns::{CertificateSource, CertificateUnavailable, CertificateUrl};
use countersign_inbound::{Providers, Settings, SignedCall};
use http::Request;
use serde_json::Value;

use crate::host::{Answer, Host, PERSON, SEND_TO, id_of};

/// The providers whose test calls we can sign and that deliver texts of phones.
const SIGNING: [&str; 9] = [
    "bandwidth",
    "infobip",
    "plivo",
    "sinch",
    "sms-gate",
    "twilio",
    "vonage-messages",
    "vonage-sms",
    "generic",
];

const SETTINGS: &str = r#"{
    "publicUrl": "https://text.example.com",
    "generic": {"secrets": "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="},
    "twilio": {"authTokens": "0123456789abcdef0123456789abcdef"},
    "vonage-sms": {"secrets": "secret-one", "algorithm": "sha256"},
    "vonage-messages": {"secrets": "secret-one"},
    "telnyx": {"publicKeys": "iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w="},
    "plivo": {"authTokens": "secret-one", "signature": "v2"},
    "sinch": {"secrets": "secret-one"},
    "sinch-conversation": {"secrets": "secret-one"},
    "sms-gate": {"secrets": "secret-one", "number": "+33700000199", "country": "FR"},
    "infobip": {"credentials": "name:0123456789abcdef"},
    "bandwidth": {"credentials": "name:0123456789abcdef"},
    "sns": {"topic": "arn:aws:sns:eu-west-1:123456789012:texts", "signatureVersion": "2"},
    "whatsapp": {"appSecrets": "0123456789abcdef0123456789abcdef", "verifyToken": "secret-two"}
}"#;

struct Files;

#[async_trait]
impl CertificateSource for Files {
    async fn fetch(&self, _: &CertificateUrl) -> Result<Vec<u8>, CertificateUnavailable> {
        Ok(include_bytes!("../../../../inbound/tests/sns/certificate.pem").to_vec())
    }
}

pub(crate) fn providers() -> Providers {
    let settings = Settings::parse(SETTINGS.as_bytes()).unwrap();
    settings.providers(Some(Arc::new(Files))).unwrap()
}

/// Creates a host with every provider enabled.
async fn host() -> Host {
    host_with(|_| ()).await
}

async fn host_with(change: impl FnOnce(&mut InboundParts)) -> Host {
    Host::with(|parts| {
        parts.inbound = InboundParts::fixed(providers());
        change(&mut parts.inbound);
    })
    .await
}

fn text_of(channel: Channel, text: &str) -> InboundMessage {
    InboundMessage {
        provider: "",
        channel,
        message_id: "message-1".to_owned(),
        from: PERSON.to_owned(),
        to: SEND_TO.to_owned(),
        text: text.to_owned(),
        carrier: None,
    }
}

/// Signs a text as the provider does.
fn signed(host: &Host, name: &str, text: &InboundMessage) -> SignedCall {
    let all = providers();
    let provider = all.get(name).unwrap();
    provider.sign(text, host.clock.get(), "nonce-1").unwrap()
}

/// Signs a text with a new nonce.
fn signed_once(host: &Host, name: &str, text: &InboundMessage, nonce: &str) -> SignedCall {
    let all = providers();
    let nonce = format!("nonce-{}", nonce.replace(' ', "-"));
    let provider = all.get(name).unwrap();
    provider.sign(text, host.clock.get(), &nonce).unwrap()
}

fn request(name: &str, call: SignedCall) -> Request<Body> {
    let mut request = Request::post(format!("/inbound-sms/{name}"));
    for (name, value) in call.headers {
        request = request.header(name, value);
    }
    request.body(Body::from(call.body)).unwrap()
}

/// Delivers a text as the provider does.
async fn hand_in(host: &Host, name: &str, text: &str) -> Answer {
    let call = signed(host, name, &text_of(Channel::Sms, text));
    host.send(request(name, call)).await
}

async fn status(host: &Host, session: &Value) -> Value {
    let path = format!("/confirmations/{}", id_of(session));
    host.call("GET", &path, None).await.json()["status"].clone()
}

fn message(session: &Value) -> &str {
    session["confirmationMessage"].as_str().unwrap()
}

#[tokio::test]
async fn text_of_every_provider_verifies_its_confirmation() {
    let host = host().await;
    for name in SIGNING {
        let session = host.acquire().await;
        let call = signed(&host, name, &text_of(Channel::Sms, message(&session)));
        // Plivo's nonce is single-use, and the test has only one.
        let answer = host.send(request(name, call.clone())).await;
        assert_eq!(answer.status, 200, "{name}: {answer:?}");
        assert_eq!(status(&host, &session).await, "verified", "{name}");
        host.metrics.take();
        assert_eq!(host.send(request(name, call)).await.status, 200, "{name}");
        assert_eq!(host.metrics.take(), ["text_repeated"], "{name}");
    }
}

#[tokio::test]
async fn text_that_is_changed_or_unsigned_is_refused() {
    let host = host().await;
    let session = host.acquire().await;
    for name in SIGNING {
        let whole = signed(&host, name, &text_of(Channel::Sms, message(&session)));
        host.metrics.take();
        let bare = SignedCall {
            headers: Vec::new(),
            ..whole
        };
        let answer = host.send(request(name, bare)).await;
        // Vonage's Messages API calls again with a signature. Vonage's SMS API signs within the
        // body. Sinch never repeats a call that was answered with another 4xx.
        let (expected, refused) = match name {
            "vonage-messages" => (429, false),
            "sinch" | "sinch-conversation" => (429, true),
            _ => (401, true),
        };
        assert_eq!(answer.status, expected, "{name}: {answer:?}");
        let counted = host.metrics.take();
        assert_eq!(counted.len(), usize::from(refused), "{name}");
    }
    assert_eq!(status(&host, &session).await, "open");
}

#[tokio::test]
async fn provider_that_is_off_or_unknown_is_not_found() {
    let host = host_with(|inbound| {
        inbound.providers = Arc::new(Providers::default());
    })
    .await;
    for name in SIGNING
        .into_iter()
        .chain(["telnyx", "sns", "whatsapp", "acme"])
    {
        for method in ["GET", "POST"] {
            let path = format!("/inbound-sms/{name}");
            let answer = host.call(method, &path, None).await;
            // The generic route's method is known without its settings.
            let expected = match (name, method) {
                ("generic", "GET") => "method_not_allowed",
                _ => "not_found",
            };
            assert_eq!(answer.code(), expected, "{method} {name}");
        }
    }
}
