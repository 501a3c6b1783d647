//! The generic provider: JSON signed with the Standard Webhooks scheme, for which every language
//! has a library.
//!
//! # Requests
//!
//! `POST` with the body `{"from","to","text","carrier"?,"channel"?}` and the headers of [Standard
//! Webhooks](https://www.standardwebhooks.com): `webhook-id` (the message's id, unchanged when it
//! is sent again), `webhook-timestamp` (seconds since the Unix epoch), and `webhook-signature`, a
//! space-separated list of `v1,` and the Base64 of HMAC-SHA256 over `id.timestamp.body`. The secret
//! is `whsec_` and Base64.
//!
//! Unknown members are ignored, and `carrier` and `channel` may be `null`. `channel` is `sms`, which is the
//! default, or `modem` for a text that the caller's own modem received.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use countersign_domain::confirmation::text::{Channel, InboundMessage};
use countersign_domain::primitives::canonical_json::CanonicalObject;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::webhook_secret::WebhookSecret;
use http::HeaderMap;
use serde::Deserialize;

use crate::age;
use crate::call::{AuthenticCall, Call, SignedCall, json_type, named};
use crate::error::{InboundError, MalformedText};
use crate::json::{Json, optional_text, required_text};
use crate::outcome::{Content, Inbound};
use crate::provider::InboundProvider;
use crate::secret::Rotating;
use crate::secret_list::SecretList;
use crate::spec::{
    GeneratedSecret, PROVIDERS_SECRET, ProviderSpec, SecretSpec, USUAL, parse_settings,
};

/// The provider's name in the route.
pub const NAME: &str = "generic";

/// The provider's facts.
pub(crate) const SPEC: ProviderSpec = ProviderSpec {
    name: NAME,
    title: "Generic",
    anchor: "generic",
    secrets: SecretSpec {
        generated: Some(GeneratedSecret::Webhook),
        ..PROVIDERS_SECRET
    },
    names_carrier: true,
    steps: STEPS,
    create: Some(|settings, _| {
        let Settings { secrets } = parse_settings(settings)?;
        Ok(Arc::new(Generic::new(secrets.parse::<WebhookSecret>()?)))
    }),
    ..USUAL
};

const STEPS: &str = r#"1. Let your provider or adapter POST {"from","to","text","carrier"?,"channel"?} as JSON to the URL.
2. Sign each call with a Standard Webhooks library and the secret (whsec_...).
3. webhook-id: the provider's message id, the same on every retry. webhook-timestamp: now.
4. Retry on 5xx or no answer, for five minutes.
Signed: id, time and body. Maximum age: five minutes."#;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    secrets: SecretList,
}

/// Name of the header with the message's id.
pub const ID_HEADER: &str = "webhook-id";
/// Name of the header with the time of sending.
pub const TIMESTAMP_HEADER: &str = "webhook-timestamp";
/// Name of the header with the signatures.
pub const SIGNATURE_HEADER: &str = "webhook-signature";

pub use crate::age::TOLERANCE;

/// The member for the channel of the text, and its values.
const CHANNEL: &str = "channel";
const SMS: &str = "sms";
const MODEM: &str = "modem";

/// Maximum length of a message id, in bytes.
const MAX_ID: usize = 256;

/// The generic provider, with the secrets that it shares with us.
#[derive(Clone, Debug)]
pub struct Generic {
    secrets: Rotating<WebhookSecret>,
}

impl Generic {
    /// Creates the provider.
    #[must_use]
    pub fn new(secrets: impl Into<Rotating<WebhookSecret>>) -> Self {
        Self {
            secrets: secrets.into(),
        }
    }

    /// Returns the time of sending if one of the signatures is valid.
    fn signed_at(&self, call: &Call<'_>) -> Option<u64> {
        let id = id(call)?;
        let timestamp = call.header(TIMESTAMP_HEADER)?;
        let at = age::parse(timestamp)?;
        let signatures = call.header(SIGNATURE_HEADER)?;
        let fits = self
            .secrets
            .any(|secret| secret.has_signed(signatures, id, timestamp, call.body));
        fits.then_some(at)
    }
}

/// Returns the message's id.
fn id<'a>(call: &Call<'a>) -> Option<&'a str> {
    let id = call.header(ID_HEADER)?;
    (1..=MAX_ID).contains(&id.len()).then_some(id)
}

/// Authenticates a call and parses its text, for hosts without other providers.
///
/// # Errors
///
/// Fails if no signature is valid, if the timestamp is too far from the current time, or if the
/// body is malformed.
pub fn authenticate_and_parse(
    secret: &WebhookSecret,
    headers: &HeaderMap,
    body: &[u8],
    now: Timestamp,
) -> Result<InboundMessage, InboundError> {
    let call = Call {
        method: &http::Method::POST,
        query: None,
        headers,
        body,
    };
    let generic = Generic::new(secret.clone());
    let signed_at = generic.signed_at(&call);
    let authentic = AuthenticCall::recent(call, signed_at, now)?;
    Ok(parse(&authentic.call)?)
}

/// Parses the text in the body.
fn parse(call: &Call<'_>) -> Result<InboundMessage, MalformedText> {
    let json = Json::from_bytes(call.body);
    let members = json.members()?;
    let channel = match optional_text(&members, CHANNEL)?.as_deref() {
        None | Some(SMS) => Channel::Sms,
        Some(MODEM) => Channel::Modem,
        Some(_) => return Err(MalformedText::Invalid(CHANNEL)),
    };
    Ok(InboundMessage {
        provider: NAME,
        channel,
        message_id: id(call)
            .ok_or(MalformedText::Missing(ID_HEADER))?
            .to_owned(),
        from: required_text(&members, "from")?,
        to: required_text(&members, "to")?,
        text: required_text(&members, "text")?,
        carrier: optional_text(&members, "carrier")?,
    })
}

/// The time and the body are checked after the signature, so callers without the secret see only
/// [`InboundError::NotAuthentic`].
#[async_trait]
impl InboundProvider for Generic {
    fn name(&self) -> &'static str {
        NAME
    }

    async fn authenticate<'a>(
        &self,
        call: Call<'a>,
        now: Timestamp,
    ) -> Result<AuthenticCall<'a>, InboundError> {
        let signed_at = self.signed_at(&call);
        AuthenticCall::recent(call, signed_at, now)
    }

    fn parse(&self, call: &AuthenticCall<'_>) -> Result<Content, MalformedText> {
        Ok(Content::Events(vec![Inbound::text(parse(&call.call)?)]))
    }

    fn sign(&self, text: &InboundMessage, now: Timestamp, _nonce: &str) -> Option<SignedCall> {
        let (from, to, carrier) = (&text.from, &text.to, text.carrier.as_deref());
        let channel = (text.channel == Channel::Modem).then_some(MODEM);
        let body = write(from, to, &text.text, carrier, channel).into_bytes();
        let mut headers = vec![json_type()];
        let proof = sign(self.secrets.first(), &text.message_id, now, &body);
        headers.extend(proof.map(|(name, value)| named(name, value)));
        Some(SignedCall { headers, body })
    }
}

/// Returns the body that delivers a text, without `carrier` if it is unknown.
#[must_use]
pub fn body(from: &str, to: &str, text: &str, carrier: Option<&str>) -> String {
    write(from, to, text, carrier, None)
}

fn write(from: &str, to: &str, text: &str, carrier: Option<&str>, channel: Option<&str>) -> String {
    let optional = [("carrier", carrier), (CHANNEL, channel)];
    let optional = optional
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)));
    let members = [("from", from), ("to", to), ("text", text)]
        .into_iter()
        .chain(optional);
    CanonicalObject::from_body(&members.collect::<BTreeMap<_, _>>()).into_string()
}

/// Returns the headers that authenticate a call with this [`body`], by name.
///
/// `id` identifies the message and must stay the same when it is sent again: 1 to 256 visible ASCII
/// characters.
#[must_use]
pub fn sign(
    secret: &WebhookSecret,
    id: &str,
    now: Timestamp,
    body: &[u8],
) -> [(&'static str, String); 3] {
    [
        (ID_HEADER, id.to_owned()),
        (TIMESTAMP_HEADER, now.as_secs().to_string()),
        (SIGNATURE_HEADER, secret.sign(id, now, body)),
    ]
}
