//! The tables of the file, and the layout of their keys.

use countersign_domain::app::api_key::ApiKeyHash;
use countersign_domain::delivery::store::Due;
use countersign_domain::delivery::{
    DeliveryKind, DeliveryLane, DeliverySubject, HORIZON, SubjectKey,
};
use countersign_domain::login::{AssociationKey, KeyId, UserKey};
use countersign_domain::primitives::ids::{AppId, ConfirmationId, LoginId, LoginKind};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::address_block::AddressBlock;
use redb::{Table, TableDefinition};
use sha2::{Digest, Sha256};

use super::checked::Stored;
use super::fault::Fault;

/// A key of a confirmation, a login or a history: one byte for the kind of its id, then 16 more.
pub(super) type ItemKey = SubjectKey;

/// A key that sorts by time: an instant in milliseconds, eight bytes, big-endian, followed by an
/// [`ItemKey`].
pub(super) type TimeKey = [u8; 25];

/// An open index that is sorted by time.
pub(super) type TimeIndex<'t> = Table<'t, &'static TimeKey, ()>;

/// The definition of a table of records, each with a checksum.
pub(super) type RecordTable<K> = TableDefinition<'static, K, Stored<'static>>;

/// A key of a due index: a lane of five bytes, followed by a [`TimeKey`].
pub(super) type DueKey = [u8; 30];

/// An open due index.
pub(super) type DueIndex<'t> = Table<'t, &'static DueKey, ()>;

/// Confirmations by id.
pub(super) const CONFIRMATIONS: RecordTable<&ItemKey> = TableDefinition::new("confirmations");
/// The due index of confirmations: pending deliveries by lane and `due_at`.
pub(super) const DUE: TableDefinition<'static, &DueKey, ()> = TableDefinition::new("due_by_lane");
/// Confirmations by the time from which they may be removed ([`IndexKeys::purge`]).
pub(super) const PURGE: TableDefinition<'static, &TimeKey, ()> = TableDefinition::new("purge");
/// Logins by id.
pub(super) const LOGINS: RecordTable<&ItemKey> = TableDefinition::new("logins");
/// The due index of logins: pending deliveries by lane and `due_at`.
pub(super) const DUE_NOTICES: TableDefinition<'static, &DueKey, ()> =
    TableDefinition::new("due_notices_by_lane");
/// Logins by the time from which they may be removed ([`IndexKeys::purge`]).
pub(super) const PURGE_LOGINS: TableDefinition<'static, &TimeKey, ()> =
    TableDefinition::new("purge_logins");
/// Denials by the hash of app and address.
pub(super) const DENIALS: RecordTable<&ItemKey> = TableDefinition::new("denials");
/// Denials by the time when the last one of an address expires.
pub(super) const FORGET_DENIALS: TableDefinition<'static, &TimeKey, ()> =
    TableDefinition::new("forget_denials");
/// Histories of persons' logins, by the hash of the person's name.
pub(super) const PERSONS: RecordTable<&ItemKey> = TableDefinition::new("persons");
/// Histories of persons' logins by the time when their last entry expires.
pub(super) const FORGET_PERSONS: TableDefinition<'static, &TimeKey, ()> =
    TableDefinition::new("forget_persons");
/// Nonces by their hash.
pub(super) const NONCES: RecordTable<&ItemKey> = TableDefinition::new("nonces");
/// Nonces by the time when they are forgotten.
pub(super) const FORGET_NONCES: TableDefinition<'static, &TimeKey, ()> =
    TableDefinition::new("forget_nonces");
/// Parts of texts, by the hash of what the parts of a text share.
pub(super) const TEXTS: RecordTable<&ItemKey> = TableDefinition::new("texts");
/// Parts of texts by the time when they are forgotten.
pub(super) const FORGET_TEXTS: TableDefinition<'static, &TimeKey, ()> =
    TableDefinition::new("forget_texts");
/// Association keys and their tombstones, by app and id.
pub(super) const ASSOCIATION_KEYS: RecordTable<&[u8]> = TableDefinition::new("association_keys");
/// Active association keys by app, owner and id.
pub(super) const KEYS_OF_OWNERS: TableDefinition<'static, &[u8], ()> =
    TableDefinition::new("association_keys_by_owner");
/// Apps by name.
pub(super) const APPS: RecordTable<&str> = TableDefinition::new("apps");
/// API keys by app and hash.
pub(super) const KEYS: RecordTable<&[u8]> = TableDefinition::new("keys");
/// Single values, by the names below.
pub(super) const META: TableDefinition<'static, &str, &[u8]> = TableDefinition::new("meta");

/// Name in [`META`] of the format's number: four bytes, big-endian.
pub(super) const FORMAT: &str = "format";
/// Name in [`META`] of an empty value that is written to find out whether writes work.
pub(super) const PROBE: &str = "probe";
/// Name in [`META`] of the steady clock's reading: a checksum, then milliseconds in eight bytes,
/// big-endian.
pub(super) const STEADY: &str = "steady";
/// Name in [`META`] of the profile, a record with a checksum: every prefix and number that an app ever
/// had.
pub(super) const PROFILE: &str = "inbound_profile";

/// Name in [`META`] of the longest validity that a confirmation ever had: a checksum, then
/// milliseconds in eight bytes, big-endian.
pub(super) const MAX_OPEN: &str = "longest_open";

pub(super) fn time_key(at: Timestamp, id: &ItemKey) -> TimeKey {
    let mut key = [0; 25];
    key[..8].copy_from_slice(&at.as_millis().to_be_bytes());
    key[8..].copy_from_slice(id);
    key
}

/// Returns the id of the confirmation with this key, whatever its first byte. A damaged byte leads to
/// no item, or to one whose checksum is wrong.
pub(super) fn confirmation_id(key: &ItemKey) -> ConfirmationId {
    ConfirmationId::from_bytes(last_bytes(key))
}

/// Returns the id of the login with this key, in the same way.
pub(super) fn login_id(key: &ItemKey) -> LoginId {
    match DeliverySubject::from_key(key) {
        Some(DeliverySubject::Login(id)) => id,
        _ => LoginId::from_bytes(LoginKind::Sealed, last_bytes(key)),
    }
}

fn last_bytes(key: &ItemKey) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&key[1..]);
    bytes
}

/// Returns the first key after all keys of an instant.
pub(super) fn after(at: Timestamp) -> TimeKey {
    let mut key = [0; 25];
    key[..8].copy_from_slice(&at.as_millis().saturating_add(1).to_be_bytes());
    key
}

/// Returns the last key of an instant.
pub(super) fn last_of(at: Timestamp) -> TimeKey {
    let mut key = [u8::MAX; 25];
    key[..8].copy_from_slice(&at.as_millis().to_be_bytes());
    key
}

pub(super) fn read_time_key(key: &TimeKey) -> (Timestamp, ItemKey) {
    let (mut millis, mut id) = ([0; 8], [0; 17]);
    millis.copy_from_slice(&key[..8]);
    id.copy_from_slice(&key[8..]);
    (Timestamp::from_millis(u64::from_be_bytes(millis)), id)
}

/// Returns the item's id in a key of a due index.
pub(super) fn due_id(key: &DueKey) -> ItemKey {
    read_time_key(&time_of(key)).1
}

fn time_of(key: &DueKey) -> TimeKey {
    let mut time = [0; 25];
    time.copy_from_slice(&key[5..]);
    time
}

/// Decodes a key of a due index.
pub(super) fn due_of(kind: DeliveryKind, key: &DueKey) -> Due {
    let mut lane = [0; 5];
    lane.copy_from_slice(&key[..5]);
    let (due_at, id) = read_time_key(&time_of(key));
    Due {
        due_at,
        subject: match kind {
            DeliveryKind::Confirmations => confirmation_id(&id).into(),
            DeliveryKind::Logins => login_id(&id).into(),
        },
        lane: DeliveryLane::from_bytes(kind, lane),
    }
}

/// Encodes the key of an entry in a due index.
pub(super) fn key_of(due: &Due) -> DueKey {
    due_key(due.lane, due.due_at, &due.subject.key())
}

pub(super) fn due_key(lane: DeliveryLane, at: Timestamp, id: &ItemKey) -> DueKey {
    let mut key = [0; 30];
    key[..5].copy_from_slice(lane.as_bytes());
    key[5..].copy_from_slice(&time_key(at, id));
    key
}

/// Returns the first key of a lane after all its keys of an instant.
pub(super) fn due_after(lane: DeliveryLane, at: Timestamp) -> DueKey {
    let mut key = [0; 30];
    key[..5].copy_from_slice(lane.as_bytes());
    key[5..].copy_from_slice(&after(at));
    key
}

/// An item's keys in the indexes, and the time until which it counts as open.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct IndexKeys {
    /// Key in the due index while the item owes a webhook.
    pub(super) due: Option<DueKey>,
    /// Key in the index of removals. Its time is `purge_at`, or one horizon later while the item owes
    /// a webhook.
    pub(super) purge: TimeKey,
    /// Time until which the item is open. Open items are counted in memory and have no index.
    pub(super) open_until: Option<Timestamp>,
}

/// An item's key in the index of removals, and the time until which it is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OpenEntry {
    pub(super) key: TimeKey,
    pub(super) end: Timestamp,
}

impl IndexKeys {
    pub(super) fn of(
        subject: DeliverySubject,
        purge_at: Timestamp,
        due: Option<Due>,
        open_until: Option<Timestamp>,
    ) -> Self {
        let due_at = due.map(|due| due.due_at);
        Self {
            due: due.as_ref().map(key_of),
            purge: time_key(removed_from(purge_at, due_at), &subject.key()),
            open_until,
        }
    }

    /// Returns the item's entry in the count of open items, if it is open.
    pub(super) fn open_entry(self) -> Option<OpenEntry> {
        let key = self.purge;
        self.open_until.map(|end| OpenEntry { key, end })
    }
}

/// Returns the steady clock's reading from which an item may be removed.
///
/// The steady clock may run at twice the speed of real time. An item that owes a webhook is therefore
/// kept one horizon longer, which leaves at least one horizon of real time to deliver the webhook.
fn removed_from(purge_at: Timestamp, due_at: Option<Timestamp>) -> Timestamp {
    due_at.map_or(purge_at, |_| purge_at.plus(HORIZON))
}

impl IndexKeys {
    /// Replaces the item's former keys in the indexes by these.
    pub(super) fn replace(
        self,
        before: Option<Self>,
        due: &mut DueIndex<'_>,
        purge: &mut TimeIndex<'_>,
    ) -> Result<(), Fault> {
        let due_before = before.and_then(|keys| keys.due);
        if due_before != self.due {
            if let Some(key) = due_before {
                due.remove(&key)?;
            }
            if let Some(key) = self.due {
                due.insert(&key, ())?;
            }
        }
        let purge_before = before.map(|keys| keys.purge);
        if purge_before != Some(self.purge) {
            if let Some(key) = purge_before {
                purge.remove(&key)?;
            }
            purge.insert(&self.purge, ())?;
        }
        Ok(())
    }
}

/// Returns the key of an address's denials: a hash of the app's name, a zero byte, and the address.
/// Names contain no zero byte.
pub(super) fn denials_key(app: &AppId, block: AddressBlock) -> ItemKey {
    let digest = Sha256::new()
        .chain_update(app.as_str().as_bytes())
        .chain_update([0])
        .chain_update(block.first().to_string().as_bytes())
        .finalize();
    let mut key = [0; 17];
    key.copy_from_slice(&digest[..17]);
    key
}

/// Returns the first 17 bytes of a hash.
pub(super) fn hash_key(hash: &[u8; 32]) -> ItemKey {
    let mut key = [0; 17];
    key.copy_from_slice(&hash[..17]);
    key
}

/// A zero byte, and the hash of a person's name.
pub(super) fn person_key(user: &UserKey) -> ItemKey {
    let mut key = [0; 17];
    key[1..].copy_from_slice(user.as_bytes());
    key
}

/// Encodes the key of an API key's record: the app's name, a zero byte, and the hash. Names contain no
/// zero byte.
pub(super) fn key_key(app: &AppId, hash: &ApiKeyHash) -> Vec<u8> {
    [app.as_str().as_bytes(), &[0], hash.as_bytes()].concat()
}

/// Returns the range of the keys of an app's API keys, its end excluded.
pub(super) fn keys_of(app: &AppId) -> (Vec<u8>, Vec<u8>) {
    let name = app.as_str().as_bytes();
    ([name, &[0]].concat(), [name, &[1]].concat())
}

/// Decodes a key that [`key_key`] encoded.
pub(super) fn read_key_key(key: &[u8]) -> Option<(AppId, ApiKeyHash)> {
    let (name, hash) = key.split_at_checked(key.len().checked_sub(32)?)?;
    let name = std::str::from_utf8(name.strip_suffix(&[0])?).ok()?;
    Some((
        name.parse::<AppId>().ok()?,
        ApiKeyHash::from_bytes(hash.try_into().ok()?),
    ))
}

/// Encodes the key of an association key's record: the app's name, a zero byte, and the key's id.
pub(super) fn association_key_key(app: &AppId, id: KeyId) -> Vec<u8> {
    [app.as_str().as_bytes(), &[0], id.as_bytes()].concat()
}

/// Returns the range of an app's keys of [`ASSOCIATION_KEYS`], its end excluded.
pub(super) fn association_keys_of(app: &AppId) -> (Vec<u8>, Vec<u8>) {
    let name = app.as_str().as_bytes();
    ([name, &[0]].concat(), [name, &[1]].concat())
}

/// Returns the name in [`META`] of the number of an app's association keys, tombstones included.
pub(super) fn keys_of_app(app: &AppId) -> String {
    format!("association_keys {app}")
}

/// Decodes a key that [`association_key_key`] encoded.
pub(super) fn read_association_key_key(key: &[u8]) -> Option<(AppId, KeyId)> {
    let (name, id) = key.split_at_checked(key.len().checked_sub(32)?)?;
    let name = std::str::from_utf8(name.strip_suffix(&[0])?).ok()?;
    let id = KeyId::from_bytes(id.try_into().ok()?);
    Some((name.parse::<AppId>().ok()?, id))
}

/// Encodes an association key's entry in [`KEYS_OF_OWNERS`]: the app's name, a zero byte, the hash of
/// the owner, and the key's id.
pub(super) fn owned_key(key: &AssociationKey) -> Vec<u8> {
    let owner = key.owner_key();
    let app = key.app.as_str().as_bytes();
    [app, &[0], owner.as_bytes(), key.id.as_bytes()].concat()
}

/// Returns the range of the entries of an owner's keys, its end excluded.
pub(super) fn owned_by(app: &AppId, owner: &UserKey) -> (Vec<u8>, Vec<u8>) {
    let first = [app.as_str().as_bytes(), &[0], owner.as_bytes()].concat();
    // One byte more than any entry.
    let end = [first.as_slice(), &[u8::MAX; 33]].concat();
    (first, end)
}

/// Returns the key's id in an entry of [`KEYS_OF_OWNERS`].
pub(super) fn read_owned_key(entry: &[u8]) -> Option<KeyId> {
    entry.last_chunk().map(|id| KeyId::from_bytes(*id))
}

/// Returns the key of the record to which an entry of [`KEYS_OF_OWNERS`] belongs.
pub(super) fn record_of_owned(entry: &[u8]) -> Option<Vec<u8>> {
    let (rest, id) = entry.split_last_chunk::<32>()?;
    let (app, _) = rest.split_last_chunk::<16>()?;
    Some([app, id].concat())
}
