//! Vonage's SMS API: parameters that carry their own signature.
//!
//! The parameters come in the query of a GET, in a form or in a JSON object, as the account is set.
//! `sig` is the hexadecimal HMAC over `&name=value` of each other parameter, in the order of the
//! names, with `_` for `&` and `=` in values. The configured hash decides, never the call. Vonage's
//! library does not check the age of a call; this module does. It refuses names that contain `&` or
//! `=`, and repeated ones: with those, one signature would fit several lists of parameters.
//!
//! Long texts come in parts: see [`crate::part`]. Numbers have no `+`. Vonage wants 200 or 204, and
//! otherwise retries for 24 hours.

use std::collections::BTreeMap;

use async_trait::async_trait;
use countersign_domain::confirmation::text::{Channel, InboundMessage};
use countersign_domain::primitives::time::Timestamp;
use http::Method;
use serde::Deserialize;

use crate::age;
use crate::call::{Authentic, Call, SignedCall, json_type};
use crate::error::{InboundError, MalformedText};
use crate::form::Form;
use crate::json;
use crate::mac::{HashAlgorithm, equal, from_hex, to_hex};
use crate::numbers::bare;
use crate::outcome::{Content, Ignored, Inbound};
use crate::part::TextPart;
use crate::provider::InboundProvider;
use crate::secret::{Rotating, SharedSecret};

/// The provider's name in the route.
pub const NAME: &str = "vonage-sms";

const SIGNATURE: &str = "sig";

/// Vonage's SMS API, with the signature secrets of an account.
#[derive(Clone, Debug)]
pub struct VonageSms {
    secrets: Rotating<SharedSecret>,
    algorithm: HashAlgorithm,
}

type Parameters = BTreeMap<String, String>;

impl VonageSms {
    /// Creates the provider. The algorithm is the one that the account's settings name.
    #[must_use]
    pub fn new(secrets: impl Into<Rotating<SharedSecret>>, algorithm: HashAlgorithm) -> Self {
        Self {
            secrets: secrets.into(),
            algorithm,
        }
    }

    fn signature(&self, secret: &SharedSecret, parameters: &Parameters) -> Vec<u8> {
        let mut signed = String::new();
        for (name, value) in parameters {
            if name != SIGNATURE {
                signed.extend(["&", name, "=", &value.replace(['&', '='], "_")]);
            }
        }
        self.algorithm.mac(secret.bytes(), &[signed.as_bytes()])
    }

    fn is_signed(&self, parameters: &Parameters) -> Option<()> {
        let given = from_hex(parameters.get(SIGNATURE)?)?;
        self.secrets
            .any(|secret| equal(&self.signature(secret, parameters), &given))
            .then_some(())
    }
}

/// A value in a JSON object of Vonage's.
#[derive(Deserialize)]
#[serde(untagged)]
enum Scalar {
    Text(String),
    Number(serde_json::Number),
    Flag(bool),
}

/// Reads the parameters from the one place that the method and the media type name.
fn parameters(call: &Call<'_>) -> Result<Parameters, MalformedText> {
    let pairs: Vec<(String, String)> = if call.method == Method::GET {
        Form::parse(call.query.unwrap_or_default().as_bytes())?.0
    } else if call.is("application/json") {
        // A name that occurs twice would lose a value, so the object is read as a list.
        let object: json::Pairs<Scalar> = json::parse(call.body)?;
        let text = |value| match value {
            Scalar::Text(text) => text,
            Scalar::Number(number) => number.to_string(),
            Scalar::Flag(flag) => flag.to_string(),
        };
        object.0.into_iter().map(|(n, v)| (n, text(v))).collect()
    } else if call.is("application/x-www-form-urlencoded") {
        Form::parse(call.body)?.0
    } else {
        return Err(MalformedText::MediaType);
    };
    let mut parameters = Parameters::new();
    for (name, value) in pairs {
        if name.contains(['&', '=']) {
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
    ) -> Result<Authentic<'a>, InboundError> {
        let parameters = parameters(&call).map_err(|_| InboundError::NotAuthentic)?;
        self.is_signed(&parameters)
            .ok_or(InboundError::NotAuthentic)?;
        let timestamp = parameters
            .get("timestamp")
            .ok_or(MalformedText::Missing("timestamp"))?;
        let at = age::parse(timestamp).ok_or(MalformedText::Invalid("timestamp"))?;
        age::check(at, now)?;
        Ok(Authentic::new(call))
    }

    fn parse(&self, call: &Authentic<'_>) -> Result<Content, MalformedText> {
        let parameters = parameters(&call.call)?;
        let get = |name| parameters.get(name).map(String::as_str);
        let required = |name| {
            let value = get(name).ok_or(MalformedText::Missing(name))?;
            Ok::<_, MalformedText>(value.to_owned())
        };
        let Some(text) = get("text").filter(|_| get("type") != Some("binary")) else {
            return Ok(Content::Events(vec![Inbound::Ignored(Ignored::NotAText)]));
        };
        let message = InboundMessage {
            provider: NAME,
            channel: Channel::Sms,
            message_id: required("messageId")?,
            from: required("msisdn")?,
            to: required("to")?,
            text: text.to_owned(),
            carrier: None,
        };
        if get("concat") != Some("true") {
            return Ok(Content::Events(vec![Inbound::text(message)]));
        }
        let count = |name| {
            let count = required(name)?.parse::<u8>();
            count.map_err(|_| MalformedText::Invalid(name))
        };
        let (number, total) = (count("concat-part")?, count("concat-total")?);
        if !(1..=total).contains(&number) {
            return Err(MalformedText::Invalid("concat-part"));
        }
        let part = TextPart {
            message,
            reference: required("concat-ref")?,
            number,
            total,
        };
        Ok(Content::Events(vec![if total == 1 {
            Inbound::text(part.message)
        } else {
            Inbound::Part(part)
        }]))
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
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let signature = to_hex(&self.signature(self.secrets.first(), &parameters));
        parameters.insert(SIGNATURE.to_owned(), signature);
        Some(SignedCall {
            headers: vec![json_type()],
            body: serde_json::to_vec(&parameters).ok()?,
        })
    }
}
