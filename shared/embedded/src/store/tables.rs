//! The tables of the file, and how their keys are spelt.

use countersign_domain::api_key::ApiKeyHash;
use countersign_domain::confirmation::Confirmation;
use countersign_domain::ids::{AppId, ConfirmationId};
use countersign_domain::ports::Due;
use countersign_domain::time::Timestamp;
use redb::TableDefinition;

/// An instant in milliseconds, big-endian, then a confirmation's id: in order of time.
pub(super) type TimeKey = [u8; 24];

/// Confirmations by id.
pub(super) const CONFIRMATIONS: TableDefinition<'static, &[u8; 16], &[u8]> =
    TableDefinition::new("confirmations");
/// The due index: pending deliveries by `due_at`.
pub(super) const DUE: TableDefinition<'static, &TimeKey, ()> = TableDefinition::new("due");
/// Confirmations by `purge_at`.
pub(super) const PURGE: TableDefinition<'static, &TimeKey, ()> = TableDefinition::new("purge");
/// Apps by name.
pub(super) const APPS: TableDefinition<'static, &str, &[u8]> = TableDefinition::new("apps");
/// API keys by app and hash.
pub(super) const KEYS: TableDefinition<'static, &[u8], &[u8]> = TableDefinition::new("keys");
/// What there is one of.
pub(super) const META: TableDefinition<'static, &str, &[u8]> = TableDefinition::new("meta");

/// In [`META`]: the version of the layout, four bytes, big-endian.
pub(super) const FORMAT: &str = "format";
/// In [`META`]: every prefix and number that an app ever had.
pub(super) const PROFILE: &str = "inbound_profile";

pub(super) fn time_key(at: Timestamp, id: ConfirmationId) -> TimeKey {
    let mut key = [0; 24];
    key[..8].copy_from_slice(&at.as_millis().to_be_bytes());
    key[8..].copy_from_slice(id.as_bytes());
    key
}

/// The first key that is later than every key of that instant.
pub(super) fn after(at: Timestamp) -> TimeKey {
    let mut key = [0; 24];
    key[..8].copy_from_slice(&(at.as_millis() + 1).to_be_bytes());
    key
}

pub(super) fn due_of(key: &TimeKey) -> Due {
    let (mut millis, mut id) = ([0; 8], [0; 16]);
    millis.copy_from_slice(&key[..8]);
    id.copy_from_slice(&key[8..]);
    Due {
        due_at: Timestamp::from_millis(u64::from_be_bytes(millis)),
        confirmation: ConfirmationId::from_bytes(id),
    }
}

/// Where an item stands in the indexes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct IndexKeys {
    pub(super) due: Option<TimeKey>,
    pub(super) purge: TimeKey,
}

impl IndexKeys {
    pub(super) fn of(item: &Confirmation) -> Self {
        Self {
            due: item.due_at().map(|at| time_key(at, item.id)),
            purge: time_key(item.purge_at, item.id),
        }
    }
}

/// An app's name, a zero byte (no name holds one), and the hash.
pub(super) fn key_key(app: &AppId, hash: &ApiKeyHash) -> Vec<u8> {
    [app.as_str().as_bytes(), &[0], hash.as_bytes()].concat()
}

/// The keys of an app lie in this range.
pub(super) fn keys_of(app: &AppId) -> (Vec<u8>, Vec<u8>) {
    let name = app.as_str().as_bytes();
    ([name, &[0]].concat(), [name, &[1]].concat())
}

/// What [`key_key`] made, taken apart.
pub(super) fn read_key_key(key: &[u8]) -> Option<(AppId, ApiKeyHash)> {
    let (name, hash) = key.split_at_checked(key.len().checked_sub(32)?)?;
    let name = std::str::from_utf8(name.strip_suffix(&[0])?).ok()?;
    Some((
        AppId::parse(name).ok()?,
        ApiKeyHash::from_bytes(hash.try_into().ok()?),
    ))
}
