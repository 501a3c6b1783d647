//! SNS over HTTPS: versions, certificates and subscriptions.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use countersign_domain::primitives::time::Timestamp;
use countersign_inbound::sns::{
    CertificateSource, CertificateUnavailable, CertificateUrl, SignatureVersion, Sns,
};
use countersign_inbound::{
    Content, Ignored, Inbound, InboundError, InboundProvider, MalformedText, Reading,
};
use serde_json::{Value, json};

use crate::cases::{CERTIFICATE, NOW, TOPIC, events, only, post, sns_provider, sns_signature};

const MESSAGE: &str = r#"{"originationNumber":"+12025550100","destinationNumber":"+12025550199","messageBody":"CS-0","inboundMessageId":"m1"}"#;
const TIME: &str = "2026-11-22T10:00:00.000Z";

fn read(provider: &dyn InboundProvider, body: &Value) -> Result<Reading, InboundError> {
    post(provider, &[], body.to_string().as_bytes(), NOW)
}

fn ours() -> Sns {
    sns_provider(TOPIC, SignatureVersion::V1)
}

/// Returns a message that openssl signed: see `tests/sns/make.sh`.
fn notification(version: &str) -> Value {
    let signature = match version {
        "1" => include_str!("../sns/notification.sha1"),
        _ => include_str!("../sns/notification.sha256"),
    };
    json!({
        "Type": "Notification", "MessageId": "s1", "TopicArn": TOPIC, "Subject": "About",
        "Message": MESSAGE, "Timestamp": TIME, "SignatureVersion": version,
        "Signature": signature, "SigningCertURL": CERTIFICATE,
        "UnsubscribeURL": "https://sns.eu-west-1.amazonaws.com/?Action=Unsubscribe",
    })
}

fn confirmation(url: &str) -> Value {
    let signature = sns_signature(&[
        ("Message", "You have chosen"),
        ("MessageId", "s2"),
        ("SubscribeURL", url),
        ("Timestamp", TIME),
        ("Token", "t"),
        ("TopicArn", TOPIC),
        ("Type", "SubscriptionConfirmation"),
    ]);
    json!({
        "Type": "SubscriptionConfirmation", "MessageId": "s2", "TopicArn": TOPIC, "Token": "t",
        "Message": "You have chosen", "SubscribeURL": url, "Timestamp": TIME,
        "SignatureVersion": "2", "Signature": signature, "SigningCertURL": CERTIFICATE,
    })
}

#[test]
fn both_versions_are_right_and_the_lowest_is_configured() {
    for version in ["1", "2"] {
        let message = only(read(&ours(), &notification(version)));
        assert_eq!(message.message_id, "m1");
        assert_eq!(message.provider, "end-user-messaging");
    }
    let strict = sns_provider(TOPIC, SignatureVersion::V2);
    let refused = Err(InboundError::NotAuthentic);
    assert_eq!(read(&strict, &notification("1")), refused);
    assert!(read(&strict, &notification("2")).is_ok());
    for version in ["0", "3", ""] {
        assert_eq!(read(&ours(), &notification(version)), refused);
    }
}

#[test]
fn signature_of_one_version_is_wrong_as_the_other() {
    for version in ["1", "2"] {
        let mut message = notification(version);
        message["SignatureVersion"] = json!(if version == "1" { "2" } else { "1" });
        assert_eq!(read(&ours(), &message), Err(InboundError::NotAuthentic));
    }
}

#[test]
fn each_signed_member_counts() {
    for name in [
        "Type",
        "MessageId",
        "TopicArn",
        "Subject",
        "Message",
        "Timestamp",
        "Signature",
    ] {
        let mut changed = notification("2");
        changed[name] = json!("x");
        assert_eq!(
            read(&ours(), &changed),
            Err(InboundError::NotAuthentic),
            "{name}"
        );
        let mut without = notification("2");
        without.as_object_mut().unwrap().remove(name);
        assert_eq!(
            read(&ours(), &without),
            Err(InboundError::NotAuthentic),
            "{name}"
        );
    }
}

#[test]
fn certificate_from_elsewhere_is_not_fetched() {
    struct Never;

    #[async_trait]
    impl CertificateSource for Never {
        async fn fetch(&self, url: &CertificateUrl) -> Result<Vec<u8>, CertificateUnavailable> {
            panic!("{url:?} is fetched")
        }
    }

    let sns = Sns::new(
        TOPIC.parse().unwrap(),
        SignatureVersion::V1,
        Arc::new(Never),
    );
    let mut elsewhere = notification("2");
    elsewhere["SigningCertURL"] = json!("https://sns.eu-west-1.amazonaws.com.evil.com/a.pem");
    let mut stranger = notification("2");
    stranger["TopicArn"] = json!(TOPIC.replace("texts", "other"));
    let mut unsigned = notification("2");
    unsigned["Signature"] = json!("?");
    for message in [elsewhere, stranger, unsigned] {
        assert_eq!(read(&sns, &message), Err(InboundError::NotAuthentic));
    }
}

#[test]
fn certificate_that_cannot_be_fetched_asks_for_a_retry() {
    let mut message = notification("2");
    message["SigningCertURL"] = json!("https://sns.eu-west-1.amazonaws.com/other.pem");
    assert_eq!(
        read(&ours(), &message),
        Err(InboundError::CertificateUnavailable)
    );
}

/// Serves the given answers, and counts requests.
struct Counting {
    fetched: AtomicU32,
    pem: &'static [u8],
}

#[async_trait]
impl CertificateSource for Counting {
    async fn fetch(&self, _: &CertificateUrl) -> Result<Vec<u8>, CertificateUnavailable> {
        self.fetched.fetch_add(1, Ordering::Relaxed);
        Ok(self.pem.to_vec())
    }
}

fn counting(pem: &'static [u8]) -> (Arc<Counting>, Sns) {
    let source = Arc::new(Counting {
        fetched: AtomicU32::new(0),
        pem,
    });
    let topic = TOPIC.parse().unwrap();
    let sns = Sns::new(topic, SignatureVersion::V1, Arc::clone(&source) as _);
    (source, sns)
}

#[test]
fn certificate_is_fetched_once() {
    let (source, sns) = counting(include_bytes!("../sns/certificate.pem"));
    for version in ["1", "2", "1"] {
        assert!(read(&sns, &notification(version)).is_ok());
    }
    assert_eq!(source.fetched.load(Ordering::Relaxed), 1);
}

#[test]
fn certificate_counts_only_while_it_is_valid() {
    let body = notification("2").to_string();
    for (now, fits) in [
        (Timestamp::from_millis(1_700_000_000_000), false),
        (NOW, true),
        (Timestamp::from_millis(5_000_000_000_000), false),
    ] {
        let taken = post(&ours(), &[], body.as_bytes(), now);
        assert_eq!(taken.is_ok(), fits, "{now:?}");
    }
}

#[test]
fn thing_that_is_no_certificate_is_refused() {
    for pem in [
        &b""[..],
        b"<html>",
        b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    ] {
        let (_, sns) = counting(pem);
        assert_eq!(
            read(&sns, &notification("2")),
            Err(InboundError::NotAuthentic)
        );
    }
}

#[test]
fn subscription_is_confirmed_only_at_the_host_of_sns() {
    let good = "https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=x&Token=t";
    let Content::Subscription(url) = read(&ours(), &confirmation(good)).unwrap().content else {
        panic!("a subscription is to be confirmed")
    };
    assert_eq!(url.as_str(), good);
    assert!(!format!("{url:?}").contains("Token"));
    for bad in [
        "https://evil.com/?Action=ConfirmSubscription&TopicArn=x",
        "https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=x",
        "http://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=x",
        "https://sns.eu-west-1.amazonaws.com/?Action=Unsubscribe&TopicArn=x",
    ] {
        let invalid = MalformedText::Invalid("SubscribeURL");
        let taken = read(&ours(), &confirmation(bad));
        assert_eq!(taken, Err(InboundError::Malformed(invalid)), "{bad}");
    }
}

#[test]
fn end_of_a_subscription_is_ignored() {
    let url = "https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=x";
    let signature = sns_signature(&[
        ("Message", "You have chosen"),
        ("MessageId", "s2"),
        ("SubscribeURL", url),
        ("Timestamp", TIME),
        ("Token", "t"),
        ("TopicArn", TOPIC),
        ("Type", "UnsubscribeConfirmation"),
    ]);
    let mut message = confirmation(url);
    message["Type"] = json!("UnsubscribeConfirmation");
    message["Signature"] = json!(signature);
    assert_eq!(
        events(read(&ours(), &message)),
        [Inbound::Ignored(Ignored::NotAText)]
    );
}
