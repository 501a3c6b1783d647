//! The stored form of a confirmation.

use countersign_domain::app::senders::Recipient;
use countersign_domain::app::whatsapp::WhatsAppNumber;
use countersign_domain::confirmation::carrier::{Carrier, CarrierName};
use countersign_domain::confirmation::miss::{LastMiss, MissReason};
use countersign_domain::confirmation::{
    Confirmation, Flow, Idempotency, Redactable, State, TextFingerprint, Verified,
};
use countersign_domain::primitives::canonical_json::CanonicalObject;
use countersign_domain::primitives::idempotency::RequestHash;
use countersign_domain::primitives::ids::{AppId, ConfirmationId};
use countersign_domain::primitives::phone::PhoneNumber;
use countersign_domain::web::callback_url::CallbackUrl;
use serde::{Deserialize, Serialize};

use crate::delivery::DeliveryRecord;
use crate::entity::Entity;
use crate::error::{RecordError, invalid};
use crate::value::{Bytes, Millis, Text};

/// A confirmation, stored under its id.
#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub(crate) struct ConfirmationRecord<'a> {
    #[serde(rename = "a")]
    app: Text<'a>,
    #[serde(rename = "f")]
    flow: FlowTag,
    /// Only number whose text counts; absent in an acquisition and after redaction.
    #[serde(rename = "e", skip_serializing_if = "Option::is_none")]
    expected: Option<Text<'a>>,
    #[serde(rename = "u")]
    callback: Text<'a>,
    /// Canonical JSON; absent after redaction.
    #[serde(rename = "m", skip_serializing_if = "Option::is_none")]
    metadata: Option<Text<'a>>,
    #[serde(rename = "to")]
    send_to: Text<'a>,
    /// Number on WhatsApp that receives the text as well; absent if the app named none.
    #[serde(rename = "wn", skip_serializing_if = "Option::is_none")]
    whatsapp: Option<Text<'a>>,
    #[serde(rename = "c")]
    created_at: Millis,
    #[serde(rename = "x")]
    expires_at: Millis,
    #[serde(rename = "p")]
    purge_at: Millis,
    /// Hash of the request, if it had an `Idempotency-Key`.
    #[serde(rename = "ih", skip_serializing_if = "Option::is_none")]
    request: Option<Bytes<'a>>,
    /// Message that a replay of that request gets, with `{code}` in place of the code.
    #[serde(rename = "im", skip_serializing_if = "Option::is_none")]
    message: Option<Text<'a>>,
    #[serde(rename = "rt", skip_serializing_if = "Option::is_none")]
    redacted_at: Option<Millis>,
    #[serde(rename = "s")]
    state: StateTag,
    #[serde(rename = "ct", skip_serializing_if = "Option::is_none")]
    cancelled_at: Option<Millis>,
    /// Why the first text that came close could not verify an open confirmation.
    #[serde(rename = "mr", skip_serializing_if = "Option::is_none")]
    miss: Option<MissTag>,
    #[serde(rename = "mt", skip_serializing_if = "Option::is_none")]
    missed_at: Option<Millis>,
    /// Number that sent the text; absent after redaction.
    #[serde(rename = "n", skip_serializing_if = "Option::is_none")]
    phone_number: Option<Text<'a>>,
    /// Absent while it is undecided, and after redaction. Empty if a look-up found none.
    #[serde(rename = "nc", skip_serializing_if = "Option::is_none")]
    carrier: Option<Text<'a>>,
    #[serde(rename = "vt", skip_serializing_if = "Option::is_none")]
    verified_at: Option<Millis>,
    /// Fingerprint of the text.
    #[serde(rename = "vx", skip_serializing_if = "Option::is_none")]
    text: Option<Bytes<'a>>,
    #[serde(flatten)]
    delivery: DeliveryRecord<'a>,
}

/// The flow of a confirmation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum FlowTag {
    /// Any number may send the text, and is learned from it.
    #[serde(rename = "a")]
    Acquisition,
    /// Only the expected number may send the text.
    #[serde(rename = "c")]
    Confirmation,
}

/// The state of a confirmation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum StateTag {
    /// No text has verified it yet.
    #[serde(rename = "o")]
    Open,
    /// The caller cancelled it.
    #[serde(rename = "c")]
    Cancelled,
    /// A text verified it in time.
    #[serde(rename = "v")]
    Verified,
}

/// The reason why a text could not verify its confirmation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum MissTag {
    /// Another number, or no number, sent it.
    #[serde(rename = "s")]
    WrongSender,
    /// It came after the expiry.
    #[serde(rename = "l")]
    Late,
    /// It went to a number that does not count.
    #[serde(rename = "r")]
    WrongRecipient,
}

impl From<MissReason> for MissTag {
    fn from(reason: MissReason) -> Self {
        match reason {
            MissReason::WrongSender => Self::WrongSender,
            MissReason::Late => Self::Late,
            MissReason::WrongRecipient => Self::WrongRecipient,
        }
    }
}

impl From<MissTag> for MissReason {
    fn from(tag: MissTag) -> Self {
        match tag {
            MissTag::WrongSender => Self::WrongSender,
            MissTag::Late => Self::Late,
            MissTag::WrongRecipient => Self::WrongRecipient,
        }
    }
}

impl<'a> From<&'a Confirmation> for ConfirmationRecord<'a> {
    fn from(item: &'a Confirmation) -> Self {
        let (flow, expected) = match &item.flow {
            Flow::Acquisition => (FlowTag::Acquisition, None),
            Flow::Confirmation { expected } => (FlowTag::Confirmation, expected.present()),
        };
        let (state, cancelled_at) = match &item.state {
            State::Open { .. } => (StateTag::Open, None),
            State::Cancelled { at } => (StateTag::Cancelled, Some(*at)),
            State::Verified(_) => (StateTag::Verified, None),
        };
        let idempotency = item.idempotency.as_ref();
        let last_miss = item.last_miss();
        let verified = item.verified();
        let carrier = verified.and_then(|verified| match &verified.carrier {
            Carrier::Undecided => None,
            Carrier::Decided(name) => Some(name.as_str()),
        });
        Self {
            app: item.app.as_str().into(),
            flow,
            expected: expected.map(|number| number.as_str().into()),
            callback: item.callback.as_str().into(),
            metadata: item.metadata.present().map(|object| object.as_str().into()),
            send_to: item.send_to.as_str().into(),
            whatsapp: item.whatsapp.as_ref().map(|number| number.as_str().into()),
            created_at: item.created_at.into(),
            expires_at: item.expires_at.into(),
            purge_at: item.purge_at.into(),
            request: idempotency.map(|kept| kept.request.as_bytes().into()),
            message: idempotency.map(|kept| kept.message.as_str().into()),
            redacted_at: item.redacted_at.map(Millis::from),
            state,
            cancelled_at: cancelled_at.map(Millis::from),
            miss: last_miss.map(|miss| miss.reason().into()),
            missed_at: last_miss.map(|miss| miss.at().into()),
            phone_number: verified
                .and_then(|verified| verified.phone_number.present())
                .map(|number| number.as_str().into()),
            carrier: carrier.map(Text::from),
            verified_at: verified.map(|verified| verified.at.into()),
            text: verified.map(|verified| verified.text.as_bytes().into()),
            delivery: verified
                .map(|verified| DeliveryRecord::from(&verified.delivery))
                .unwrap_or_default(),
        }
    }
}

impl Entity for Confirmation {
    type Id = ConfirmationId;
    type Record<'a> = ConfirmationRecord<'a>;

    fn record(&self) -> ConfirmationRecord<'_> {
        self.into()
    }

    fn from_record(
        id: ConfirmationId,
        record: ConfirmationRecord<'_>,
    ) -> Result<Self, RecordError> {
        let missing = RecordError::Missing;
        Ok(Self {
            id,
            app: record
                .app
                .as_str()
                .parse::<AppId>()
                .map_err(invalid("app"))?,
            flow: match record.flow {
                FlowTag::Acquisition => Flow::Acquisition,
                FlowTag::Confirmation => Flow::Confirmation {
                    expected: phone_number(record.expected, "expected")?,
                },
            },
            callback: CallbackUrl::from_stored(record.callback.as_str())
                .map_err(invalid("callback"))?,
            metadata: metadata(record.metadata)?,
            send_to: record
                .send_to
                .as_str()
                .parse::<Recipient>()
                .map_err(invalid("send_to"))?,
            whatsapp: whatsapp(record.whatsapp.as_ref())?,
            created_at: record.created_at.into(),
            expires_at: record.expires_at.into(),
            idempotency: idempotency(record.request, record.message)?,
            state: match record.state {
                StateTag::Open => State::Open {
                    last_miss: last_miss(record.miss, record.missed_at)?,
                },
                StateTag::Cancelled => State::Cancelled {
                    at: record.cancelled_at.ok_or(missing("cancelled_at"))?.into(),
                },
                StateTag::Verified => State::Verified(Box::new(Verified {
                    phone_number: phone_number(record.phone_number, "phone_number")?,
                    carrier: record.carrier.map_or(Carrier::Undecided, |name| {
                        Carrier::Decided(CarrierName::from_stored(name.into_string()))
                    }),
                    at: record.verified_at.ok_or(missing("verified_at"))?.into(),
                    text: TextFingerprint::from_bytes(
                        record.text.ok_or(missing("text"))?.fixed("text")?,
                    ),
                    delivery: record.delivery.try_into()?,
                })),
            },
            redacted_at: record.redacted_at.map(Into::into),
            purge_at: record.purge_at.into(),
        })
    }
}

fn phone_number(
    stored: Option<Text<'_>>,
    field: &'static str,
) -> Result<Redactable<PhoneNumber>, RecordError> {
    let Some(number) = stored else {
        return Ok(Redactable::Redacted);
    };
    let number = PhoneNumber::parse_e164(number.as_str()).map_err(invalid(field))?;
    Ok(Redactable::Present(number))
}

/// Reads a number of ours on WhatsApp.
pub(crate) fn whatsapp(stored: Option<&Text<'_>>) -> Result<Option<WhatsAppNumber>, RecordError> {
    let number = stored.map(|number| number.as_str().parse::<WhatsAppNumber>());
    number.transpose().map_err(invalid("whatsapp"))
}

/// Checks that the stored JSON is canonical to the byte, because it becomes part of a signed webhook.
fn metadata(stored: Option<Text<'_>>) -> Result<Redactable<CanonicalObject>, RecordError> {
    let Some(json) = stored else {
        return Ok(Redactable::Redacted);
    };
    let object = CanonicalObject::try_from(json.into_string()).map_err(invalid("metadata"))?;
    Ok(Redactable::Present(object))
}

fn last_miss(reason: Option<MissTag>, at: Option<Millis>) -> Result<Option<LastMiss>, RecordError> {
    match (reason, at) {
        (None, None) => Ok(None),
        (Some(_), None) => Err(RecordError::Missing("missed_at")),
        (None, Some(_)) => Err(RecordError::Missing("miss")),
        (Some(reason), Some(at)) => Ok(Some(LastMiss::new(reason.into(), at.into()))),
    }
}

fn idempotency(
    request: Option<Bytes<'_>>,
    message: Option<Text<'_>>,
) -> Result<Option<Idempotency>, RecordError> {
    match (request, message) {
        (None, None) => Ok(None),
        (Some(_), None) => Err(RecordError::Missing("message")),
        (None, Some(_)) => Err(RecordError::Missing("request")),
        (Some(request), Some(message)) => Ok(Some(Idempotency {
            request: RequestHash::from_bytes(request.fixed("request")?),
            message: message.into_string(),
        })),
    }
}
