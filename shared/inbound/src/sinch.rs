//! Sinch's SMS API: JSON, signed with HMAC-SHA256.
//!
//! `x-sinch-webhook-signature` is the Base64 of the HMAC over `{body}.{nonce}.{timestamp}`, with
//! nonce and time in separate headers. `x-sinch-webhook-signature-algorithm` is not read. The body
//! is signed and a text takes effect only once, so the nonce need not be stored. Numbers have no
//! `+`.
//!
//! Sinch expects a 2xx. It retries 5xx and 429 for about 22 hours, **and never another 4xx**. A call
//! that is not authentic therefore gets a 429: a genuine text that arrives while a secret is being
//! replaced, or before signing is turned on, is then sent again. Sinch reports the code of the
//! sender's network.

use std::sync::Arc;

use async_trait::async_trait;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use countersign_domain::confirmation::text::{Channel, InboundMessage};
use countersign_domain::primitives::time::Timestamp;
use serde::Deserialize;
use serde_json::json;

use crate::age;
use crate::call::{AuthenticCall, Call, SignedCall, json_type, named};
use crate::error::{InboundError, MalformedText};
use crate::json::{Json, written};
use crate::mac::{HashAlgorithm, equal};
use crate::numbers::bare;
use crate::outcome::{Content, Ignored, Inbound, NetworkCode, Outcome, ProviderResponse};
use crate::provider::InboundProvider;
use crate::secret::{Rotating, SharedSecret};
use crate::secret_list::SecretList;
use crate::spec::{
    GeneratedSecret, PROVIDERS_SECRET, ProviderSpec, SecretSpec, USUAL, parse_settings,
};

/// The provider's name in the route.
pub const NAME: &str = "sinch";

/// The provider's facts.
pub(crate) const SPEC: ProviderSpec = ProviderSpec {
    name: NAME,
    title: "Sinch",
    anchor: "sinch",
    secrets: SecretSpec {
        label: "webhook secret",
        generated: Some(GeneratedSecret::Hex(32)),
        ..PROVIDERS_SECRET
    },
    names_carrier: true,
    steps: STEPS,
    create: Some(|settings, _| {
        let Settings { secrets } = parse_settings(settings)?;
        Ok(Arc::new(Sinch::new(secrets.parse::<SharedSecret>()?)))
    }),
    ..USUAL
};

const STEPS: &str = r"1. Dashboard > SMS > Service APIs > your service plan.
2. Callback URLs > Add callback URL > Incoming URL: the URL. Configure.
3. Ask your account manager to turn on HMAC for callbacks, with a secret that you choose.
4. Send a text before you give out the number. Until HMAC is on, calls get 429 and come again.
Secret: the one of step 3, not the API token.
Signed: body, nonce and time. Maximum age: five minutes. Not signed: the URL.";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    secrets: SecretList,
}

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

/// Checks that a call was made by Sinch, and recently.
pub(crate) fn authenticate<'a>(
    secrets: &Rotating<SharedSecret>,
    call: Call<'a>,
    now: Timestamp,
) -> Result<AuthenticCall<'a>, InboundError> {
    let signed_at = signed_at(secrets, &call);
    AuthenticCall::recent(call, signed_at, now)
}

/// Returns the time of signing if the signature is valid.
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

/// Returns the answer to a call: Sinch never repeats one that was answered with a 4xx other than
/// 429.
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
    ) -> Result<AuthenticCall<'a>, InboundError> {
        authenticate(&self.secrets, call, now)
    }

    fn parse(&self, call: &AuthenticCall<'_>) -> Result<Content, MalformedText> {
        let json = Json::from_bytes(call.call.body);
        let kind = json.event::<Event>()?.map(|event| event.kind);
        let event = match kind.as_ref().map(Option::as_deref) {
            Some(Some("mo_text")) => event(&json, Some::<String>)?,
            // A phone sends a long or a group text as MMS.
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
