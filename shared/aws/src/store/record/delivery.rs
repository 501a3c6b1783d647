//! A delivery: attributes of the item of what it tells of.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use countersign_domain::delivery::signing::KeyId;
use countersign_domain::delivery::{
    Attempt, AttemptResult, Delivery, DeliveryLane, FailureReason, KeptSignature, Progress,
};

use crate::store::attributes::delivery as at;
use crate::store::attributes::{DUE_AT, DUE_SHARD};
use crate::store::item::{Attributes, Item, RecordError, bytes, instant, number, text};
use crate::store::lane;

/// Values of [`at::PROGRESS`].
pub(in crate::store) mod progress {
    pub(in crate::store) const PENDING: &str = "p";
    pub(in crate::store) const DELIVERED: &str = "d";
    pub(in crate::store) const FAILED: &str = "f";
}

/// Attributes of an attempt, a map within the list of them.
mod attempt {
    pub(super) const NUMBER: &str = "n";
    pub(super) const AT: &str = "t";
    /// In milliseconds.
    pub(super) const DURATION: &str = "d";
    /// The HTTP status; absent where no answer came.
    pub(super) const STATUS: &str = "s";
    /// Why no answer came.
    pub(super) const REASON: &str = "e";
}

/// The attributes of a delivery that belongs to that partition and that lane of the index.
pub(super) fn encode_delivery(shard: u8, lane: DeliveryLane, delivery: &Delivery) -> Item {
    let mut attributes = Item::new();
    let mut put = |name: &str, value: AttributeValue| {
        attributes.insert(name.to_owned(), value);
    };
    put(at::CLAIMS, number(delivery.attempts_claimed));
    put(at::ROUND, number(delivery.round_began_at));
    let attempts = delivery.attempts.iter().map(encode_attempt).collect();
    put(at::ATTEMPTS, AttributeValue::L(attempts));
    if let Some(kept) = &delivery.signature {
        put(at::BODY_HASH, bytes(kept.body_hash));
        put(at::KEY_ID, text(kept.key_id.as_str()));
        put(at::SIGNATURE, bytes(kept.der.clone()));
    }
    match delivery.progress {
        Progress::Pending {
            next_attempt_at,
            due_at,
            claimed_at,
        } => {
            put(at::PROGRESS, text(progress::PENDING));
            put(at::NEXT_AT, instant(next_attempt_at));
            put(DUE_SHARD, number(shard));
            put(DUE_AT, lane::sort_key(lane, due_at));
            if let Some(claimed_at) = claimed_at {
                put(at::CLAIMED_AT, instant(claimed_at));
            }
        }
        Progress::Delivered { at } => {
            put(at::PROGRESS, text(progress::DELIVERED));
            put(at::ENDED_AT, instant(at));
        }
        Progress::Failed { at } => {
            put(at::PROGRESS, text(progress::FAILED));
            put(at::ENDED_AT, instant(at));
        }
    }
    attributes
}

pub(super) fn decode_delivery(item: Attributes<'_>) -> Result<Delivery, RecordError> {
    Ok(Delivery {
        attempts_claimed: item.number(at::CLAIMS)?,
        round_began_at: item.number(at::ROUND)?,
        attempts: item
            .list(at::ATTEMPTS)?
            .iter()
            .map(decode_attempt)
            .collect::<Result<_, _>>()?,
        signature: decode_signature(item)?,
        progress: match item.text(at::PROGRESS)? {
            progress::PENDING => Progress::Pending {
                next_attempt_at: item.instant(at::NEXT_AT)?,
                due_at: lane::read(item)?.1,
                claimed_at: item.instant_if(at::CLAIMED_AT)?,
            },
            progress::DELIVERED => Progress::Delivered {
                at: item.instant(at::ENDED_AT)?,
            },
            progress::FAILED => Progress::Failed {
                at: item.instant(at::ENDED_AT)?,
            },
            _ => return Err(RecordError::Invalid(at::PROGRESS)),
        },
    })
}

fn decode_signature(item: Attributes<'_>) -> Result<Option<KeptSignature>, RecordError> {
    if item.get(at::SIGNATURE).is_none() {
        return Ok(None);
    }
    Ok(Some(KeptSignature {
        body_hash: item.fixed(at::BODY_HASH)?,
        key_id: KeyId::from_stored(item.text(at::KEY_ID)?.to_owned()),
        der: item.bytes(at::SIGNATURE)?.to_vec(),
    }))
}

/// An attempt, as it stands in the list of them.
pub(in crate::store) fn encode_attempt(made: &Attempt) -> AttributeValue {
    let duration = u64::try_from(made.duration.as_millis()).unwrap_or(u64::MAX);
    let (how, result) = match made.result {
        AttemptResult::Answered(status) => (attempt::STATUS, number(status)),
        AttemptResult::NoAnswer(reason) => (attempt::REASON, text(reason.as_str())),
    };
    AttributeValue::M(Item::from([
        (attempt::NUMBER.to_owned(), number(made.number)),
        (attempt::AT.to_owned(), instant(made.at)),
        (attempt::DURATION.to_owned(), number(duration)),
        (how.to_owned(), result),
    ]))
}

fn decode_attempt(stored: &AttributeValue) -> Result<Attempt, RecordError> {
    let invalid = RecordError::Invalid(at::ATTEMPTS);
    let map = Attributes::within(stored.as_m().map_err(|_| invalid)?);
    let result = match map.number_if(attempt::STATUS)? {
        Some(status) => AttemptResult::Answered(status),
        None => map
            .text(attempt::REASON)?
            .parse::<FailureReason>()
            .map(AttemptResult::NoAnswer)
            .map_err(|_| invalid)?,
    };
    Ok(Attempt {
        number: map.number(attempt::NUMBER)?,
        at: map.instant(attempt::AT)?,
        duration: Duration::from_millis(map.number(attempt::DURATION)?),
        result,
    })
}
