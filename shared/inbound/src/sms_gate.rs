//! SMS Gateway for Android: an app that forwards the texts of the phone that it runs on. JSON, signed
//! with HMAC-SHA256.
//!
//! `x-signature` is the hexadecimal HMAC over the body followed by the digits of `x-timestamp`. There is no
//! separator between them, but a body ends with `}`, and a time with fewer digits would be far from the
//! current time. The app signs each attempt with a new timestamp. See
//! <https://docs.sms-gate.app/features/webhooks/>.
//!
//! `id` belongs to the event and stays the same when the app calls again. `messageId` is a hash of the
//! text, and is not unique. The phone reports a sender as its network does, often in national form,
//! which is completed with the configured country. The phone does not always know its own number,
//! which is therefore configured.
//!
//! A phone sends a long or a group text as MMS, whose text may be in the subject. The app can be configured to
//! send several texts in one event.
//!
//! The app expects a 2xx within 30 seconds. It retries after any other answer, by default 14 times in
//! two days.

use std::sync::Arc;

use async_trait::async_trait;
use countersign_domain::confirmation::text::{Channel, InboundMessage};
use countersign_domain::primitives::phone::{Country, PhoneNumber};
use countersign_domain::primitives::time::Timestamp;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use crate::age;
use crate::call::{AuthenticCall, Call, SignedCall, json_type, named};
use crate::error::{InboundError, MalformedText};
use crate::json::{self, Json, written};
use crate::mac::{HashAlgorithm, equal, to_hex};
use crate::numbers::{international, sender_within};
use crate::outcome::{Content, Ignored, Inbound};
use crate::provider::InboundProvider;
use crate::secret::{Rotating, SharedSecret};
use crate::secret_list::SecretList;
use crate::spec::{
    GeneratedSecret, OptionKind, OptionSpec, PROVIDERS_SECRET, ProviderSpec, SecretSpec, USUAL,
    Value, Wrong, parse_settings, value,
};
use crate::{MAX_BATCH_BODY, MAX_EVENTS};

/// The provider's name in the route.
pub const NAME: &str = "sms-gate";

/// The provider's facts.
pub(crate) const SPEC: ProviderSpec = ProviderSpec {
    name: NAME,
    title: "SMS Gateway for Android",
    anchor: "sms-gateway-for-android",
    secrets: SecretSpec {
        label: "signing key",
        generated: Some(GeneratedSecret::Typed(16)),
        ..PROVIDERS_SECRET
    },
    options: &[
        OptionSpec {
            member: "number",
            flag: "number",
            help: "the phone's own number, with + and the country's calling code",
            kind: OptionKind::Required(Value::any("NUMBER")),
        },
        OptionSpec {
            member: "country",
            flag: "country",
            help: "the country of the phone's SIM, such as GB, which completes numbers that come without +",
            kind: OptionKind::Required(Value::any("COUNTRY")),
        },
    ],
    steps: STEPS,
    create: Some(|settings, _| {
        let settings: Settings = parse_settings(settings)?;
        let secrets = settings.secrets.parse::<SharedSecret>()?;
        let number = PhoneNumber::parse_international(&settings.number)
            .map_err(|error| Wrong::value(format!("number: {error}")))?;
        let country: Country = value(&settings.country)?;
        if !country.is_numbered() {
            let reason = format!("there are no phone numbers of {country}");
            return Err(Wrong::value(reason));
        }
        if !number.fits(country) {
            let reason =
                format!("number: a SIM of {country} has no such number; check country, too");
            return Err(Wrong::value(reason));
        }
        Ok(Arc::new(SmsGate::new(secrets, number, country)))
    }),
    ..USUAL
};

const STEPS: &str = r#"1. The phone: install SMS Gateway for Android (github.com/capcom6/android-sms-gateway/releases).
   Allow SMS and Phone when it asks.
2. Settings > Webhooks > Signing Key: the signing key. provider add shows it once.
3. Home: turn on Local server and Start on boot. Tap Offline, so that it says Online.
4. A computer in the same network, with the username and the local address that Home shows. It asks for
   the password:
   curl -u USERNAME -H 'Content-Type: application/json' \
     -d '{"url": "{URL}", "event": "sms:received"}' http://PHONE:8080/webhooks
   Once more with "mms:downloaded": phones make an MMS of a long text.
   If the phone's network does not reach the internet: Settings > Webhooks > Require Internet connection: off.
5. Settings > System: turn battery optimization off. Leave the phone at a charger, with a network.
6. Google Messages > Messages settings > RCS chats: off. Was the number in an iPhone? Deregister iMessage.
   The app sees neither, and says nothing.
Secret: the signing key, which the holder of the phone can change. They can text as any sender.
Signed: body and time. Maximum age: five minutes. Not signed: the URL, which must have https."#;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    secrets: SecretList,
    /// The phone's own number.
    number: String,
    /// Country of the phone's SIM.
    country: String,
}

/// Name of the header with the signature.
pub const SIGNATURE_HEADER: &str = "x-signature";
/// Name of the header with the time of signing.
pub const TIMESTAMP_HEADER: &str = "x-timestamp";

/// The event that delivers a text.
const RECEIVED: &str = "sms:received";

/// The other events that contain text. `mms:received` comes before the content of an MMS, with its subject.
const WRITTEN: [&str; 6] = [
    RECEIVED,
    "sms:batch:received",
    "mms:received",
    "mms:batch:received",
    "mms:downloaded",
    "mms:batch:downloaded",
];

/// A phone with the app, and the app's signing keys.
#[derive(Clone, Debug)]
pub struct SmsGate {
    secrets: Rotating<SharedSecret>,
    /// The phone's own number.
    number: PhoneNumber,
    /// Country of its SIM; the phone writes numbers without a calling code in this country's form.
    country: Country,
}

#[derive(Deserialize)]
struct Event {
    event: Option<String>,
}

#[derive(Deserialize)]
struct ReceivedSms<'a> {
    id: String,
    #[serde(borrow)]
    payload: &'a RawValue,
}

/// The texts of an event with several.
#[derive(Deserialize)]
struct Batch<'a> {
    #[serde(borrow)]
    messages: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Payload {
    message: Option<String>,
    /// The text and the subject of an MMS.
    body: Option<String>,
    subject: Option<String>,
    sender: Option<String>,
    /// The sender, in app versions without `sender`.
    phone_number: Option<String>,
    /// Missing, `null` or empty if the phone does not know the number of its SIM.
    recipient: Option<String>,
}

impl SmsGate {
    /// Creates the provider.
    #[must_use]
    pub fn new(
        secrets: impl Into<Rotating<SharedSecret>>,
        number: PhoneNumber,
        country: Country,
    ) -> Self {
        Self {
            secrets: secrets.into(),
            number,
            country,
        }
    }

    /// Returns the time of signing if the signature is valid.
    fn signed_at(&self, call: &Call<'_>) -> Option<u64> {
        let timestamp = call.header(TIMESTAMP_HEADER)?;
        let at = age::parse(timestamp)?;
        let given = call.header(SIGNATURE_HEADER)?;
        let fits = self.secrets.any(|secret| {
            let expected = signature(secret, call.body, timestamp);
            equal(expected.as_bytes(), given.as_bytes())
        });
        fits.then_some(at)
    }

    fn event(&self, id: String, payload: &RawValue) -> Inbound {
        let Some(payload) = json::event::<Payload>(payload) else {
            return Inbound::Ignored(Ignored::Malformed);
        };
        let Some(text) = written(payload.message.or(payload.body), payload.subject) else {
            return Inbound::Ignored(Ignored::NotAText);
        };
        let sender = payload.sender.or(payload.phone_number).unwrap_or_default();
        Inbound::text(InboundMessage {
            provider: NAME,
            channel: Channel::Sms,
            message_id: id,
            from: sender_within(&sender, self.country),
            to: self.recipient(payload.recipient),
            text,
            carrier: None,
        })
    }

    fn recipient(&self, written: Option<String>) -> String {
        match written.filter(|number| !number.is_empty()) {
            Some(number) => international(&number, self.country).unwrap_or(number),
            None => self.number.as_str().to_owned(),
        }
    }
}

/// Returns the signature in lower-case digits, as the app writes it.
fn signature(secret: &SharedSecret, body: &[u8], timestamp: &str) -> String {
    let parts = [body, timestamp.as_bytes()];
    to_hex(&HashAlgorithm::Sha256.mac(secret.bytes(), &parts))
}

#[async_trait]
impl InboundProvider for SmsGate {
    fn name(&self) -> &'static str {
        NAME
    }

    /// An MMS may include its pictures, and a batch many texts.
    fn max_body(&self) -> usize {
        MAX_BATCH_BODY
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
        let Some(Event { event }) = json.event()? else {
            return ignored(Ignored::Malformed);
        };
        if !event.is_some_and(|event| WRITTEN.contains(&event.as_str())) {
            return ignored(Ignored::NotAText);
        }
        let Some(ReceivedSms { id, payload }) = json.event()? else {
            return ignored(Ignored::Malformed);
        };
        let Some(Batch { messages }) = json::event(payload) else {
            return Ok(Content::one(self.event(id, payload)));
        };
        if messages.len() > MAX_EVENTS {
            return Err(MalformedText::TooMany);
        }
        let texts = messages.into_iter().enumerate();
        let texts = texts.map(|(place, payload)| self.event(format!("{id}/{place}"), payload));
        Ok(Content::Events(texts.collect()))
    }

    fn sign(&self, text: &InboundMessage, now: Timestamp, _nonce: &str) -> Option<SignedCall> {
        let body = json!({
            "deviceId": "countersign",
            "event": RECEIVED,
            "id": text.message_id,
            "payload": {
                "messageId": "0",
                "message": text.text,
                "sender": text.from,
                "recipient": text.to,
                "simNumber": null,
            },
            "webhookId": "countersign",
        });
        let body = body.to_string().into_bytes();
        let timestamp = now.as_secs().to_string();
        let signature = signature(self.secrets.first(), &body, &timestamp);
        Some(SignedCall {
            headers: vec![
                json_type(),
                named(SIGNATURE_HEADER, signature),
                named(TIMESTAMP_HEADER, timestamp),
            ],
            body,
        })
    }
}
