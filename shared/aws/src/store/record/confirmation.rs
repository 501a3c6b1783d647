//! A confirmation as an item. Its id is the key, and stands in no other attribute.

use aws_sdk_dynamodb::types::AttributeValue;
use countersign_domain::app::senders::Recipient;
use countersign_domain::confirmation::{
    Confirmation, Flow, Idempotency, Redactable, State, TextFingerprint, Verified,
};
use countersign_domain::delivery::transitions::Owes as _;
use countersign_domain::primitives::canonical_json::CanonicalObject;
use countersign_domain::primitives::idempotency::RequestHash;
use countersign_domain::primitives::ids::{AppId, ConfirmationId};
use countersign_domain::primitives::phone::PhoneNumber;
use countersign_domain::web::callback_url::CallbackUrl;

use super::delivery::{decode_delivery, encode_delivery};
use crate::store::attributes::confirmation as at;
use crate::store::attributes::{LANE, TTL, VERSION, shard_of};
use crate::store::item::{
    Attributes, FORMAT, Item, RecordError, bytes, instant, number, seconds, text,
};
use crate::store::lane;

/// Values of [`at::STATE`].
pub(in crate::store) mod state {
    pub(in crate::store) const OPEN: &str = "o";
    pub(in crate::store) const CANCELLED: &str = "c";
    pub(in crate::store) const VERIFIED: &str = "v";
}

/// Values of [`at::FLOW`].
pub(in crate::store) mod flow {
    pub(in crate::store) const ACQUISITION: &str = "a";
    pub(in crate::store) const CONFIRMATION: &str = "c";
}

/// The attributes of a confirmation, keys and revision aside.
pub(in crate::store) fn encode_confirmation(item: &Confirmation) -> Item {
    let mut attributes = Item::new();
    let mut put = |name: &str, value: AttributeValue| {
        attributes.insert(name.to_owned(), value);
    };
    put(VERSION, number(FORMAT));
    put(TTL, seconds(item.purge_at));
    put(LANE, lane::base(item.lane()));
    put(at::APP, text(item.app.as_str()));
    match &item.flow {
        Flow::Acquisition => put(at::FLOW, text(flow::ACQUISITION)),
        Flow::Confirmation { expected } => {
            put(at::FLOW, text(flow::CONFIRMATION));
            if let Some(expected) = expected.present() {
                put(at::EXPECTED, text(expected.as_str()));
            }
        }
    }
    put(at::CALLBACK, text(item.callback.as_str()));
    if let Some(metadata) = item.metadata.present() {
        put(at::METADATA, text(metadata.as_str()));
    }
    put(at::SEND_TO, text(item.send_to.as_str()));
    put(at::CREATED_AT, instant(item.created_at));
    put(at::EXPIRES_AT, instant(item.expires_at));
    put(at::PURGE_AT, instant(item.purge_at));
    if let Some(kept) = &item.idempotency {
        put(at::REQUEST, bytes(*kept.request.as_bytes()));
        put(at::MESSAGE, text(kept.message.as_str()));
    }
    if let Some(redacted_at) = item.redacted_at {
        put(at::REDACTED_AT, instant(redacted_at));
    }
    match &item.state {
        State::Open => put(at::STATE, text(state::OPEN)),
        State::Cancelled { at } => {
            put(at::STATE, text(state::CANCELLED));
            put(at::CANCELLED_AT, instant(*at));
        }
        State::Verified(verified) => {
            put(at::STATE, text(state::VERIFIED));
            if let Some(number) = verified.phone_number.present() {
                put(at::NUMBER, text(number.as_str()));
            }
            if !verified.carrier.is_empty() {
                put(at::CARRIER, text(verified.carrier.as_str()));
            }
            put(at::VERIFIED_AT, instant(verified.at));
            put(at::TEXT, bytes(*verified.text.as_bytes()));
            attributes.extend(encode_delivery(
                shard_of(item.id),
                item.lane(),
                &verified.delivery,
            ));
        }
    }
    attributes
}

/// Reads an item back.
pub(in crate::store) fn decode_confirmation(
    id: ConfirmationId,
    item: &Item,
) -> Result<Confirmation, RecordError> {
    let item = Attributes::of(item)?;
    Ok(Confirmation {
        id,
        app: item
            .text(at::APP)?
            .parse::<AppId>()
            .map_err(|_| RecordError::Invalid(at::APP))?,
        flow: match item.text(at::FLOW)? {
            flow::ACQUISITION => Flow::Acquisition,
            flow::CONFIRMATION => Flow::Confirmation {
                expected: phone_number(item, at::EXPECTED)?,
            },
            _ => return Err(RecordError::Invalid(at::FLOW)),
        },
        callback: CallbackUrl::from_stored(item.text(at::CALLBACK)?)
            .map_err(|_| RecordError::Invalid(at::CALLBACK))?,
        metadata: metadata(item)?,
        send_to: item
            .text(at::SEND_TO)?
            .parse::<Recipient>()
            .map_err(|_| RecordError::Invalid(at::SEND_TO))?,
        created_at: item.instant(at::CREATED_AT)?,
        expires_at: item.instant(at::EXPIRES_AT)?,
        idempotency: idempotency(item)?,
        state: match item.text(at::STATE)? {
            state::OPEN => State::Open,
            state::CANCELLED => State::Cancelled {
                at: item.instant(at::CANCELLED_AT)?,
            },
            state::VERIFIED => State::Verified(Box::new(Verified {
                phone_number: phone_number(item, at::NUMBER)?,
                carrier: item.text_if(at::CARRIER)?.unwrap_or_default().to_owned(),
                at: item.instant(at::VERIFIED_AT)?,
                text: TextFingerprint::from_bytes(item.fixed(at::TEXT)?),
                delivery: decode_delivery(item)?,
            })),
            _ => return Err(RecordError::Invalid(at::STATE)),
        },
        redacted_at: item.instant_if(at::REDACTED_AT)?,
        purge_at: item.instant(at::PURGE_AT)?,
    })
}

fn idempotency(item: Attributes<'_>) -> Result<Option<Idempotency>, RecordError> {
    if item.get(at::REQUEST).is_none() {
        return Ok(None);
    }
    Ok(Some(Idempotency {
        request: RequestHash::from_bytes(item.fixed(at::REQUEST)?),
        message: item.text(at::MESSAGE)?.to_owned(),
    }))
}

fn phone_number(
    item: Attributes<'_>,
    name: &'static str,
) -> Result<Redactable<PhoneNumber>, RecordError> {
    match item.text_if(name)? {
        None => Ok(Redactable::Redacted),
        Some(digits) => PhoneNumber::parse_e164(digits)
            .map(Redactable::Present)
            .map_err(|_| RecordError::Invalid(name)),
    }
}

/// Checked again, byte for byte: what is signed later must be canonical, whatever befell the item.
fn metadata(item: Attributes<'_>) -> Result<Redactable<CanonicalObject>, RecordError> {
    match item.text_if(at::METADATA)? {
        None => Ok(Redactable::Redacted),
        Some(json) => CanonicalObject::try_from(json.to_owned())
            .map(Redactable::Present)
            .map_err(|_| RecordError::Invalid(at::METADATA)),
    }
}
