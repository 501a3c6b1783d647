//! SMS Gateway for Android: an app that passes on the texts of the phone it runs on. JSON, signed with
//! HMAC-SHA256.
//!
//! `x-signature` is the HMAC in hexadecimal over the body and the digits of `x-timestamp` behind it. There
//! is no separator between them, but a body ends with `}`, and a shorter time is far from now. The app signs
//! each attempt with its own time. See <https://docs.sms-gate.app/features/webhooks/>.
//!
//! `id` is the event's own and stays the same when the app calls again. `messageId` is a hash of the text,
//! and is not unique. The phone writes a sender as its network does: often in national form, which the
//! configured country completes. It does not always know its own number, which is therefore configured.
//!
//! A phone sends a long text, or one to a group, as MMS, whose words may be in the subject. The app may be set to pass
//! on several texts in one event.
//!
//! The app wants 2xx within 30 seconds. It retries every other answer, by default 14 times in two days.

use async_trait::async_trait;
use countersign_domain::confirmation::text::{Channel, InboundMessage};
use countersign_domain::primitives::phone::{Country, PhoneNumber};
use countersign_domain::primitives::time::Timestamp;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use crate::age;
use crate::call::{Authentic, Call, SignedCall, json_type, named};
use crate::error::{InboundError, MalformedText};
use crate::json::{self, Json, written};
use crate::mac::{HashAlgorithm, equal, to_hex};
use crate::numbers::{international, sender_within};
use crate::outcome::{Content, Ignored, Inbound};
use crate::provider::InboundProvider;
use crate::secret::{Rotating, SharedSecret};
use crate::{MAX_BATCH_BODY, MAX_EVENTS};

/// The provider's name in the route.
pub const NAME: &str = "sms-gate";
/// Name of the header with the signature.
pub const SIGNATURE_HEADER: &str = "x-signature";
/// Name of the header with the time of signing.
pub const TIMESTAMP_HEADER: &str = "x-timestamp";

/// The event that brings a text.
const RECEIVED: &str = "sms:received";

/// The other events that bring what people wrote. `mms:received` comes before the content of an MMS, with its subject.
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
    /// Country of its SIM, in whose form the phone writes numbers without a calling code.
    country: Country,
}

#[derive(Deserialize)]
struct Event {
    event: Option<String>,
}

#[derive(Deserialize)]
struct Received<'a> {
    id: String,
    #[serde(borrow)]
    payload: &'a RawValue,
}

/// The texts of an event that brings several.
#[derive(Deserialize)]
struct Batch<'a> {
    #[serde(borrow)]
    messages: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Payload {
    message: Option<String>,
    /// The words and the subject of an MMS.
    body: Option<String>,
    subject: Option<String>,
    sender: Option<String>,
    /// The sender, as the app named it before it had `sender`.
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

    /// Returns the time of signing if the signature is right.
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

    /// An MMS may bring its pictures, and a batch many texts.
    fn max_body(&self) -> usize {
        MAX_BATCH_BODY
    }

    async fn authenticate<'a>(
        &self,
        call: Call<'a>,
        now: Timestamp,
    ) -> Result<Authentic<'a>, InboundError> {
        let at = self.signed_at(&call).ok_or(InboundError::NotAuthentic)?;
        age::check(at, now)?;
        Ok(Authentic::new(call))
    }

    fn parse(&self, call: &Authentic<'_>) -> Result<Content, MalformedText> {
        let json = Json::of(call.call.body);
        let ignored = |why| Ok(Content::one(Inbound::Ignored(why)));
        let Some(Event { event }) = json.event()? else {
            return ignored(Ignored::Malformed);
        };
        if !event.is_some_and(|event| WRITTEN.contains(&event.as_str())) {
            return ignored(Ignored::NotAText);
        }
        let Some(Received { id, payload }) = json.event()? else {
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
