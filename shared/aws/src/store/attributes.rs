//! Names of the attributes that keys, indexes, conditions and updates use. They equal the field names in
//! `countersign_records`, which also defines all other attributes.

use std::ops::Range;

use base16ct::lower;
use countersign_domain::app::api_key::ApiKeyHash;
use countersign_domain::confirmation::text::store::{NonceHash, TextKey};
use countersign_domain::delivery::{DeliveryKind, DeliverySubject};
use countersign_domain::login::{KeyId, UserKey};
use countersign_domain::primitives::ids::{AppId, ConfirmationId, LoginId};
use countersign_domain::web::address_block::AddressBlock;

pub(super) use super::item::VERSION;
use super::item::{Item, text};

/// The partition key, a string.
pub(super) const PK: &str = "pk";
/// The sort key, a string.
pub(super) const SK: &str = "sk";
/// The time from which DynamoDB may delete the item, in whole seconds since the epoch.
pub(super) const TTL: &str = "ttl";
/// The index of due deliveries.
pub(super) const DUE: &str = "due";
/// The index's partition key: a number, one of [`CONFIRMATION_SHARDS`] or [`NOTICE_SHARDS`].
/// On an item only while a delivery is pending.
pub(super) const DUE_SHARD: &str = "due_shard";
/// The index's sort key, a number: the lane, then milliseconds since the epoch
/// ([`super::lane::sort_key`]).
pub(super) const DUE_AT: &str = "due_at";
/// Partitions of the index for the deliveries of confirmations.
pub(super) const CONFIRMATION_SHARDS: Range<u8> = 0..8;
/// Partitions of the index for the notices of logins. They are separate so that a query for one kind
/// does not read the other, and fewer because each partition costs every sweep a query.
pub(super) const NOTICE_SHARDS: Range<u8> = 8..10;

/// The number of writes to the item, its creation included.
pub(super) const REVISION: &str = "r";
/// The mark of the call that wrote the item last: eight random bytes, equal in all retries of a call.
pub(super) const WRITER: &str = "w";

/// Attributes of nonces and of parts of texts.
pub(super) mod kept {
    pub(in super::super) const PARTS: &str = "t";
    pub(in super::super) const PURGE_AT: &str = "p";
    /// The numbers of the parts, a set, for conditions.
    pub(in super::super) const NUMBERS: &str = "ns";
}

/// Attributes of confirmations and logins.
pub(super) mod common {
    pub(in super::super) const CREATED_AT: &str = "c";
    pub(in super::super) const PURGE_AT: &str = "p";
}

/// Attributes of the denials from one address.
pub(super) mod denials {
    /// Returns the name of the attribute for a denial's time. Slot 0 has the most recent denial, and higher
    /// slots have earlier ones.
    pub(in super::super) fn slot(number: usize) -> String {
        format!("d{number}")
    }
}

/// Attributes of a person's history.
pub(super) mod person {
    /// The browsers: a map from marks, in hexadecimal, to times.
    pub(in super::super) const BROWSERS: &str = "b";
    /// The time and the coordinates of the last place, encoded as in a sighting.
    pub(in super::super) const LAST_AT: &str = "a";
    pub(in super::super) const NORTH: &str = "n";
    pub(in super::super) const EAST: &str = "e";
}

/// Attributes of an app.
pub(super) mod app {
    /// Its API keys, each under its id.
    pub(in super::super) const KEYS: &str = "keys";
    /// The number of active keys, which the limit is checked against.
    pub(in super::super) const ACTIVE: &str = "ka";
}

/// Attributes of a key's pointer.
pub(super) mod pointer {
    /// The app's name.
    pub(in super::super) const APP: &str = "a";
}

/// Attributes of an association key.
pub(super) mod association_key {
    /// The time of the revocation. Only on tombstones.
    pub(in super::super) const REVOKED_AT: &str = "x";
}

/// Attributes of an owner's list of association keys.
pub(super) mod owner_keys {
    /// The ids of the keys, a set of strings; absent if there are none.
    pub(in super::super) const KEYS: &str = "k";
}

/// Attributes of the count of an app's association keys.
pub(super) mod key_count {
    /// The number of keys and tombstones.
    pub(in super::super) const KEPT: &str = "n";
}

/// Attributes of the profile: sets of strings that only grow.
pub(super) mod profile {
    pub(in super::super) const PREFIXES: &str = "x";
    pub(in super::super) const NUMBERS: &str = "n";
}

/// The key of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) pk: String,
    pub(super) sk: String,
}

/// Prefix of an app's sort key.
pub(super) const APP_SORT: &str = "APP#";
/// The partition of all apps, so that they can be listed without a scan.
pub(super) const APPS: &str = "APPS";
const CONFIRMATION: &str = "CFM#";
const LOGIN: &str = "QR#";

impl Key {
    /// Returns the key of a confirmation.
    pub(super) fn confirmation(id: ConfirmationId) -> Self {
        Self {
            pk: format!("{CONFIRMATION}{}", lower::encode_string(id.as_bytes())),
            sk: "CFM".to_owned(),
        }
    }

    /// Returns the key of a login. It keeps the id's prefix, which says of which kind the login is.
    pub(super) fn login(id: LoginId) -> Self {
        Self {
            pk: format!("{LOGIN}{id}"),
            sk: "QR".to_owned(),
        }
    }

    /// Returns the key of the denials of an app's logins from an address block.
    pub(super) fn denials(app: &AppId, browser: AddressBlock) -> Self {
        Self {
            pk: format!("SEEN#{app}#{}", browser.first()),
            sk: "SEEN".to_owned(),
        }
    }

    /// Returns the key of a person's history.
    pub(super) fn person(user: UserKey) -> Self {
        Self {
            pk: format!("USER#{}", lower::encode_string(user.as_bytes())),
            sk: "USER".to_owned(),
        }
    }

    /// Returns the key of an app.
    pub(super) fn app(id: &AppId) -> Self {
        Self {
            pk: APPS.to_owned(),
            sk: format!("{APP_SORT}{id}"),
        }
    }

    /// Returns the key of an API key's pointer to its app.
    pub(super) fn pointer(hash: &ApiKeyHash) -> Self {
        Self {
            pk: format!("KEY#{}", lower::encode_string(hash.as_bytes())),
            sk: "KEY".to_owned(),
        }
    }

    /// Returns the key of an association key and its tombstone.
    pub(super) fn association_key(app: &AppId, id: KeyId) -> Self {
        Self {
            pk: format!("AKEY#{app}#{id}"),
            sk: "AKEY".to_owned(),
        }
    }

    /// Returns the key of the list of an owner's association keys. The owner's hash contains the app.
    pub(super) fn keys_of(owner: UserKey) -> Self {
        Self {
            pk: format!("AOWNER#{}", lower::encode_string(owner.as_bytes())),
            sk: "AOWNER".to_owned(),
        }
    }

    /// Returns the key of the count of an app's association keys.
    pub(super) fn key_count(app: &AppId) -> Self {
        Self {
            pk: format!("AKEY#{app}"),
            sk: "COUNT".to_owned(),
        }
    }

    /// Returns the key of a nonce.
    pub(super) fn nonce(hash: NonceHash) -> Self {
        Self {
            pk: format!("NONCE#{}", lower::encode_string(&hash.0)),
            sk: "NONCE".to_owned(),
        }
    }

    /// Returns the key of the parts of a text.
    pub(super) fn kept_text(key: TextKey) -> Self {
        Self {
            pk: format!("TEXT#{}", lower::encode_string(&key.0)),
            sk: "TEXT".to_owned(),
        }
    }

    /// Returns the key of the profile: the prefixes and numbers that any app ever had.
    pub(super) fn profile() -> Self {
        Self {
            pk: "PROFILE".to_owned(),
            sk: "PROFILE".to_owned(),
        }
    }

    /// Returns the attributes of the key.
    pub(super) fn attributes(self) -> Item {
        Item::from([
            (PK.to_owned(), text(self.pk)),
            (SK.to_owned(), text(self.sk)),
        ])
    }
}

/// Returns the item of that kind in a partition, or `None` if the partition holds another kind.
pub(super) fn subject_of(kind: DeliveryKind, pk: &str) -> Option<DeliverySubject> {
    Some(match kind {
        DeliveryKind::Confirmations => {
            let id = sixteen_bytes(pk.strip_prefix(CONFIRMATION)?)?;
            ConfirmationId::from_bytes(id).into()
        }
        DeliveryKind::Logins => {
            let id = pk.strip_prefix(LOGIN)?.parse::<LoginId>().ok()?;
            id.into()
        }
    })
}

/// Returns the partitions of the index over which the deliveries of a kind are spread.
pub(super) const fn shards_of(kind: DeliveryKind) -> Range<u8> {
    match kind {
        DeliveryKind::Confirmations => CONFIRMATION_SHARDS,
        DeliveryKind::Logins => NOTICE_SHARDS,
    }
}

fn sixteen_bytes(digits: &str) -> Option<[u8; 16]> {
    let mut bytes = [0; 16];
    let decoded = lower::decode(digits, &mut bytes).ok()?;
    (decoded.len() == 16).then_some(bytes)
}

/// Returns the index partition of a confirmation's delivery. Ids are hashes, so any byte of an id
/// spreads evenly.
pub(super) const fn shard_of(id: ConfirmationId) -> u8 {
    one_of(CONFIRMATION_SHARDS, id.as_bytes()[0])
}

/// Returns the index partition of a login's notice. Ids are hashes.
pub(super) const fn notice_shard_of(id: LoginId) -> u8 {
    one_of(NOTICE_SHARDS, id.as_bytes()[0])
}

const fn one_of(shards: Range<u8>, byte: u8) -> u8 {
    shards.start + byte % (shards.end - shards.start)
}
