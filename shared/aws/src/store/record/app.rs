//! Apps with their API keys, and pointers to apps.

use std::sync::Arc;

use countersign_domain::app::App;
use countersign_domain::app::api_key::{ApiKeyHash, ApiKeyRecord};
use countersign_domain::primitives::ids::AppId;
use countersign_records::{KeyRecord, RecordError};

use super::{from_item, to_item};
use crate::store::attributes::{APP_SORT, REVISION, SK, app as at, pointer};
use crate::store::change::Change;
use crate::store::item::{AttributeValue, Attributes, Item, number};

/// When an API key was revoked, in milliseconds since the epoch; absent while it is active.
pub(in crate::store) const REVOKED_AT: &str = "x";

/// The contents of an app's item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::store) struct AppItem {
    /// The app.
    pub(in crate::store) app: Arc<App>,
    /// Its API keys, the oldest first.
    pub(in crate::store) keys: Vec<ApiKeyRecord>,
    /// The item's revision: the number of writes to it.
    pub(in crate::store) revision: u64,
}

impl AppItem {
    /// Returns the key with this hash.
    pub(in crate::store) fn key(&self, hash: &ApiKeyHash) -> Option<&ApiKeyRecord> {
        self.keys.iter().find(|key| key.hash == *hash)
    }
}

/// Sets every attribute of an app except its keys, and removes those that it no longer has.
pub(in crate::store) fn app_changes(
    change: Change,
    before: &App,
    after: &App,
) -> Result<Change, RecordError> {
    let (before, after) = (to_item(before)?, to_item(after)?);
    let gone = before.keys().filter(|name| !after.contains_key(*name));
    let change = gone.fold(change, |change, name| change.remove(name));
    Ok(set_all(change, after))
}

/// Sets every attribute of a new app, which has no keys.
pub(in crate::store) fn new_app(change: Change, app: &App) -> Result<Change, RecordError> {
    Ok(set_all(change, to_item(app)?)
        .set(at::KEYS, AttributeValue::M(Item::new()))
        .set(at::ACTIVE, number(0_u32)))
}

fn set_all(change: Change, attributes: Item) -> Change {
    attributes
        .into_iter()
        .fold(change, |change, (name, value)| change.set(&name, value))
}

/// Reads an app and its keys. Its name is in its sort key.
pub(in crate::store) fn decode_app(item: &Item) -> Result<AppItem, RecordError> {
    let attributes = Attributes::of(item)?;
    let id = attributes.text(SK)?.strip_prefix(APP_SORT);
    let id = id.and_then(|name| name.parse::<AppId>().ok());
    let app = from_item(id.ok_or(RecordError::Invalid(SK))?, item)?;
    Ok(AppItem {
        app: Arc::new(app),
        keys: decode_keys(attributes)?,
        revision: attributes.number(REVISION)?,
    })
}

fn decode_keys(item: Attributes<'_>) -> Result<Vec<ApiKeyRecord>, RecordError> {
    let invalid = RecordError::Invalid(at::KEYS);
    let map = item.get(at::KEYS).ok_or(RecordError::Missing(at::KEYS))?;
    let AttributeValue::M(map) = map else {
        return Err(invalid);
    };
    let keys = map.values().map(|stored| {
        let key: KeyRecord<'_> =
            serde_dynamo::from_attribute_value(stored.clone()).map_err(|_| invalid)?;
        ApiKeyRecord::try_from(key)
    });
    let mut keys = keys.collect::<Result<Vec<_>, RecordError>>()?;
    keys.sort_by_key(|key| (key.issued_at, key.hash));
    Ok(keys)
}

/// Reads the app that an API key's pointer names.
pub(in crate::store) fn decode_owner(item: &Item) -> Result<AppId, RecordError> {
    let name = Attributes::of(item)?.text(pointer::APP)?;
    name.parse::<AppId>()
        .map_err(|_| RecordError::Invalid(pointer::APP))
}
