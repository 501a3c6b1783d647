//! A confirmation as it is stored. Its id is the key, and stands nowhere in the record.

use std::borrow::Cow;

use countersign_domain::app::senders::Recipient;
use countersign_domain::confirmation::{
    Confirmation, Flow, Idempotency, Redactable, State, TextFingerprint, Verified,
};
use countersign_domain::primitives::canonical_json::CanonicalObject;
use countersign_domain::primitives::idempotency::RequestHash;
use countersign_domain::primitives::ids::{AppId, ConfirmationId};
use countersign_domain::primitives::phone::PhoneNumber;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::callback_url::CallbackUrl;
use serde::{Deserialize, Serialize};

use super::delivery::DeliveryRecord;
use super::{RecordError, VERSION, check_version, fixed, instant, read, to_base64, write};

#[derive(Serialize, Deserialize)]
struct ConfirmationRecord<'a> {
    v: u8,
    #[serde(rename = "a", borrow)]
    app: Cow<'a, str>,
    #[serde(rename = "f", borrow)]
    flow: FlowRecord<'a>,
    #[serde(rename = "u", borrow)]
    callback: Cow<'a, str>,
    /// Absent once redacted.
    #[serde(rename = "m", borrow, default, skip_serializing_if = "Option::is_none")]
    metadata: Option<Cow<'a, str>>,
    #[serde(rename = "t", borrow)]
    send_to: Cow<'a, str>,
    #[serde(rename = "c")]
    created_at: u64,
    #[serde(rename = "x")]
    expires_at: u64,
    #[serde(rename = "i", borrow, default, skip_serializing_if = "Option::is_none")]
    idempotency: Option<IdempotencyRecord<'a>>,
    #[serde(rename = "s", borrow)]
    state: StateRecord<'a>,
    #[serde(rename = "r", default, skip_serializing_if = "Option::is_none")]
    redacted_at: Option<u64>,
    #[serde(rename = "p")]
    purge_at: u64,
}

#[derive(Serialize, Deserialize)]
enum FlowRecord<'a> {
    #[serde(rename = "a")]
    Acquisition,
    #[serde(rename = "c")]
    Confirmation {
        /// Absent once redacted.
        #[serde(rename = "n", borrow, default, skip_serializing_if = "Option::is_none")]
        expected: Option<Cow<'a, str>>,
    },
}

#[derive(Serialize, Deserialize)]
struct IdempotencyRecord<'a> {
    #[serde(rename = "h", borrow)]
    request: Cow<'a, str>,
    #[serde(rename = "m", borrow)]
    message: Cow<'a, str>,
}

#[derive(Serialize, Deserialize)]
enum StateRecord<'a> {
    #[serde(rename = "o")]
    Open,
    #[serde(rename = "c")]
    Cancelled {
        #[serde(rename = "t")]
        at: u64,
    },
    #[serde(rename = "v", borrow)]
    Verified(Box<VerifiedRecord<'a>>),
}

#[derive(Serialize, Deserialize)]
struct VerifiedRecord<'a> {
    /// Absent once redacted.
    #[serde(rename = "n", borrow, default, skip_serializing_if = "Option::is_none")]
    phone_number: Option<Cow<'a, str>>,
    #[serde(rename = "c", borrow)]
    carrier: Cow<'a, str>,
    #[serde(rename = "t")]
    at: u64,
    #[serde(rename = "f", borrow)]
    text: Cow<'a, str>,
    #[serde(rename = "d", borrow)]
    delivery: DeliveryRecord<'a>,
}

/// Writes an item.
pub(crate) fn encode_confirmation(item: &Confirmation) -> Result<Vec<u8>, RecordError> {
    write(&ConfirmationRecord {
        v: VERSION,
        app: item.app.as_str().into(),
        flow: match &item.flow {
            Flow::Acquisition => FlowRecord::Acquisition,
            Flow::Confirmation { expected } => FlowRecord::Confirmation {
                expected: expected.present().map(|number| number.as_str().into()),
            },
        },
        callback: item.callback.as_str().into(),
        metadata: item.metadata.present().map(|object| object.as_str().into()),
        send_to: item.send_to.as_str().into(),
        created_at: item.created_at.as_millis(),
        expires_at: item.expires_at.as_millis(),
        idempotency: item.idempotency.as_ref().map(|kept| IdempotencyRecord {
            request: to_base64(kept.request.as_bytes()).into(),
            message: kept.message.as_str().into(),
        }),
        state: match &item.state {
            State::Open => StateRecord::Open,
            State::Cancelled { at } => StateRecord::Cancelled { at: at.as_millis() },
            State::Verified(verified) => {
                StateRecord::Verified(Box::new(VerifiedRecord::of(verified)))
            }
        },
        redacted_at: item.redacted_at.map(Timestamp::as_millis),
        purge_at: item.purge_at.as_millis(),
    })
}

/// Reads an item back.
pub(crate) fn decode_confirmation(
    id: ConfirmationId,
    bytes: &[u8],
) -> Result<Confirmation, RecordError> {
    let record: ConfirmationRecord<'_> = read(bytes)?;
    check_version(record.v)?;
    Ok(Confirmation {
        id,
        app: record
            .app
            .parse::<AppId>()
            .map_err(|_| RecordError::Member("app"))?,
        flow: match record.flow {
            FlowRecord::Acquisition => Flow::Acquisition,
            FlowRecord::Confirmation { expected } => Flow::Confirmation {
                expected: number(expected.as_deref(), "expected")?,
            },
        },
        callback: CallbackUrl::from_stored(&record.callback)
            .map_err(|_| RecordError::Member("callback"))?,
        metadata: metadata(record.metadata)?,
        send_to: record
            .send_to
            .parse::<Recipient>()
            .map_err(|_| RecordError::Member("send_to"))?,
        created_at: instant(record.created_at),
        expires_at: instant(record.expires_at),
        idempotency: record
            .idempotency
            .map(|kept| {
                Ok(Idempotency {
                    request: RequestHash::from_bytes(fixed(&kept.request, "request")?),
                    message: kept.message.into_owned(),
                })
            })
            .transpose()?,
        state: match record.state {
            StateRecord::Open => State::Open,
            StateRecord::Cancelled { at } => State::Cancelled { at: instant(at) },
            StateRecord::Verified(verified) => State::Verified(Box::new(verified.read()?)),
        },
        redacted_at: record.redacted_at.map(instant),
        purge_at: instant(record.purge_at),
    })
}

impl<'a> VerifiedRecord<'a> {
    fn of(verified: &'a Verified) -> Self {
        Self {
            phone_number: verified.phone_number.present().map(|n| n.as_str().into()),
            carrier: verified.carrier.as_str().into(),
            at: verified.at.as_millis(),
            text: to_base64(verified.text.as_bytes()).into(),
            delivery: DeliveryRecord::of(&verified.delivery),
        }
    }

    fn read(self) -> Result<Verified, RecordError> {
        Ok(Verified {
            phone_number: number(self.phone_number.as_deref(), "phone_number")?,
            carrier: self.carrier.into_owned(),
            at: instant(self.at),
            text: TextFingerprint::from_bytes(fixed(&self.text, "text")?),
            delivery: self.delivery.read()?,
        })
    }
}

fn number(
    text: Option<&str>,
    member: &'static str,
) -> Result<Redactable<PhoneNumber>, RecordError> {
    match text {
        None => Ok(Redactable::Redacted),
        Some(text) => PhoneNumber::parse_e164(text)
            .map(Redactable::Present)
            .map_err(|_| RecordError::Member(member)),
    }
}

/// Checked again, byte for byte: what is signed later must be canonical, whatever befell the file.
fn metadata(text: Option<Cow<'_, str>>) -> Result<Redactable<CanonicalObject>, RecordError> {
    match text {
        None => Ok(Redactable::Redacted),
        Some(text) => CanonicalObject::try_from(text.into_owned())
            .map(Redactable::Present)
            .map_err(|_| RecordError::Member("metadata")),
    }
}
