//! Each provider with each of its settings, and a signer for it.

use std::sync::Arc;

use async_trait::async_trait;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use countersign_domain::confirmation::text::{Channel, InboundMessage};
use countersign_domain::primitives::phone::PhoneNumber;
use countersign_domain::primitives::time::Timestamp;
use countersign_inbound::bandwidth::Bandwidth;
use countersign_inbound::generic::Generic;
use countersign_inbound::infobip::{Infobip, InfobipProof};
use countersign_inbound::plivo::{Plivo, PlivoVersion};
use countersign_inbound::sinch::Sinch;
use countersign_inbound::sinch_conversation::SinchConversation;
use countersign_inbound::sms_gate::SmsGate;
use countersign_inbound::sns::{
    CertificateSource, CertificateUnavailable, CertificateUrl, SignatureVersion, Sns,
};
use countersign_inbound::telnyx::{self, Telnyx};
use countersign_inbound::twilio::{Twilio, TwilioKey};
use countersign_inbound::vonage_messages::VonageMessages;
use countersign_inbound::vonage_sms::VonageSms;
use countersign_inbound::whatsapp::WhatsApp;
use countersign_inbound::{
    Call, Content, HashAlgorithm, Inbound, InboundError, InboundProvider, PublicUrl, Reading,
    Rotating, SharedSecret, SignedCall, read,
};
use futures_util::FutureExt as _;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair as _, RSA_PKCS1_SHA256, RsaKeyPair};
use serde_json::json;

/// A day on which the certificate of SNS is valid.
pub(crate) const NOW: Timestamp = Timestamp::from_millis(1_795_500_000_000);
pub(crate) const NONCE: &str = "Zx81kQ5tVn";
pub(crate) const TOPIC: &str = "arn:aws:sns:eu-west-1:123456789012:texts";
pub(crate) const CERTIFICATE: &str = "https://sns.eu-west-1.amazonaws.com/SNS-1.pem";

type Signer = Box<dyn Fn(&InboundMessage, Timestamp) -> SignedCall>;

/// One provider with one of its settings.
pub(crate) struct Case {
    pub(crate) label: &'static str,
    pub(crate) provider: Arc<dyn InboundProvider>,
    /// The same provider with a different secret, and with both secrets.
    pub(crate) stranger: Arc<dyn InboundProvider>,
    pub(crate) rotating: Arc<dyn InboundProvider>,
    pub(crate) sign: Signer,
    /// The channels that it delivers.
    pub(crate) channels: &'static [Channel],
    pub(crate) body: Signs,
    /// True if it signs a timestamp.
    pub(crate) timed: bool,
}

/// Signed part of a body.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signs {
    /// Every byte.
    Bytes,
    /// The meaning of its parameters.
    Meaning,
    Nothing,
}

pub(crate) fn secret(text: &str) -> SharedSecret {
    text.parse().unwrap()
}

pub(crate) fn url() -> PublicUrl {
    "https://text.example.com:8443/base".parse().unwrap()
}

/// Builds a case from a function that takes the secret.
fn case<T, P>(
    label: &'static str,
    body: Signs,
    timed: bool,
    secrets: [T; 2],
    make: impl Fn(Rotating<T>) -> P,
) -> Case
where
    T: Clone,
    P: InboundProvider + 'static,
{
    let [ours, other] = secrets;
    let provider: Arc<dyn InboundProvider> = Arc::new(make(ours.clone().into()));
    let signer = Arc::clone(&provider);
    Case {
        label,
        provider,
        stranger: Arc::new(make(other.clone().into())),
        rotating: Arc::new(make(Rotating::pair(other, ours))),
        sign: Box::new(move |text, now| signer.sign(text, now, NONCE).unwrap()),
        channels: &[Channel::Sms],
        body,
        timed,
    }
}

const BOTH: &[Channel] = &[Channel::Sms, Channel::WhatsApp];

pub(crate) fn telnyx_key(seed: u8) -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).unwrap()
}

pub(crate) fn telnyx_public(seed: u8) -> telnyx::TelnyxKey {
    let key = telnyx_key(seed);
    let text = BASE64_STANDARD.encode(key.public_key().as_ref());
    text.parse().unwrap()
}

pub(crate) fn telnyx_call(seed: u8, body: impl Into<Vec<u8>>, now: Timestamp) -> SignedCall {
    let (timestamp, body) = (now.as_secs().to_string(), body.into());
    let signature = telnyx_key(seed).sign(&[timestamp.as_bytes(), b"|", &body].concat());
    let named = HeaderName::from_static;
    SignedCall {
        headers: vec![
            (
                named(telnyx::SIGNATURE_HEADER),
                BASE64_STANDARD.encode(signature.as_ref()),
            ),
            (named(telnyx::TIMESTAMP_HEADER), timestamp),
        ],
        body,
    }
}

fn telnyx() -> Case {
    let sign = |text: &InboundMessage, now| {
        let body = json!({
            "data": {
                "event_type": "message.received",
                "id": "event-1",
                "payload": {
                    "id": text.message_id,
                    "type": "SMS",
                    "direction": "inbound",
                    "from": {"phone_number": text.from, "carrier": "", "line_type": "Wireless"},
                    "to": [{"phone_number": text.to, "status": "webhook_delivered"}],
                    "text": text.text,
                },
            },
            "meta": {"attempt": 1},
        });
        telnyx_call(1, body.to_string(), now)
    };
    Case {
        label: "telnyx",
        provider: Arc::new(Telnyx::new(telnyx_public(1))),
        stranger: Arc::new(Telnyx::new(telnyx_public(2))),
        rotating: Arc::new(Telnyx::new(Rotating::pair(
            telnyx_public(2),
            telnyx_public(1),
        ))),
        sign: Box::new(sign),
        channels: &[Channel::Sms],
        body: Signs::Bytes,
        timed: true,
    }
}

/// Serves the tests' certificate at one address.
pub(crate) struct Files;

#[async_trait]
impl CertificateSource for Files {
    async fn fetch(&self, url: &CertificateUrl) -> Result<Vec<u8>, CertificateUnavailable> {
        if url.as_str() == CERTIFICATE {
            Ok(include_bytes!("../sns/certificate.pem").to_vec())
        } else {
            Err(CertificateUnavailable)
        }
    }
}

pub(crate) fn sns_provider(topic: &str, at_least: SignatureVersion) -> Sns {
    Sns::new(topic.parse().unwrap(), at_least, Arc::new(Files))
}

/// Signs members in the order that SNS uses, with SHA-256.
pub(crate) fn sns_signature(members: &[(&str, &str)]) -> String {
    let key = RsaKeyPair::from_pkcs8(include_bytes!("../sns/key.der")).unwrap();
    let members = members
        .iter()
        .map(|(name, value)| format!("{name}\n{value}\n"));
    let signed = members.collect::<Vec<_>>().concat();
    let mut signature = vec![0; key.public().modulus_len()];
    let random = SystemRandom::new();
    key.sign(
        &RSA_PKCS1_SHA256,
        &random,
        signed.as_bytes(),
        &mut signature,
    )
    .unwrap();
    BASE64_STANDARD.encode(signature)
}

/// Signs a message of the topic.
pub(crate) fn sns_call(message: &str) -> SignedCall {
    let signature = sns_signature(&[
        ("Message", message),
        ("MessageId", "s1"),
        ("Timestamp", "2026-11-22T10:00:00.000Z"),
        ("TopicArn", TOPIC),
        ("Type", "Notification"),
    ]);
    let body = json!({
        "Type": "Notification",
        "MessageId": "s1",
        "TopicArn": TOPIC,
        "Message": message,
        "Timestamp": "2026-11-22T10:00:00.000Z",
        "SignatureVersion": "2",
        "Signature": signature,
        "SigningCertURL": CERTIFICATE,
    });
    SignedCall {
        headers: vec![],
        body: body.to_string().into_bytes(),
    }
}

fn sns() -> Case {
    let sign = |text: &InboundMessage, _| {
        let message = json!({
            "originationNumber": text.from,
            "destinationNumber": text.to,
            "messageBody": text.text,
            "inboundMessageId": text.message_id,
        });
        sns_call(&message.to_string())
    };
    let other = TOPIC.replace("texts", "other");
    Case {
        label: "sns",
        provider: Arc::new(sns_provider(TOPIC, SignatureVersion::V2)),
        stranger: Arc::new(sns_provider(&other, SignatureVersion::V2)),
        rotating: Arc::new(sns_provider(TOPIC, SignatureVersion::V1)),
        sign: Box::new(sign),
        channels: &[Channel::Sms],
        body: Signs::Meaning,
        timed: false,
    }
}

fn vonage_sms(label: &'static str, algorithm: HashAlgorithm) -> Case {
    let secrets = [secret("first-secret"), secret("other-secret")];
    case(label, Signs::Meaning, true, secrets, move |secrets| {
        VonageSms::new(secrets, algorithm)
    })
}

fn infobip(label: &'static str, algorithm: HashAlgorithm) -> Case {
    let secrets = [secret("first-secret"), secret("other-secret")];
    case(label, Signs::Bytes, false, secrets, move |secrets| {
        Infobip::new(InfobipProof::Hmac {
            secrets,
            algorithm,
            header: HeaderName::from_static("x-signature"),
        })
    })
}

/// Returns every provider with every setting.
pub(crate) fn all() -> Vec<Case> {
    let shared = || [secret("first-secret"), secret("other-secret")];
    let basic =
        || ["name:0123456789abcdef", "name:0123456789abcdeg"].map(|text| text.parse().unwrap());
    let whsec = [
        "QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFB",
        "QkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJC",
    ]
    .map(|encoded| format!("whsec_{encoded}").parse().unwrap());
    let twilio = |label, key: fn(SharedSecret) -> TwilioKey| Case {
        channels: BOTH,
        ..case(label, Signs::Meaning, false, shared().map(key), |keys| {
            Twilio::new(&url(), keys)
        })
    };
    let plivo = |label, version, body| {
        case(label, body, false, shared(), move |tokens| {
            Plivo::new(&url(), tokens, version)
        })
    };
    vec![
        case("generic", Signs::Bytes, true, whsec, Generic::new),
        twilio("twilio sha1", TwilioKey::AuthToken),
        twilio("twilio sha256", TwilioKey::SharedKey),
        vonage_sms("vonage md5", HashAlgorithm::Md5),
        vonage_sms("vonage sha1", HashAlgorithm::Sha1),
        vonage_sms("vonage sha256", HashAlgorithm::Sha256),
        vonage_sms("vonage sha512", HashAlgorithm::Sha512),
        Case {
            channels: BOTH,
            ..case(
                "vonage messages",
                Signs::Bytes,
                true,
                shared(),
                VonageMessages::new,
            )
        },
        telnyx(),
        plivo("plivo v2", PlivoVersion::V2, Signs::Nothing),
        plivo("plivo v3", PlivoVersion::V3, Signs::Meaning),
        case("sinch", Signs::Bytes, true, shared(), Sinch::new),
        case(
            "sinch conversation",
            Signs::Bytes,
            true,
            shared(),
            SinchConversation::new,
        ),
        case("sms gate", Signs::Bytes, true, shared(), |secrets| {
            let number = PhoneNumber::parse_e164("+12025550199").unwrap();
            SmsGate::new(secrets, number, "US".parse().unwrap())
        }),
        infobip("infobip sha1", HashAlgorithm::Sha1),
        infobip("infobip sha256", HashAlgorithm::Sha256),
        infobip("infobip sha512", HashAlgorithm::Sha512),
        case("infobip basic", Signs::Nothing, false, basic(), |known| {
            Infobip::new(InfobipProof::Basic(known))
        }),
        case("bandwidth", Signs::Nothing, false, basic(), Bandwidth::new),
        sns(),
        Case {
            channels: &[Channel::WhatsApp],
            ..case("whatsapp", Signs::Bytes, false, shared(), |secrets| {
                WhatsApp::new(secrets, secret("verify-token"))
            })
        },
    ]
}

pub(crate) fn text(channel: Channel) -> InboundMessage {
    InboundMessage {
        provider: "",
        channel,
        message_id: "SM00112233445566778899aabbccddeeff".to_owned(),
        from: "+12025550100".to_owned(),
        to: "+12025550199".to_owned(),
        text: "Sign in to Shop: CS-7Q2M0XK4V9T1BHNE & thanks = 100% 😀\n".to_owned(),
        carrier: None,
    }
}

pub(crate) fn headers(list: &[(HeaderName, String)]) -> HeaderMap {
    let list = list
        .iter()
        .map(|(name, value)| (name.clone(), HeaderValue::from_str(value).unwrap()));
    list.collect()
}

pub(crate) fn post(
    provider: &dyn InboundProvider,
    list: &[(HeaderName, String)],
    body: &[u8],
    now: Timestamp,
) -> Result<Reading, InboundError> {
    let call = Call {
        method: &Method::POST,
        query: None,
        headers: &headers(list),
        body,
    };
    read(provider, call, now).now_or_never().unwrap()
}

pub(crate) fn take(
    provider: &dyn InboundProvider,
    signed: &SignedCall,
    now: Timestamp,
) -> Result<Reading, InboundError> {
    post(provider, &signed.headers, &signed.body, now)
}

pub(crate) fn events(reading: Result<Reading, InboundError>) -> Vec<Inbound> {
    match reading.unwrap().content {
        Content::Events(events) => events,
        other => panic!("a call brings events: {other:?}"),
    }
}

/// Returns the one text of a call.
pub(crate) fn only(reading: Result<Reading, InboundError>) -> InboundMessage {
    match <[_; 1]>::try_from(events(reading)) {
        Ok([Inbound::Text { message, .. }]) => message,
        other => panic!("a call brings one text: {other:?}"),
    }
}
