//! The libraries for Node.js: Twilio's, and AWS's for SNS.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use countersign_inbound::InboundError;
use countersign_inbound::sns::{
    CertificateSource, CertificateUnavailable, CertificateUrl, SignatureVersion, Sns,
};
use countersign_interop::chance::Chance;
use countersign_interop::notices::skip;
use countersign_interop::seeds;
use serde_json::{Map, Value, json};

use crate::generated::content;
use crate::kinds::KINDS;
use crate::{CALLS, Job, ours, run, take, their_form};

const TOPIC: &str = "arn:aws:sns:eu-west-1:123456789012:texts";
const KEYS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../shared/inbound/tests/sns"
);

/// The certificate that the script signs with.
struct Files;

#[async_trait]
impl CertificateSource for Files {
    async fn fetch(&self, _: &CertificateUrl) -> Result<Vec<u8>, CertificateUnavailable> {
        std::fs::read(Path::new(KEYS).join("certificate.pem")).map_err(|_| CertificateUnavailable)
    }
}

/// A message that AWS's validator accepted, verified by us: valid as it is, and invalid after a
/// change of any signed member.
fn sns(chance: &mut Chance, jobs: &mut Vec<Job>) {
    let text = json!({
        "originationNumber": "+12025550100", "destinationNumber": "+12025550199",
        "messageBody": content(chance), "inboundMessageId": "m1",
    });
    let (version, hash) = chance.pick(&[("1", "RSA-SHA1"), ("2", "RSA-SHA256")]);
    let mut message = json!({
        "Type": "Notification", "MessageId": "s1", "TopicArn": TOPIC, "Message": text.to_string(),
        "Timestamp": "2026-11-22T10:00:00.000Z", "SignatureVersion": version,
        "SigningCertURL": "https://sns.eu-west-1.amazonaws.com/SNS-1.pem",
    });
    if chance.once_in(2) {
        message["Subject"] = content(chance).into();
    }
    if chance.once_in(3) {
        message["Type"] = "SubscriptionConfirmation".into();
        message["Token"] = "t".into();
        message["SubscribeURL"] =
            "https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=t".into();
        message.as_object_mut().unwrap().remove("Subject");
    }
    let job = json!({"action": "sign", "provider": "sns", "message": message, "hash": hash});
    let check = |signed: &Value| {
        let sns = Sns::new(
            TOPIC.parse().unwrap(),
            SignatureVersion::V1,
            Arc::new(Files),
        );
        let read = |message: &Value| take(&sns, None, &Map::new(), message.to_string().as_bytes());
        assert!(read(signed).is_ok(), "{signed}");
        for name in [
            "Message",
            "MessageId",
            "Timestamp",
            "Subject",
            "Token",
            "SubscribeURL",
        ] {
            if let Some(text) = signed[name].as_str() {
                let mut changed = signed.clone();
                changed[name] = format!("{text}x").into();
                assert_eq!(read(&changed), Err(InboundError::NotAuthentic), "{changed}");
            }
        }
    };
    jobs.push((job, Box::new(check)));
}

#[test]
fn libraries_for_node_agree_with_us() {
    const TEST: &str = "texts signed by the providers' libraries for Node.js";
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("providers");
    if !folder.join("node_modules").exists() {
        skip(TEST, "tests/interop/providers/node_modules is missing");
        return;
    }
    let twilio = &KINDS[0];
    assert_eq!(twilio.algorithm, "HMAC_SHA1", "the library knows no other");
    let mut jobs = Vec::new();
    for seed in [seeds::FIXED, seeds::fresh(TEST)] {
        for number in 0..CALLS {
            let chance = &mut Chance::new(seed, number);
            ours(twilio, chance, &mut jobs);
            // The libraries for Node.js and Python sort repeated values with emoji differently.
            their_form(twilio, false, chance, &mut jobs);
            sns(chance, &mut jobs);
        }
    }
    let script = folder.join("check.mjs");
    let results = run("node", &[script.to_str().unwrap(), KEYS], &jobs);
    assert_eq!(results.len(), jobs.len());
    for ((_, check), result) in jobs.iter().zip(&results) {
        check(result);
    }
}
