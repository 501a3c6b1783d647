//! The attributes of items, besides the fields of their documents.

use std::ops::Range;

use countersign_domain::delivery::{DeliveryKind, DeliverySubject};
use countersign_domain::store::Key;

use super::item::{Item, text};

/// The partition key, a string.
pub(super) const PK: &str = "pk";
/// The sort key, a string.
pub(super) const SK: &str = "sk";
/// The time from which DynamoDB may delete the item, in whole seconds since the epoch.
pub(super) const TTL: &str = "ttl";
/// The version of the stored form.
pub(super) const VERSION: &str = "v";
/// The time from which the item counts as removed, in milliseconds since the epoch.
pub(super) const PURGE_AT: &str = "purge_at";
/// A random number that changes with each write. A call whose response was lost recognises its write
/// by it.
pub(super) const REVISION: &str = "r";
/// The index of due deliveries.
pub(super) const DUE: &str = "due";
/// The index's partition key: a number, one of [`shards_of`]. On an item only while a delivery is
/// pending.
pub(super) const DUE_SHARD: &str = "due_shard";
/// The index's sort key, a number: the lane, then milliseconds since the epoch
/// ([`super::lane::sort_key`]).
pub(super) const DUE_AT: &str = "due_at";

/// The partition of all apps, so that they can be listed without a scan.
pub(super) const APPS: &str = "APPS";
/// Prefix of an app's sort key.
pub(super) const APP_SORT: &str = "APP#";

/// Returns the attributes of a key. The sort key of what has a partition of its own is its kind.
pub(super) fn of_key(key: &Key) -> Item {
    let name = key.to_string();
    let (pk, sk) = match key {
        Key::App(_) => (APPS, name.as_str()),
        _ => (name.as_str(), name.split('#').next().unwrap_or_default()),
    };
    Item::from([(PK.to_owned(), text(pk)), (SK.to_owned(), text(sk))])
}

/// Returns the partitions of the index over which the deliveries of a kind are spread. Those of logins
/// are separate, so that a query for one kind does not read the other, and fewer, because each
/// partition costs every sweep a query.
pub(super) const fn shards_of(kind: DeliveryKind) -> Range<u8> {
    match kind {
        DeliveryKind::Confirmations => 0..8,
        DeliveryKind::Logins => 8..10,
    }
}

/// Returns the partition of a delivery. Ids are hashes, so any byte of an id spreads evenly.
pub(super) fn shard_of(subject: DeliverySubject) -> u8 {
    let shards = shards_of(subject.kind());
    shards.start + subject.id_bytes()[0] % (shards.end - shards.start)
}
