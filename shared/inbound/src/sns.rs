//! AWS End User Messaging over an SNS topic that calls us over HTTPS.
//!
//! SNS signs each message with RSA (PKCS #1 v1.5) over some of its members, each as `Name\nvalue\n`
//! in alphabetical order: version 1 with SHA-1, version 2 with SHA-256. The certificate is fetched
//! from the address in the message, which must be on the SNS host in the topic's region. A message
//! of another topic is refused before anything is fetched. The lowest accepted version is
//! configured.
//!
//! A new subscription is confirmed by requesting its `SubscribeURL`. A message has the time of its
//! publication, and SNS retries failed deliveries later, so the time is not checked: a repeated
//! message contains a text whose code has been used or has expired.
//!
//! SNS waits 15 seconds for a 2xx and retries after 429 and 5xx, but never after another 4xx; the
//! subscription's delivery policy determines for how long.

mod certificate;
mod topic;

use std::sync::Arc;

use async_trait::async_trait;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use countersign_domain::confirmation::text::InboundMessage;
use countersign_domain::primitives::time::Timestamp;
use serde::Deserialize;

pub use topic::{MalformedTopic, Topic};

pub use crate::certificate_source::{CertificateSource, CertificateUnavailable, CertificateUrl};

use crate::MAX_GROUP_BODY;
use crate::call::{AuthenticCall, Call, SignedCall};
use crate::end_user_messaging;
use crate::error::{InboundError, MalformedText};
use crate::json::Json;
use crate::outcome::{Content, Ignored, Inbound, SubscribeUrl};
use crate::provider::InboundProvider;
use crate::spec::{
    OptionKind, OptionSpec, PROVIDERS_SECRET, ProviderSpec, SecretSpec, USUAL, Value, Wrong,
    parse_settings, value,
};
use certificate::Certificates;

/// The provider's name in the route.
pub const NAME: &str = "sns";

/// The provider's facts.
pub(crate) const SPEC: ProviderSpec = ProviderSpec {
    name: NAME,
    title: "AWS End User Messaging, over HTTPS",
    anchor: "aws-end-user-messaging-over-https",
    secrets: SecretSpec {
        label: "",
        lists: &[],
        ..PROVIDERS_SECRET
    },
    options: &[
        OptionSpec {
            member: "topic",
            flag: "topic",
            help: "the topic",
            kind: OptionKind::Required(Value::any("ARN")),
        },
        OptionSpec {
            member: "signatureVersion",
            flag: "signature-version",
            help: "the lowest version of a signature",
            kind: OptionKind::Required(Value {
                name: "VERSION",
                possible: &["1", "2"],
            }),
        },
    ],
    sole_signer: Some("AWS"),
    steps: STEPS,
    create: Some(|settings, surroundings| {
        let Settings {
            topic,
            signature_version,
        } = parse_settings(settings)?;
        let topic = value(&topic)?;
        let certificates = surroundings
            .certificates
            .as_ref()
            .ok_or_else(|| Wrong::value("certificates cannot be fetched here"))?;
        Ok(Arc::new(Sns::new(
            topic,
            signature_version,
            Arc::clone(certificates),
        )))
    }),
    ..USUAL
};

const STEPS: &str = r"1. AWS End User Messaging > Phone numbers > your number > Two-way SMS > Edit settings:
   Enable two-way message, Amazon SNS, Existing Amazon SNS topic: {TOPIC}
2. Two-way channel role: Use Amazon SNS topic policies.
3. aws sns set-topic-attributes --topic-arn {TOPIC} --attribute-name SignatureVersion --attribute-value 2
4. aws sns subscribe --topic-arn {TOPIC} --protocol https --notification-endpoint {URL}
5. Raw message delivery stays off. Countersign confirms the subscription itself.
Secret: none. Signed: the message, with AWS's certificate. Not signed: the URL. No maximum age.";

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Settings {
    topic: String,
    signature_version: SignatureVersion,
}

/// Version of a message's signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
pub enum SignatureVersion {
    /// RSA with SHA-1, which SNS uses unless the topic's `SignatureVersion` is 2.
    #[serde(rename = "1")]
    V1,
    /// RSA with SHA-256.
    #[serde(rename = "2")]
    V2,
}

/// A topic of AWS End User Messaging that calls this service.
#[derive(Debug)]
pub struct Sns {
    topic: Topic,
    at_least: SignatureVersion,
    certificates: Certificates,
}

/// A message as SNS sends it.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Envelope {
    #[serde(rename = "Type")]
    kind: String,
    message_id: String,
    topic_arn: String,
    message: String,
    timestamp: String,
    signature_version: SignatureVersion,
    signature: String,
    #[serde(rename = "SigningCertURL")]
    signing_cert_url: String,
    subject: Option<String>,
    token: Option<String>,
    #[serde(rename = "SubscribeURL")]
    subscribe_url: Option<String>,
}

impl Envelope {
    /// Returns the signed text, or `None` if the message has a type that SNS does not document.
    fn signed(&self) -> Option<String> {
        let message = ("Message", Some(&self.message));
        let id = ("MessageId", Some(&self.message_id));
        let timestamp = ("Timestamp", Some(&self.timestamp));
        let topic = ("TopicArn", Some(&self.topic_arn));
        let kind = ("Type", Some(&self.kind));
        let members = match self.kind.as_str() {
            "Notification" => {
                let subject = ("Subject", self.subject.as_ref());
                vec![message, id, subject, timestamp, topic, kind]
            }
            "SubscriptionConfirmation" | "UnsubscribeConfirmation" => {
                let url = ("SubscribeURL", Some(self.subscribe_url.as_ref()?));
                let token = ("Token", Some(self.token.as_ref()?));
                vec![message, id, url, timestamp, token, topic, kind]
            }
            _ => return None,
        };
        let present = members
            .into_iter()
            .filter_map(|(name, value)| Some(format!("{name}\n{}\n", value?)));
        Some(present.collect())
    }
}

impl Sns {
    /// Creates the provider. Refuses messages whose signature version is lower than `at_least`.
    #[must_use]
    pub fn new(
        topic: Topic,
        at_least: SignatureVersion,
        certificates: Arc<dyn CertificateSource>,
    ) -> Self {
        Self {
            topic,
            at_least,
            certificates: Certificates::new(certificates),
        }
    }
}

#[async_trait]
impl InboundProvider for Sns {
    fn name(&self) -> &'static str {
        NAME
    }

    fn max_body(&self) -> usize {
        MAX_GROUP_BODY
    }

    async fn authenticate<'a>(
        &self,
        call: Call<'a>,
        now: Timestamp,
    ) -> Result<AuthenticCall<'a>, InboundError> {
        let refused = InboundError::NotAuthentic;
        let envelope: Envelope = Json::from_bytes(call.body).parse().map_err(|_| refused)?;
        if envelope.topic_arn != self.topic.as_str() || envelope.signature_version < self.at_least {
            return Err(refused);
        }
        let signed = envelope.signed().ok_or(refused)?;
        let signature = BASE64_STANDARD
            .decode(&envelope.signature)
            .map_err(|_| refused)?;
        let url = self
            .topic
            .certificate(&envelope.signing_cert_url)
            .ok_or(refused)?;
        let certificate = self.certificates.get(&url, now).await?;
        let version = envelope.signature_version;
        if certificate.verifies(version, signed.as_bytes(), &signature, now) {
            Ok(AuthenticCall::new(call))
        } else {
            Err(refused)
        }
    }

    fn parse(&self, call: &AuthenticCall<'_>) -> Result<Content, MalformedText> {
        let envelope: Envelope = Json::from_bytes(call.call.body).parse()?;
        match (envelope.kind.as_str(), envelope.subscribe_url) {
            ("Notification", _) => Ok(Content::one(
                match end_user_messaging::parse(&envelope.message) {
                    Ok(Some(text)) => Inbound::text(text),
                    Ok(None) => Inbound::Ignored(Ignored::NotAText),
                    // For example, a test from the console. SNS does not repeat refused messages.
                    Err(_) => Inbound::Ignored(Ignored::Malformed),
                },
            )),
            ("SubscriptionConfirmation", Some(url)) if self.topic.is_own_host(&url) => {
                Ok(Content::Subscription(SubscribeUrl(url)))
            }
            ("SubscriptionConfirmation", _) => Err(MalformedText::Invalid("SubscribeURL")),
            _ => Ok(Content::one(Inbound::Ignored(Ignored::NotAText))),
        }
    }

    /// Returns `None`: only AWS has the private key.
    fn sign(&self, _text: &InboundMessage, _now: Timestamp, _nonce: &str) -> Option<SignedCall> {
        None
    }
}
