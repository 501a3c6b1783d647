//! Vonage's SMS API: parameters that include their own signature.
//!
//! The parameters come in the query of a GET, in a form or in a JSON object, depending on the
//! account's settings. `sig` is the hexadecimal HMAC over `&name=value` of each other parameter,
//! sorted by name, with `_` in place of `&` and `=` in values. The configured hash is used,
//! whatever the call says. Vonage's library does not check the age of a call; this module does. It
//! refuses names that contain `&` or `=`, and repeated names: with those, one signature would match
//! several lists of parameters.
//!
//! Long texts come in parts: see [`crate::part`]. Numbers have no `+`. Vonage expects a 200 or 204,
//! and otherwise retries for 24 hours.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use countersign_domain::confirmation::text::{Channel, InboundMessage};
use countersign_domain::primitives::canonical_json;
use countersign_domain::primitives::time::Timestamp;
use http::Method;
use serde::Deserialize;

use crate::age;
use crate::call::{AuthenticCall, Call, SignedCall, json_type};
use crate::error::{InboundError, MalformedText};
use crate::form::{self, Pairs};
use crate::json::Json;
use crate::mac::{HashAlgorithm, equal, from_hex, to_hex};
use crate::numbers::bare;
use crate::outcome::{Content, Ignored, Inbound};
use crate::part::TextPart;
use crate::provider::InboundProvider;
use crate::secret::{Rotating, SharedSecret};
use crate::secret_list::SecretList;
use crate::spec::{
    HASH, OptionKind, OptionSpec, PROVIDERS_SECRET, ProviderSpec, SecretSpec, USUAL, mistake,
    parse_settings,
};

/// The provider's name in the route.
pub const NAME: &str = "vonage-sms";

/// The provider's facts.
pub(crate) const SPEC: ProviderSpec = ProviderSpec {
    name: NAME,
    title: "Vonage SMS",
    anchor: "vonage-sms",
    secrets: SecretSpec {
        mistaken_for: &[mistake("", 8, "an API key")],
        ..PROVIDERS_SECRET
    },
    options: &[OptionSpec {
        member: "algorithm",
        flag: "algorithm",
        help: "the hash",
        kind: OptionKind::Required(HASH),
    }],
    steps: STEPS,
    create: Some(|settings, _| {
        let Settings { secrets, algorithm } = parse_settings(settings)?;
        Ok(Arc::new(VonageSms::new(
            secrets.parse::<SharedSecret>()?,
            algorithm,
        )))
    }),
    ..USUAL
};

const STEPS: &str = r#"1. Dashboard > Settings > API Settings > your API key. Messaging API Type: SMS API.
2. Webhook format: POST-JSON. Inbound SMS webhook: the URL.
3. Signature method: SHA-256 HMAC or SHA-512 HMAC. Not "MD5 hash", the default.
4. Signed webhooks are off by default: have Vonage's support turn them on.
Secret: the signature secret on the same page, not the API secret. algorithm: as in step 3.
Signed: all parameters. Maximum age: five minutes. Not signed: the URL."#;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    secrets: SecretList,
    algorithm: HashAlgorithm,
}

const SIGNATURE: &str = "sig";

/// Vonage's SMS API, with the signature secrets of an account.
#[derive(Clone, Debug)]
pub struct VonageSms {
    secrets: Rotating<SharedSecret>,
    algorithm: HashAlgorithm,
}

/// The parameters as bytes, as the signature covers them.
type Parameters = BTreeMap<Vec<u8>, Vec<u8>>;

impl VonageSms {
    /// Creates the provider. The algorithm is the one in the account's settings.
    #[must_use]
    pub fn new(secrets: impl Into<Rotating<SharedSecret>>, algorithm: HashAlgorithm) -> Self {
        Self {
            secrets: secrets.into(),
            algorithm,
        }
    }

    fn signature(&self, secret: &SharedSecret, parameters: &Parameters) -> Vec<u8> {
        let mut signed = Vec::new();
        for (name, value) in parameters {
            if name != SIGNATURE.as_bytes() {
                signed.push(b'&');
                signed.extend(name);
                signed.push(b'=');
                let plain = |byte: &u8| if b"&=".contains(byte) { b'_' } else { *byte };
                signed.extend(value.iter().map(plain));
            }
        }
        self.algorithm.mac(secret.bytes(), &[&signed])
    }

    fn is_signed(&self, parameters: &Parameters) -> Option<()> {
        let given = from_hex(get(parameters, SIGNATURE)?)?;
        self.secrets
            .any(|secret| equal(&self.signature(secret, parameters), &given))
            .then_some(())
    }
}

/// Returns a parameter, if it is UTF-8.
fn get<'a>(parameters: &'a Parameters, name: &str) -> Option<&'a str> {
    std::str::from_utf8(parameters.get(name.as_bytes())?).ok()
}

/// A value in a JSON object from Vonage.
#[derive(Deserialize)]
#[serde(untagged)]
enum Scalar {
    Text(String),
    Number(serde_json::Number),
    Flag(bool),
}

/// Reads the parameters from the place that the method and the media type determine, in each way that they may have
/// been signed. The last list is used, which is valid UTF-8.
fn parameters(call: &Call<'_>) -> Result<Vec<Parameters>, MalformedText> {
    let spellings = if call.method == Method::GET {
        form::signed(call.query.unwrap_or_default().as_bytes())?
    } else if call.is("application/json") {
        // A map would lose a value if a name occurred twice, so the object is read as a list.
        let body = Json::from_bytes(call.body);
        let object: canonical_json::Pairs<String, Scalar> = body.parse()?;
        let text = |value| match value {
            Scalar::Text(text) => text,
            Scalar::Number(number) => number.to_string(),
            Scalar::Flag(flag) => flag.to_string(),
        };
        let pairs = object.0.into_iter();
        let bytes = |(name, value): (String, _)| (name.into_bytes(), text(value).into_bytes());
        vec![pairs.map(bytes).collect()]
    } else if call.is("application/x-www-form-urlencoded") {
        form::signed(call.body)?
    } else {
        return Err(MalformedText::MediaType);
    };
    spellings.into_iter().map(unambiguous).collect()
}

fn unambiguous(pairs: Pairs) -> Result<Parameters, MalformedText> {
    let mut parameters = Parameters::new();
    for (name, value) in pairs {
        if name.iter().any(|byte| b"&=".contains(byte)) {
            return Err(MalformedText::Invalid("name"));
        }
        if parameters.insert(name, value).is_some() {
            return Err(MalformedText::Repeated("name"));
        }
    }
    Ok(parameters)
}

#[async_trait]
impl InboundProvider for VonageSms {
    fn name(&self) -> &'static str {
        NAME
    }

    fn uses(&self, method: &Method) -> bool {
        method == Method::POST || method == Method::GET
    }

    async fn authenticate<'a>(
        &self,
        call: Call<'a>,
        now: Timestamp,
    ) -> Result<AuthenticCall<'a>, InboundError> {
        let spellings = parameters(&call).map_err(|_| InboundError::NotAuthentic)?;
        let signed = spellings.iter().find(|it| self.is_signed(it).is_some());
        let signed = signed.ok_or(InboundError::NotAuthentic)?;
        let timestamp = get(signed, "timestamp").ok_or(MalformedText::Missing("timestamp"))?;
        let at = age::parse(timestamp).ok_or(MalformedText::Invalid("timestamp"))?;
        age::check(at, now)?;
        Ok(AuthenticCall::new(call))
    }

    fn parse(&self, call: &AuthenticCall<'_>) -> Result<Content, MalformedText> {
        let parameters = parameters(&call.call)?.pop().unwrap_or_default();
        let get = |name| get(&parameters, name);
        // A receipt has no text.
        let Some(text) = get("text").filter(|_| get("type") != Some("binary")) else {
            return Ok(Content::one(Inbound::Ignored(Ignored::NotAText)));
        };
        let (Some(id), Some(to)) = (get("messageId"), get("to")) else {
            return Ok(Content::one(Inbound::Ignored(Ignored::Malformed)));
        };
        let message = InboundMessage {
            provider: NAME,
            channel: Channel::Sms,
            message_id: id.to_owned(),
            from: get("msisdn").unwrap_or_default().to_owned(),
            to: to.to_owned(),
            text: text.to_owned(),
            carrier: None,
        };
        let count = |name| get(name)?.parse::<u8>().ok();
        let place = (
            get("concat-ref"),
            count("concat-part"),
            count("concat-total"),
        );
        Ok(Content::one(match place {
            (Some(reference), Some(number), Some(total))
                if get("concat") == Some("true") && total > 1 && (1..=total).contains(&number) =>
            {
                Inbound::Part(TextPart {
                    message,
                    reference: reference.to_owned(),
                    number,
                    total,
                })
            }
            // A complete text, or a part without a reference to its text.
            _ => Inbound::text(message),
        }))
    }

    fn sign(&self, text: &InboundMessage, now: Timestamp, nonce: &str) -> Option<SignedCall> {
        let pairs = [
            ("msisdn", bare(&text.from)),
            ("to", bare(&text.to)),
            ("messageId", &text.message_id),
            ("text", &text.text),
            ("type", "unicode"),
            ("timestamp", &now.as_secs().to_string()),
            ("nonce", nonce),
        ];
        let mut parameters: Parameters = pairs
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        let signature = to_hex(&self.signature(self.secrets.first(), &parameters));
        parameters.insert(SIGNATURE.into(), signature.into());
        let text = |name: &Vec<u8>| String::from_utf8_lossy(name).into_owned();
        let body: BTreeMap<_, _> = parameters.iter().map(|(n, v)| (text(n), text(v))).collect();
        Some(SignedCall {
            headers: vec![json_type()],
            body: serde_json::to_vec(&body).ok()?,
        })
    }
}
