//! AWS End User Messaging over SNS.

use std::sync::Arc;

use async_trait::async_trait;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use countersign_inbound::sns::{
    CertificateSource, CertificateUnavailable, CertificateUrl, SignatureVersion, Sns,
};
use countersign_inbound::{InboundError, MAX_GROUP_BODY};
use http::Method;
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use serde_json::{Map, Value, json};

use super::{Setting, Signs, take};
use crate::call::Incoming;

const TOPIC: &str = "arn:aws:sns:eu-west-1:123456789012:texts";
const CERTIFICATE_URL: &str = "https://sns.eu-west-1.amazonaws.com/SNS-1.pem";
const CERTIFICATE: &[u8] = include_bytes!("../../../../shared/inbound/tests/sns/certificate.pem");
const KEY: &[u8] = include_bytes!("../../../../shared/inbound/tests/sns/key.der");

/// Returns the same certificate for every address.
pub(crate) struct OneCertificate(Vec<u8>);

impl Default for OneCertificate {
    fn default() -> Self {
        Self(CERTIFICATE.to_vec())
    }
}

#[async_trait]
impl CertificateSource for OneCertificate {
    async fn fetch(&self, _: &CertificateUrl) -> Result<Vec<u8>, CertificateUnavailable> {
        Ok(self.0.clone())
    }
}

fn provider(certificate: &[u8]) -> Sns {
    let certificates = Arc::new(OneCertificate(certificate.to_vec()));
    let topic = TOPIC.parse().expect("a topic");
    Sns::new(topic, SignatureVersion::V2, certificates)
}

/// Messages signed by SNS.
pub(crate) fn sns(input: &[u8]) {
    let setting = Setting {
        provider: provider(CERTIFICATE),
        signs: Signs::Meaning,
        prove: |mut call| {
            let members: Map<String, Value> = serde_json::from_slice(&call.body).ok()?;
            call.body = signed(members)?;
            call.method = Method::POST;
            (call.body.len() <= MAX_GROUP_BODY).then_some(call)
        },
        channels: &[],
    };
    setting.check(input);
}

/// Signs a message as SNS does; `None` if it is not an SNS message.
fn signed(mut members: Map<String, Value>) -> Option<Vec<u8>> {
    for (name, value) in [
        ("TopicArn", TOPIC),
        ("SignatureVersion", "2"),
        ("SigningCertURL", CERTIFICATE_URL),
        ("Signature", ""),
    ] {
        members.insert(name.to_owned(), value.into());
    }
    let names: &[&str] = match members.get("Type")?.as_str()? {
        "Notification" => &[
            "Message",
            "MessageId",
            "Subject",
            "Timestamp",
            "TopicArn",
            "Type",
        ],
        "SubscriptionConfirmation" | "UnsubscribeConfirmation" => &[
            "Message",
            "MessageId",
            "SubscribeURL",
            "Timestamp",
            "Token",
            "TopicArn",
            "Type",
        ],
        _ => return None,
    };
    let mut text = String::new();
    for name in names {
        match members.get(*name) {
            Some(Value::String(value)) => text.extend([name, "\n", value, "\n"]),
            None if *name == "Subject" => {}
            _ => return None,
        }
    }
    for name in ["Subject", "Token", "SubscribeURL"] {
        if members.get(name).is_some_and(|value| !value.is_string()) {
            return None;
        }
    }
    let key = RsaKeyPair::from_pkcs8(KEY).expect("a key");
    let mut signature = vec![0; key.public().modulus_len()];
    let random = SystemRandom::new();
    key.sign(&RSA_PKCS1_SHA256, &random, text.as_bytes(), &mut signature)
        .expect("a signature");
    let signature = BASE64_STANDARD.encode(signature);
    members.insert("Signature".to_owned(), signature.into());
    serde_json::to_vec(&members).ok()
}

/// A certificate with a different key verifies no message that the real one verifies.
pub(crate) fn certificate(input: &[u8]) {
    let text = json!({
        "originationNumber": "+12025550100", "destinationNumber": "+12025550199",
        "messageBody": "CS-7Q2M0XK4V9T1BHNE", "inboundMessageId": "m1",
    });
    let message = json!({
        "Type": "Notification", "MessageId": "s1", "Message": text.to_string(),
        "Timestamp": "2026-11-22T10:00:00.000Z",
    });
    let body = message.as_object().cloned().and_then(signed);
    let incoming = Incoming {
        method: Method::POST,
        query: None,
        headers: http::HeaderMap::new(),
        body: body.expect("a message of SNS's"),
    };
    assert!(take(&provider(CERTIFICATE), &incoming).is_ok());
    let taken = take(&provider(input), &incoming);
    let whole = BASE64_STANDARD.encode(&input[..input.len().min(64)]);
    assert!(
        taken.is_ok() || taken == Err(InboundError::NotAuthentic),
        "{taken:?} {whole}"
    );
}

/// A message that a function receives from the topic.
pub(crate) fn end_user_messaging(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    if let Ok(Some(message)) = countersign_inbound::end_user_messaging::parse(text) {
        let fields = [
            &message.from,
            &message.to,
            &message.text,
            &message.message_id,
        ];
        let sum: usize = fields.iter().map(|field| field.len()).sum();
        assert!(sum <= text.len(), "{message:?}");
    }
}
