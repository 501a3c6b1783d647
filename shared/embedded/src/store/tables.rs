//! The tables of the file, and the layout of their keys.

use countersign_domain::app::api_key::ApiKeyHash;
use countersign_domain::delivery::store::Due;
use countersign_domain::delivery::{
    DeliveryKind, DeliveryLane, DeliverySubject, HORIZON, SubjectKey,
};
use countersign_domain::login::UserKey;
use countersign_domain::primitives::ids::{AppId, ConfirmationId, LoginId, LoginKind};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::address_block::AddressBlock;
use redb::{Table, TableDefinition};
use sha2::{Digest, Sha256};

use super::checked::Stored;
use super::fault::Fault;

/// The key of a confirmation, a login or a history: one byte for the kind of its id, then 16 more.
pub(super) type ItemKey = SubjectKey;

/// An instant in milliseconds, big-endian, then an [`ItemKey`]: in order of time.
pub(super) type TimeKey = [u8; 25];

/// An index in order of time.
pub(super) type TimeIndex<'t> = Table<'t, &'static TimeKey, ()>;

/// A table of records, each with its checksum.
pub(super) type RecordTable<K> = TableDefinition<'static, K, Stored<'static>>;

/// A lane, then a [`TimeKey`]: of each lane in order of time.
pub(super) type DueKey = [u8; 30];

/// A due index.
pub(super) type DueIndex<'t> = Table<'t, &'static DueKey, ()>;

/// Confirmations by id.
pub(super) const CONFIRMATIONS: RecordTable<&ItemKey> = TableDefinition::new("confirmations");
/// The due index: pending deliveries by lane and `due_at`.
pub(super) const DUE: TableDefinition<'static, &DueKey, ()> = TableDefinition::new("due_by_lane");
/// Confirmations by the time from which they may be removed ([`IndexKeys::purge`]).
pub(super) const PURGE: TableDefinition<'static, &TimeKey, ()> = TableDefinition::new("purge");
/// Logins by id.
pub(super) const SESSIONS: RecordTable<&ItemKey> = TableDefinition::new("qr_sessions");
/// The due index of logins: webhooks owed for decisions, by lane and `due_at`.
pub(super) const DUE_NOTICES: TableDefinition<'static, &DueKey, ()> =
    TableDefinition::new("due_notices_by_lane");
/// Logins by the time from which they may be removed.
pub(super) const PURGE_SESSIONS: TableDefinition<'static, &TimeKey, ()> =
    TableDefinition::new("purge_qr_sessions");
/// Denials by the hash of app and address.
pub(super) const DENIALS: RecordTable<&ItemKey> = TableDefinition::new("denials");
/// Denials by when the last is forgotten.
pub(super) const FORGET_DENIALS: TableDefinition<'static, &TimeKey, ()> =
    TableDefinition::new("forget_denials");
/// What is known of persons, by the hash of their name.
pub(super) const PERSONS: RecordTable<&ItemKey> = TableDefinition::new("persons");
/// Persons by when the last of it is forgotten.
pub(super) const FORGET_PERSONS: TableDefinition<'static, &TimeKey, ()> =
    TableDefinition::new("forget_persons");
/// Apps by name.
pub(super) const APPS: RecordTable<&str> = TableDefinition::new("apps");
/// API keys by app and hash.
pub(super) const KEYS: RecordTable<&[u8]> = TableDefinition::new("keys");
/// What there is one of.
pub(super) const META: TableDefinition<'static, &str, &[u8]> = TableDefinition::new("meta");

/// In [`META`]: the version of the layout, four bytes, big-endian.
pub(super) const FORMAT: &str = "format";
/// In [`META`]: what is written to learn whether writes work.
pub(super) const PROBE: &str = "probe";
/// In [`META`]: the steady clock's reading, milliseconds in eight bytes, big-endian, behind their
/// checksum.
pub(super) const STEADY: &str = "steady";
/// In [`META`]: every prefix and number that an app ever had. A record with its checksum.
pub(super) const PROFILE: &str = "inbound_profile";

/// In [`META`]: the longest time that a confirmation was opened for, in milliseconds, eight bytes,
/// big-endian, behind their checksum.
pub(super) const MAX_OPEN: &str = "longest_open";

pub(super) fn time_key(at: Timestamp, id: &ItemKey) -> TimeKey {
    let mut key = [0; 25];
    key[..8].copy_from_slice(&at.as_millis().to_be_bytes());
    key[8..].copy_from_slice(id);
    key
}

/// Returns the id of the confirmation with this key, whatever its first byte: a damaged one only
/// leads to no item, or to one whose checksum is wrong.
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

/// The first key that is later than every key of that instant.
pub(super) fn after(at: Timestamp) -> TimeKey {
    let mut key = [0; 25];
    key[..8].copy_from_slice(&at.as_millis().saturating_add(1).to_be_bytes());
    key
}

pub(super) fn read_time_key(key: &TimeKey) -> (Timestamp, ItemKey) {
    let (mut millis, mut id) = ([0; 8], [0; 17]);
    millis.copy_from_slice(&key[..8]);
    id.copy_from_slice(&key[8..]);
    (Timestamp::from_millis(u64::from_be_bytes(millis)), id)
}

/// Returns the id at the end of a key.
pub(super) fn due_id(key: &DueKey) -> ItemKey {
    read_time_key(&time_of(key)).1
}

fn time_of(key: &DueKey) -> TimeKey {
    let mut time = [0; 25];
    time.copy_from_slice(&key[5..]);
    time
}

/// Returns the entry of a due index that has this key.
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

/// Returns the key of an entry of a due index.
pub(super) fn key_of(due: &Due) -> DueKey {
    due_key(due.lane, due.due_at, &due.subject.key())
}

pub(super) fn due_key(lane: DeliveryLane, at: Timestamp, id: &ItemKey) -> DueKey {
    let mut key = [0; 30];
    key[..5].copy_from_slice(lane.as_bytes());
    key[5..].copy_from_slice(&time_key(at, id));
    key
}

/// The first key of a lane that is later than every key of that instant.
pub(super) fn due_after(lane: DeliveryLane, at: Timestamp) -> DueKey {
    let mut key = [0; 30];
    key[..5].copy_from_slice(lane.as_bytes());
    key[5..].copy_from_slice(&after(at));
    key
}

/// An item's place in the indexes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct IndexKeys {
    pub(super) due: Option<DueKey>,
    /// The time from which it may be removed: `purge_at`, or one horizon later while it owes a
    /// webhook.
    pub(super) purge: TimeKey,
    /// Its place among what is open, which is counted in memory.
    pub(super) open_until: Option<Timestamp>,
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
}

/// Returns the steady clock's reading from which an item may be removed.
///
/// The steady clock may run at twice the speed of real time, so an item with a webhook due stays one
/// horizon longer: at least one horizon has then really passed since its webhook became owed.
fn removed_from(purge_at: Timestamp, due_at: Option<Timestamp>) -> Timestamp {
    due_at.map_or(purge_at, |_| purge_at.plus(HORIZON))
}

impl IndexKeys {
    /// Puts these keys into the indexes, in place of those that the item had before.
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

/// A hash over an app's name, a zero byte (no name holds one), and the address.
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

/// A zero byte, and the hash of a person's name.
pub(super) fn person_key(user: &UserKey) -> ItemKey {
    let mut key = [0; 17];
    key[1..].copy_from_slice(user.as_bytes());
    key
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
        name.parse::<AppId>().ok()?,
        ApiKeyHash::from_bytes(hash.try_into().ok()?),
    ))
}
