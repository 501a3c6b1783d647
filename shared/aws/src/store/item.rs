//! DynamoDB items: their attributes in addition to the fields of the documents, and typed access to
//! them.

use std::collections::HashMap;
use std::str::FromStr;

use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::Key;
use countersign_domain::store::form::FormError;

pub(super) use aws_sdk_dynamodb::types::AttributeValue;

/// An item, or a map within an item.
pub(super) type Item = HashMap<String, AttributeValue>;

/// Encodes a string.
pub(super) fn text(value: impl Into<String>) -> AttributeValue {
    AttributeValue::S(value.into())
}

/// Encodes a number.
pub(super) fn number(value: impl Into<u64>) -> AttributeValue {
    AttributeValue::N(value.into().to_string())
}

/// Encodes a time in milliseconds since the epoch.
pub(super) fn instant(at: Timestamp) -> AttributeValue {
    number(at.as_millis())
}

/// Encodes a time for `ttl`: in whole seconds, rounded up.
pub(super) fn seconds(at: Timestamp) -> AttributeValue {
    number(at.as_millis().div_ceil(1000))
}

/// The attributes of an item, by name.
#[derive(Clone, Copy)]
pub(super) struct Attributes<'a>(pub(super) &'a Item);

impl<'a> Attributes<'a> {
    pub(super) fn text(self, name: &str) -> Result<&'a str, FormError> {
        match self.0.get(name).ok_or(FormError::Malformed)? {
            AttributeValue::S(text) => Ok(text),
            _ => Err(FormError::Malformed),
        }
    }

    pub(super) fn number<T: FromStr>(self, name: &str) -> Result<T, FormError> {
        match self.0.get(name).ok_or(FormError::Malformed)? {
            AttributeValue::N(digits) => digits.parse().map_err(|_| FormError::Malformed),
            _ => Err(FormError::Malformed),
        }
    }
}

/// The partition key, a string.
pub(super) const PK: &str = "pk";
/// The sort key, a string.
pub(super) const SK: &str = "sk";
/// The time after which DynamoDB may delete the item, in whole seconds since the epoch.
pub(super) const TTL: &str = "ttl";
/// The version of the stored format.
pub(super) const VERSION: &str = "v";
/// The time after which the item counts as removed, in milliseconds since the epoch.
pub(super) const PURGE_AT: &str = "purge_at";
/// A random number that changes with each write. It lets a call whose response was lost recognize
/// its own write.
pub(super) const REVISION: &str = "r";
/// The index of due deliveries.
pub(super) const DUE: &str = "due";
/// The index's partition key: a number, one of [`DueShards`]. Present only while a delivery is
/// pending.
pub(super) const DUE_SHARD: &str = "due_shard";
/// The index's sort key, a number: milliseconds since the epoch.
pub(super) const DUE_AT: &str = "due_at";

/// The index of the confirmations and logins that apps started. The index may be missing: only lists
/// need it.
pub(super) const STARTED: &str = "started";
/// The index's partition key, a string that identifies the app.
pub(super) const STARTED_BY: &str = "started_by";
/// The index's sort key, a number: milliseconds since the epoch.
pub(super) const STARTED_AT: &str = "started_at";

/// The index of apps, whose items have different partition keys, so that the requests for all apps are not
/// concentrated in one partition. Its sort key is [`PK`].
pub(super) const APPS: &str = "apps";
/// The index's partition key, a string. Present only on apps and on active association keys.
pub(super) const APP_LIST: &str = "app_list";
/// The value of [`APP_LIST`] for apps.
pub(super) const ALL_APPS: &str = "APPS";

/// Returns the value of [`APP_LIST`] for the association keys of an app, which are listed in the same index.
pub(super) fn association_keys_of(app: &AppId) -> AttributeValue {
    text(format!("AKEY#{app}"))
}

/// The partition of all audit entries, whose sort key is the key's text form. Only administrators'
/// commands read and write it.
pub(super) const AUDIT: &str = "AUDIT";

/// Returns the attributes of a key. The sort key of an item with its own partition is the kind of
/// item.
pub(super) fn of_key(key: &Key) -> Item {
    let name = key.to_string();
    let (pk, sk) = match key {
        Key::Audit(_) => (AUDIT, name.as_str()),
        _ => (name.as_str(), name.split('#').next().unwrap_or_default()),
    };
    Item::from([(PK.to_owned(), text(pk)), (SK.to_owned(), text(sk))])
}

/// Parses the key of an item; returns `None` if this release does not know its kind.
pub(super) fn key_of(item: &Item) -> Option<Key> {
    let text = |name| Attributes(item).text(name).ok();
    let key = text(PK).filter(|pk| *pk != AUDIT).or_else(|| text(SK));
    Key::parse(key?)
}
