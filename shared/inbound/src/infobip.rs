//! Infobip: JSON with several texts, under Basic authentication or an HMAC over the body.
//!
//! An HMAC's algorithm and header are settings of the subscription and must be configured here in
//! the same way; the digits may be hexadecimal, with or without a prefix as in `sha256=`, or Base64.
//! Neither method has a timestamp: a replayed call contains texts whose codes have been used or have
//! expired. Numbers have no `+`.
//!
//! Infobip expects a 2xx, and retries otherwise.

use std::sync::Arc;

use async_trait::async_trait;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use countersign_domain::confirmation::text::{Channel, InboundMessage};
use countersign_domain::primitives::time::Timestamp;
use http::HeaderName;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use crate::basic::BasicCredentials;
use crate::call::{AuthenticCall, Call, SignedCall, json_type};
use crate::error::{InboundError, MalformedText};
use crate::json::{self, Json};
use crate::mac::{HashAlgorithm, equal, from_hex, to_hex};
use crate::numbers::bare;
use crate::outcome::{Content, Ignored, Inbound};
use crate::provider::InboundProvider;
use crate::secret::{Rotating, SharedSecret};
use crate::secret_list::SecretList;
use crate::spec::{
    GeneratedSecret, HASH, OptionKind, OptionSpec, PROVIDERS_SECRET, ProviderSpec, SecretSpec,
    USUAL, Value, Wrong, parse_settings, value,
};
use crate::{MAX_BATCH_BODY, MAX_EVENTS};

/// The provider's name in the route.
pub const NAME: &str = "infobip";

/// The provider's facts.
pub(crate) const SPEC: ProviderSpec = ProviderSpec {
    name: NAME,
    title: "Infobip",
    anchor: "infobip",
    secrets: SecretSpec {
        label: "NAME:PASSWORD",
        lists: &["credentials", "secrets"],
        one_list: true,
        generated: Some(GeneratedSecret::Credentials(32)),
        ..PROVIDERS_SECRET
    },
    options: &[
        OptionSpec {
            member: "algorithm",
            flag: "algorithm",
            help: "the hash of the HMAC, if you chose one",
            kind: OptionKind::WithList(HASH, "secrets"),
        },
        OptionSpec {
            member: "header",
            flag: "header",
            help: "the name of the header with the HMAC",
            kind: OptionKind::WithList(Value::any("NAME"), "secrets"),
        },
    ],
    steps: STEPS,
    create: Some(|settings, _| {
        let settings: Settings = parse_settings(settings)?;
        let Settings {
            credentials,
            secrets,
            algorithm,
            header,
        } = settings;
        let proof = match (credentials, secrets, algorithm, header) {
            (Some(credentials), None, None, None) => InfobipProof::Basic(credentials.parse()?),
            (None, Some(secrets), Some(algorithm), Some(header)) => InfobipProof::Hmac {
                secrets: secrets.parse()?,
                algorithm,
                header: value(&header)?,
            },
            _ => {
                return Err(Wrong::value(
                    "needs either credentials, or secrets with algorithm and header",
                ));
            }
        };
        Ok(Arc::new(Infobip::new(proof)))
    }),
    ..USUAL
};

const STEPS: &str = r"1. The number's default action: Follow subscription.
2. Portal > Developer Tools > Subscriptions Management > Subscriptions > Create subscription.
3. Category SMS, the event for inbound messages, format MO_JSON_2.
4. Notification profile: the URL; security BASIC (credentials) or HMAC (secrets); any maxBucketSize.
Secret: you choose it. HMAC also needs algorithm and header; the header's name is not documented.
Signed: HMAC: the body, no time. BASIC: nothing.";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    credentials: Option<SecretList>,
    secrets: Option<SecretList>,
    algorithm: Option<HashAlgorithm>,
    header: Option<String>,
}

/// Infobip's authentication: the security setting of the subscription.
#[derive(Clone, Debug)]
pub enum InfobipProof {
    /// A name and a password.
    Basic(Rotating<BasicCredentials>),
    /// An HMAC over the body.
    Hmac {
        /// The secret key.
        secrets: Rotating<SharedSecret>,
        algorithm: HashAlgorithm,
        /// Name of the header with the HMAC.
        header: HeaderName,
    },
}

/// Infobip, with the security setting of a subscription.
#[derive(Clone, Debug)]
pub struct Infobip {
    proof: InfobipProof,
}

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    results: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event {
    integration_type: Option<String>,
    message_id: Option<String>,
    from: Option<String>,
    to: Option<String>,
    text: Option<String>,
    /// The content of a text on a channel other than SMS.
    message: Option<Message>,
}

#[derive(Deserialize)]
struct Message {
    text: Option<String>,
}

impl Infobip {
    /// Creates the provider.
    #[must_use]
    pub const fn new(proof: InfobipProof) -> Self {
        Self { proof }
    }

    fn is_authentic(&self, call: &Call<'_>) -> bool {
        match &self.proof {
            InfobipProof::Basic(credentials) => credentials.any(|known| known.are_in(call)),
            InfobipProof::Hmac {
                secrets,
                algorithm,
                header,
            } => {
                let Some(given) = call.header(header.as_str()).and_then(decode) else {
                    return false;
                };
                secrets.any(|secret| equal(&algorithm.mac(secret.bytes(), &[call.body]), &given))
            }
        }
    }
}

/// Decodes an HMAC. Hexadecimal digits are tried first; Base64 of the same bytes is shorter, so no
/// text is valid in both encodings.
fn decode(text: &str) -> Option<Vec<u8>> {
    let digits = match text.split_once('=') {
        Some((prefix, digits)) if prefix.starts_with("sha") && !digits.is_empty() => digits,
        _ => text,
    };
    from_hex(digits).or_else(|| BASE64_STANDARD.decode(digits).ok())
}

/// Parses an event; returns `None` if it is malformed.
fn event(event: &RawValue) -> Option<Inbound> {
    let event: Event = json::event(event)?;
    let channel = match event.integration_type.as_deref() {
        None | Some("SMS") => Channel::Sms,
        Some(_) => Channel::Other,
    };
    let text = event.text.or_else(|| event.message?.text);
    let Some(text) = text else {
        return Some(Inbound::Ignored(Ignored::NotAText));
    };
    Some(Inbound::text(InboundMessage {
        provider: NAME,
        channel,
        message_id: event.message_id?,
        from: event.from.unwrap_or_default(),
        to: event.to?,
        text,
        carrier: None,
    }))
}

#[async_trait]
impl InboundProvider for Infobip {
    fn name(&self) -> &'static str {
        NAME
    }

    fn max_body(&self) -> usize {
        MAX_BATCH_BODY
    }

    async fn authenticate<'a>(
        &self,
        call: Call<'a>,
        _now: Timestamp,
    ) -> Result<AuthenticCall<'a>, InboundError> {
        if self.is_authentic(&call) {
            Ok(AuthenticCall::new(call))
        } else {
            Err(InboundError::NotAuthentic)
        }
    }

    fn parse(&self, call: &AuthenticCall<'_>) -> Result<Content, MalformedText> {
        let json = Json::from_bytes(call.call.body);
        let Some(Body { results }) = json.event()? else {
            return Ok(Content::one(Inbound::Ignored(Ignored::Malformed)));
        };
        if results.len() > MAX_EVENTS {
            return Err(MalformedText::TooMany);
        }
        let events = results.into_iter().map(|result| {
            let malformed = Inbound::Ignored(Ignored::Malformed);
            event(result).unwrap_or(malformed)
        });
        Ok(Content::Events(events.collect()))
    }

    fn sign(&self, text: &InboundMessage, _now: Timestamp, _nonce: &str) -> Option<SignedCall> {
        let body = json!({
            "results": [{
                "messageId": text.message_id,
                "from": bare(&text.from),
                "to": bare(&text.to),
                "text": text.text,
                "cleanText": text.text,
            }],
            "messageCount": 1,
            "pendingMessageCount": 0,
        });
        let body = body.to_string().into_bytes();
        let mut headers = vec![json_type()];
        match &self.proof {
            InfobipProof::Basic(credentials) => headers.push(credentials.first().header()),
            InfobipProof::Hmac {
                secrets,
                algorithm,
                header,
            } => {
                let mac = algorithm.mac(secrets.first().bytes(), &[&body]);
                headers.push((header.clone(), to_hex(&mac)));
            }
        }
        Some(SignedCall { headers, body })
    }
}
