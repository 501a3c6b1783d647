//! Entities as items: the attributes of their records, and those that DynamoDB needs.

mod app;
mod history;
#[cfg(test)]
mod tests;

use countersign_domain::confirmation::Confirmation;
use countersign_domain::delivery::DeliveryLane;
use countersign_domain::delivery::transitions::Owes as _;
use countersign_domain::login::Login;
use countersign_domain::primitives::time::Timestamp;
use countersign_records::{DUE_AT as RECORD_DUE_AT, Entity, RecordError, VERSION as FORMAT};
use serde::Serialize;

pub(super) use app::{AppItem, REVOKED_AT, app_changes, decode_app, decode_owner, new_app};
pub(super) use history::{NEVER, decode_person, encode_person, mark_name};

use super::attributes::{DUE_AT, DUE_SHARD, TTL, VERSION, notice_shard_of, shard_of};
use super::item::{AttributeValue, Attributes, Item, instant, number, seconds};
use super::lane;

/// Returns a confirmation's attributes, without keys and revision.
pub(super) fn encode_confirmation(item: &Confirmation) -> Result<Item, RecordError> {
    let due = item.due_at().map(|at| (shard_of(item.id), at));
    Ok(indexed(to_item(item)?, item.purge_at, item.lane(), due))
}

/// Returns a login's attributes, without keys and revision.
pub(super) fn encode_login(item: &Login) -> Result<Item, RecordError> {
    let due = item.due_at().map(|at| (notice_shard_of(item.id), at));
    Ok(indexed(to_item(item)?, item.purge_at, item.lane(), due))
}

/// Adds the version, the time to live and the attributes of the index `due`. A pending delivery also has
/// a shard and a time in that index.
fn indexed(
    mut item: Item,
    purge_at: Timestamp,
    lane: DeliveryLane,
    due: Option<(u8, Timestamp)>,
) -> Item {
    // The sort key of the index contains this time.
    item.remove(RECORD_DUE_AT);
    let mut put = |name: &str, value: AttributeValue| {
        item.insert(name.to_owned(), value);
    };
    put(VERSION, number(FORMAT));
    put(TTL, seconds(purge_at));
    if let Some((shard, due_at)) = due {
        put(DUE_SHARD, number(shard));
        put(DUE_AT, lane::sort_key(lane, due_at));
    }
    item
}

/// Returns an entity's record as attributes.
pub(super) fn to_item<E: Entity>(entity: &E) -> Result<Item, RecordError> {
    serde_dynamo::aws_sdk_dynamodb_1::to_item(entity.record()).map_err(|_| RecordError::Unwritable)
}

/// Reads the entity that was stored under this id.
pub(super) fn from_item<E: Entity>(id: E::Id, item: &Item) -> Result<E, RecordError> {
    let attributes = Attributes::of(item)?;
    let mut record = item.clone();
    for name in [TTL, DUE_SHARD, DUE_AT] {
        record.remove(name);
    }
    if attributes.get(DUE_AT).is_some() {
        let (_, due_at) = lane::read(attributes)?;
        record.insert(RECORD_DUE_AT.to_owned(), instant(due_at));
    }
    // No release writes a null, and serde would read it as an absent field.
    if record
        .values()
        .any(|value| matches!(value, AttributeValue::Null(_)))
    {
        return Err(RecordError::Malformed);
    }
    // The error of the format may quote the item.
    let record =
        serde_dynamo::aws_sdk_dynamodb_1::from_item(record).map_err(|_| RecordError::Malformed)?;
    E::from_record(id, record)
}

/// Returns a part of a record as the value of an expression.
pub(super) fn value(part: &impl Serialize) -> AttributeValue {
    // Every record can be encoded. If one could not, the empty set would make DynamoDB refuse the whole
    // write.
    serde_dynamo::aws_sdk_dynamodb_1::to_attribute_value(part)
        .unwrap_or(AttributeValue::Ss(Vec::new()))
}
