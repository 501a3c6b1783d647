//! Sinch's SMS API: JSON, signed with HMAC-SHA256.
//!
//! `x-sinch-webhook-signature` is the Base64 of the HMAC over `{body}.{nonce}.{timestamp}`, with
//! nonce and time in separate headers. `x-sinch-webhook-signature-algorithm` is not read. The
//! body is signed and a text counts once, so the nonce need not be kept. Numbers have no `+`.
//!
//! Sinch wants 2xx. It retries 5xx and 429 for about 22 hours, **and never another 4xx**. So a call
//! that is not authentic gets 429: while a secret is being replaced, or before signing is turned on, a
//! real text comes again. It names the sender's network by its code.

use async_trait::async_trait;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use countersign_domain::confirmation::text::{Channel, InboundMessage};
use countersign_domain::primitives::time::Timestamp;
use serde::Deserialize;
use serde_json::json;

use crate::age;
use crate::call::{Authentic, Call, SignedCall, json_type, named};
use crate::error::{InboundError, MalformedText};
use crate::json::{Json, written};
use crate::mac::{HashAlgorithm, equal};
use crate::numbers::bare;
use crate::outcome::{Content, Ignored, Inbound, NetworkCode, Outcome, ProviderResponse};
use crate::provider::InboundProvider;
use crate::secret::{Rotating, SharedSecret};

/// The provider's name in the route.
pub const NAME: &str = "sinch";
/// Name of the header with the signature.
pub const SIGNATURE_HEADER: &str = "x-sinch-webhook-signature";
/// Name of the header with the nonce.
pub const NONCE_HEADER: &str = "x-sinch-webhook-signature-nonce";
/// Name of the header with the time of signing.
pub const TIMESTAMP_HEADER: &str = "x-sinch-webhook-signature-timestamp";

/// Sinch, with the webhook secrets of a service plan.
#[derive(Clone, Debug)]
pub struct Sinch {
    secrets: Rotating<SharedSecret>,
}

#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: Option<String>,
}

#[derive(Deserialize)]
struct Text<Body> {
    id: String,
    from: Option<String>,
    to: String,
    body: Option<Body>,
    operator_id: Option<String>,
}

/// The content of an MMS.
#[derive(Deserialize)]
struct Media {
    message: Option<String>,
    subject: Option<String>,
}

impl Sinch {
    /// Creates the provider.
    #[must_use]
    pub fn new(secrets: impl Into<Rotating<SharedSecret>>) -> Self {
        Self {
            secrets: secrets.into(),
        }
    }
}

/// Checks that a call is Sinch's, and recent.
pub(crate) fn check(
    secrets: &Rotating<SharedSecret>,
    call: &Call<'_>,
    now: Timestamp,
) -> Result<(), InboundError> {
    let at = signed_at(secrets, call).ok_or(InboundError::NotAuthentic)?;
    age::check(at, now)
}

/// Returns the time of signing if the signature is right.
fn signed_at(secrets: &Rotating<SharedSecret>, call: &Call<'_>) -> Option<u64> {
    let nonce = call.header(NONCE_HEADER)?;
    let timestamp = call.header(TIMESTAMP_HEADER)?;
    let at = age::parse(timestamp)?;
    let given = BASE64_STANDARD
        .decode(call.header(SIGNATURE_HEADER)?)
        .ok()?;
    let fits = secrets.any(|secret| equal(&mac(secret, call.body, nonce, timestamp), &given));
    fits.then_some(at)
}

/// Returns the answer to a call: Sinch never repeats one that got 4xx, apart from 429.
pub(crate) const fn answer(outcome: Outcome) -> ProviderResponse {
    match outcome {
        Outcome::Refused(InboundError::NotAuthentic) => ProviderResponse::empty(429),
        Outcome::Taken | Outcome::Refused(_) | Outcome::Unavailable => {
            ProviderResponse::plain(outcome)
        }
    }
}

/// Signs a call as Sinch does.
pub(crate) fn signed(
    secrets: &Rotating<SharedSecret>,
    body: Vec<u8>,
    now: Timestamp,
    nonce: &str,
) -> SignedCall {
    let timestamp = now.as_secs().to_string();
    let signature = mac(secrets.first(), &body, nonce, &timestamp);
    SignedCall {
        headers: vec![
            json_type(),
            named(SIGNATURE_HEADER, BASE64_STANDARD.encode(signature)),
            named(NONCE_HEADER, nonce.to_owned()),
            named(TIMESTAMP_HEADER, timestamp),
        ],
        body,
    }
}

fn mac(secret: &SharedSecret, body: &[u8], nonce: &str, timestamp: &str) -> Vec<u8> {
    let parts = [body, b".", nonce.as_bytes(), b".", timestamp.as_bytes()];
    HashAlgorithm::Sha256.mac(secret.bytes(), &parts)
}

fn event<'a, Body: Deserialize<'a>>(
    json: &'a Json<'_>,
    content: fn(Body) -> Option<String>,
) -> Result<Inbound, MalformedText> {
    let Some(text) = json.event::<Text<Body>>()? else {
        return Ok(Inbound::Ignored(Ignored::Malformed));
    };
    let Some(content) = text.body.and_then(content) else {
        return Ok(Inbound::Ignored(Ignored::NotAText));
    };
    Ok(Inbound::Text {
        message: InboundMessage {
            provider: NAME,
            channel: Channel::Sms,
            message_id: text.id,
            from: text.from.unwrap_or_default(),
            to: text.to,
            text: content,
            carrier: None,
        },
        network: text.operator_id.as_deref().and_then(NetworkCode::parse),
    })
}

#[async_trait]
impl InboundProvider for Sinch {
    fn name(&self) -> &'static str {
        NAME
    }

    async fn authenticate<'a>(
        &self,
        call: Call<'a>,
        now: Timestamp,
    ) -> Result<Authentic<'a>, InboundError> {
        check(&self.secrets, &call, now)?;
        Ok(Authentic::new(call))
    }

    fn parse(&self, call: &Authentic<'_>) -> Result<Content, MalformedText> {
        let json = Json::of(call.call.body);
        let kind = json.event::<Event>()?.map(|event| event.kind);
        let event = match kind.as_ref().map(Option::as_deref) {
            Some(Some("mo_text")) => event(&json, Some::<String>)?,
            // A phone sends a long text, or one to a group, as MMS.
            Some(Some("mo_media")) => event(&json, |it: Media| written(it.message, it.subject))?,
            Some(_) => Inbound::Ignored(Ignored::NotAText),
            None => Inbound::Ignored(Ignored::Malformed),
        };
        Ok(Content::one(event))
    }

    fn answer(&self, outcome: Outcome) -> ProviderResponse {
        answer(outcome)
    }

    fn sign(&self, text: &InboundMessage, now: Timestamp, nonce: &str) -> Option<SignedCall> {
        let body = json!({
            "type": "mo_text",
            "id": text.message_id,
            "from": bare(&text.from),
            "to": bare(&text.to),
            "body": text.text,
        });
        let body = body.to_string().into_bytes();
        Some(signed(&self.secrets, body, now, nonce))
    }
}
