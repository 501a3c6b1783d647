//! Telnyx: JSON, signed with Ed25519.
//!
//! `telnyx-signature-ed25519` is the Base64 of the signature over `{telnyx-timestamp}|{body}`. The
//! public key is shown in Telnyx's portal, so no secret is shared, and only Telnyx can sign. The
//! timestamp may differ by five minutes from the current time, as in Telnyx's libraries.
//!
//! Telnyx waits **2 seconds** for a 2xx, tries three times, and then calls the failover address. It
//! reports the sender's carrier.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use async_trait::async_trait;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use countersign_domain::confirmation::text::{Channel, InboundMessage};
use countersign_domain::primitives::time::Timestamp;
use ring::signature::{ED25519, UnparsedPublicKey};
use serde::Deserialize;
use serde_json::value::RawValue;
use thiserror::Error;

use crate::age;
use crate::call::{AuthenticCall, Call, SignedCall};
use crate::error::{InboundError, MalformedText};
use crate::json::{self, Json, written};
use crate::outcome::{Content, Ignored, Inbound};
use crate::provider::InboundProvider;
use crate::secret::Rotating;
use crate::secret_list::SecretList;
use crate::spec::{PROVIDERS_SECRET, ProviderSpec, SecretSpec, USUAL, mistake, parse_settings};

/// The provider's name in the route.
pub const NAME: &str = "telnyx";

/// The provider's facts.
pub(crate) const SPEC: ProviderSpec = ProviderSpec {
    name: NAME,
    title: "Telnyx",
    anchor: "telnyx",
    secrets: SecretSpec {
        label: "public key",
        lists: &["publicKeys"],
        mistaken_for: &[mistake("KEY", 58, "an API key")],
        ..PROVIDERS_SECRET
    },
    sole_signer: Some("Telnyx"),
    names_carrier: true,
    steps: STEPS,
    create: Some(|settings, _| {
        let Settings { public_keys } = parse_settings(settings)?;
        Ok(Arc::new(Telnyx::new(public_keys.parse::<TelnyxKey>()?)))
    }),
    ..USUAL
};

const STEPS: &str = r"1. Portal > Messaging > Messaging Profiles > Add new profile.
2. Webhook URL and failover URL: the URL.
3. My Numbers > your number > Messaging Profile: the profile. Save.
Key: the account's public key (Keys & Credentials > Public Key), 44 characters. It is not secret.
Signed: time and body. Maximum age: five minutes. Telnyx waits 2 seconds for the answer.";

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Settings {
    public_keys: SecretList,
}

/// Name of the header with the signature.
pub const SIGNATURE_HEADER: &str = "telnyx-signature-ed25519";
/// Name of the header with the time of signing.
pub const TIMESTAMP_HEADER: &str = "telnyx-timestamp";

/// Maximum number of recipients of a text, which is larger than any group.
const MAX_RECIPIENTS: usize = 16;

/// The public key that verifies Telnyx's signatures.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TelnyxKey([u8; 32]);

/// The text is not a Telnyx public key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("Telnyx's public key must be the Base64 of 32 bytes")]
pub struct MalformedTelnyxKey;

impl FromStr for TelnyxKey {
    type Err = MalformedTelnyxKey;

    fn from_str(text: &str) -> Result<Self, MalformedTelnyxKey> {
        let bytes = BASE64_STANDARD.decode(text).ok();
        let key = bytes.and_then(|bytes| bytes.try_into().ok());
        key.map(Self).ok_or(MalformedTelnyxKey)
    }
}

impl fmt::Debug for TelnyxKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&BASE64_STANDARD.encode(self.0))
    }
}

/// Telnyx, with the public keys of an account.
#[derive(Clone, Debug)]
pub struct Telnyx {
    keys: Rotating<TelnyxKey>,
}

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    data: Event<'a>,
}

#[derive(Deserialize)]
struct Event<'a> {
    event_type: Option<String>,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Payload {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    from: Option<From>,
    to: Vec<To>,
    text: Option<String>,
    /// The subject of an MMS.
    subject: Option<String>,
}

#[derive(Default, Deserialize)]
struct From {
    phone_number: Option<String>,
    carrier: Option<String>,
}

#[derive(Deserialize)]
struct To {
    phone_number: String,
}

impl Telnyx {
    /// Creates the provider.
    #[must_use]
    pub fn new(keys: impl Into<Rotating<TelnyxKey>>) -> Self {
        Self { keys: keys.into() }
    }

    /// Returns the time of signing if the signature is valid.
    fn signed_at(&self, call: &Call<'_>) -> Option<u64> {
        let timestamp = call.header(TIMESTAMP_HEADER)?;
        let at = age::parse(timestamp)?;
        let signature = BASE64_STANDARD
            .decode(call.header(SIGNATURE_HEADER)?)
            .ok()?;
        let signed = [timestamp.as_bytes(), b"|", call.body].concat();
        let fits = self.keys.any(|key| {
            UnparsedPublicKey::new(&ED25519, key.0)
                .verify(&signed, &signature)
                .is_ok()
        });
        fits.then_some(at)
    }
}

#[async_trait]
impl InboundProvider for Telnyx {
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
        let json = Json::from_bytes(call.call.body);
        let ignored = |why| Ok(Content::one(Inbound::Ignored(why)));
        let Some(Body { data }) = json.event()? else {
            return ignored(Ignored::Malformed);
        };
        if data.event_type.as_deref() != Some("message.received") {
            return ignored(Ignored::NotAText);
        }
        let Some(payload) = data.payload.and_then(json::event::<Payload>) else {
            return ignored(Ignored::Malformed);
        };
        // Phones send long or group texts as MMS.
        let channel = match payload.kind.as_str() {
            "SMS" | "MMS" => Channel::Sms,
            _ => Channel::Other,
        };
        let Some(text) = written(payload.text, payload.subject) else {
            return ignored(Ignored::NotAText);
        };
        if payload.to.len() > MAX_RECIPIENTS {
            return Err(MalformedText::TooMany);
        }
        let from = payload.from.unwrap_or_default();
        let texts = payload.to.into_iter().map(|to| {
            Inbound::text(InboundMessage {
                provider: NAME,
                channel,
                message_id: payload.id.clone(),
                from: from.phone_number.clone().unwrap_or_default(),
                to: to.phone_number,
                text: text.clone(),
                carrier: from.carrier.clone().filter(|name| !name.is_empty()),
            })
        });
        Ok(Content::Events(texts.collect()))
    }

    /// Returns `None`: only Telnyx has the private key.
    fn sign(&self, _text: &InboundMessage, _now: Timestamp, _nonce: &str) -> Option<SignedCall> {
        None
    }
}
