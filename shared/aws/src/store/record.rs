//! Documents as items: their fields, and the attributes that DynamoDB needs.

use countersign_domain::delivery::DeliveryKind;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::store::form::{self, FormError, check_version, read};
use countersign_domain::store::{Document, Key, Revision, StoredDocument};

use super::item::{
    ALL_APPS, APP_LIST, AttributeValue, Attributes, DUE_AT, DUE_SHARD, Item, PK, REVISION, SK,
    STARTED_AT, STARTED_BY, TTL, VERSION, association_keys_of, instant, number, seconds, text,
};
use super::shards::DueShards;

/// Returns a document's attributes, without key and revision.
pub(super) fn encode(document: &Document, shards: DueShards) -> Result<Item, FormError> {
    let item = serde_dynamo::aws_sdk_dynamodb_1::to_item(document);
    let mut item: Item = item.map_err(|_| FormError::Unwritable)?;
    item.insert(VERSION.to_owned(), number(form::VERSION));
    if let Some(purge_at) = document.purge_at() {
        item.insert(TTL.to_owned(), seconds(purge_at));
    }
    if let Some(due) = document.due() {
        item.insert(DUE_SHARD.to_owned(), number(shards.shard_of(due.subject)));
        item.insert(DUE_AT.to_owned(), instant(due.due_at));
    }
    let list = match document {
        Document::App(_) => Some(text(ALL_APPS)),
        // A tombstone is not listed.
        Document::AssociationKey(key) if key.owner().is_some() => {
            Some(association_keys_of(&key.app))
        }
        _ => None,
    };
    if let Some(list) = list {
        item.insert(APP_LIST.to_owned(), list);
    }
    let started = match document {
        Document::Confirmation(item) => {
            Some((DeliveryKind::Confirmations, &item.app, item.created_at))
        }
        Document::Login(item) => Some((DeliveryKind::Logins, &item.app, item.created_at)),
        _ => None,
    };
    if let Some((kind, app, at)) = started {
        item.insert(STARTED_BY.to_owned(), starter(kind, app));
        item.insert(STARTED_AT.to_owned(), instant(at));
    }
    Ok(item)
}

/// Returns the index partition of the confirmations or logins that an app started.
pub(super) fn starter(kind: DeliveryKind, app: &AppId) -> AttributeValue {
    match kind {
        DeliveryKind::Confirmations => text(app.as_str()),
        DeliveryKind::Logins => text(format!("{app}#QR")),
    }
}

/// Decodes the document with this key.
pub(super) fn decode(key: &Key, mut item: Item) -> Result<StoredDocument, FormError> {
    let attributes = Attributes(&item);
    check_version(attributes.number(VERSION)?)?;
    let revision = Revision(attributes.number(REVISION)?);
    for name in [
        PK, SK, TTL, VERSION, REVISION, DUE_SHARD, DUE_AT, STARTED_BY, STARTED_AT, APP_LIST,
    ] {
        item.remove(name);
    }
    let item = serde_dynamo::Deserializer::from_attribute_value(AttributeValue::M(item).into());
    let document = read(key, item)?;
    Ok(StoredDocument {
        document: Box::new(document),
        revision,
    })
}

#[cfg(test)]
mod tests {
    use countersign_conformance::samples::documents::documents;
    use countersign_conformance::samples::{acquisition, id};
    use countersign_domain::primitives::time::Timestamp;
    use countersign_domain::store::Entity as _;

    use super::*;

    const KEY: Key = Key::Confirmation(id(1));

    fn stored(document: &Document) -> Item {
        let mut item = encode(document, DueShards::default()).unwrap();
        item.insert(REVISION.to_owned(), number(7_u32));
        item
    }

    #[test]
    fn every_document_reads_back() {
        for (name, key, document) in documents() {
            let pending = document.due().is_some();
            let item = stored(&document);
            assert_eq!(item.contains_key(DUE_AT), pending, "{name}");
            assert_eq!(item.contains_key(DUE_SHARD), pending, "{name}");
            let read = decode(&key, item).unwrap();
            assert_eq!((*read.document, read.revision), (document, Revision(7)));
        }
    }

    #[test]
    fn ttl_is_in_whole_seconds_and_never_early() {
        let mut item = acquisition(1);
        for (millis, seconds) in [(0, 0_u64), (1, 1), (999, 1), (1000, 1), (1001, 2)] {
            item.purge_at = Timestamp::from_millis(millis);
            let item = encode(&item.clone().into_document(), DueShards::default()).unwrap();
            assert_eq!(item[TTL], number(seconds));
        }
    }

    #[test]
    fn other_versions_are_refused() {
        let item = stored(&acquisition(1).into_document());
        let with = |name: &str, value| {
            let mut item = item.clone();
            item.insert(name.to_owned(), value);
            decode(&KEY, item)
        };
        assert!(with("later", AttributeValue::Bool(true)).is_ok());
        let newer = with(VERSION, number(300_u32));
        assert_eq!(newer, Err(FormError::Newer(300)));
        let older = with(VERSION, number(1_u32));
        assert_eq!(older, Err(FormError::Older(1)));
    }
}
