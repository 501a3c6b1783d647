//! What attributes are called, and how items are found. Names are short because they count towards
//! an item's size, and the good path stays below one write unit (1 KB).

use base16ct::lower;
use countersign_domain::api_key::ApiKeyHash;
use countersign_domain::ids::{AppId, ConfirmationId};

use super::item::{Item, text};

/// The partition key, a string.
pub(super) const PK: &str = "pk";
/// The sort key, a string.
pub(super) const SK: &str = "sk";
/// When DynamoDB may collect the item: whole seconds since the epoch.
pub(super) const TTL: &str = "ttl";
/// The index of what is due.
pub(super) const DUE: &str = "due";
/// The index's partition key: a number below [`SHARDS`].
pub(super) const DUE_SHARD: &str = "due_shard";
/// The index's sort key: milliseconds since the epoch. On an item only while a delivery is pending.
pub(super) const DUE_AT: &str = "due_at";

/// How many partitions the index is spread over.
pub(super) const SHARDS: u8 = 8;

/// The oldest version of the format that a reader has to know.
pub(super) const VERSION: &str = "v";
/// How many writes the item has seen, itself included.
pub(super) const REVISION: &str = "r";
/// Which call wrote the item last: eight random bytes, the same each time the client repeats it.
pub(super) const WRITER: &str = "w";

/// Attributes of a confirmation.
pub(super) mod confirmation {
    pub(in super::super) const APP: &str = "a";
    pub(in super::super) const FLOW: &str = "f";
    pub(in super::super) const EXPECTED: &str = "e";
    pub(in super::super) const CALLBACK: &str = "u";
    pub(in super::super) const METADATA: &str = "m";
    pub(in super::super) const SEND_TO: &str = "to";
    pub(in super::super) const CREATED_AT: &str = "c";
    pub(in super::super) const EXPIRES_AT: &str = "x";
    pub(in super::super) const PURGE_AT: &str = "p";
    pub(in super::super) const REQUEST: &str = "ih";
    pub(in super::super) const MESSAGE: &str = "im";
    pub(in super::super) const REDACTED_AT: &str = "rt";
    pub(in super::super) const STATE: &str = "s";
    pub(in super::super) const CANCELLED_AT: &str = "ct";
    pub(in super::super) const NUMBER: &str = "n";
    pub(in super::super) const CARRIER: &str = "nc";
    pub(in super::super) const VERIFIED_AT: &str = "vt";
    pub(in super::super) const TEXT: &str = "vx";
    pub(in super::super) const CLAIMS: &str = "dn";
    pub(in super::super) const ROUND: &str = "db";
    pub(in super::super) const ATTEMPTS: &str = "da";
    pub(in super::super) const BODY_HASH: &str = "gh";
    pub(in super::super) const KEY_ID: &str = "gk";
    pub(in super::super) const SIGNATURE: &str = "gs";
    pub(in super::super) const PROGRESS: &str = "d";
    pub(in super::super) const NEXT_AT: &str = "dx";
    pub(in super::super) const CLAIMED_AT: &str = "dc";
    pub(in super::super) const ENDED_AT: &str = "dt";
}

/// Attributes of an app.
pub(super) mod app {
    pub(in super::super) const APP_KEY: &str = "k";
    pub(in super::super) const CREATED_AT: &str = "c";
    pub(in super::super) const CALLBACK: &str = "u";
    pub(in super::super) const ORIGINS: &str = "o";
    pub(in super::super) const TEMPLATE: &str = "m";
    pub(in super::super) const PREFIX: &str = "x";
    pub(in super::super) const SENDERS: &str = "n";
    /// What it wants of logins, in JSON; absent where that is nothing.
    pub(in super::super) const LOGIN: &str = "l";
    /// Its API keys, each under its id.
    pub(in super::super) const KEYS: &str = "keys";
    /// How many of them are active: what the limit is decided by.
    pub(in super::super) const ACTIVE: &str = "ka";
}

/// Attributes of a key's pointer.
pub(super) mod pointer {
    /// The app's name.
    pub(in super::super) const APP: &str = "a";
}

/// Attributes of the profile: sets of strings, to which is only ever added.
pub(super) mod profile {
    pub(in super::super) const PREFIXES: &str = "x";
    pub(in super::super) const NUMBERS: &str = "n";
}

/// By what an item is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) pk: String,
    pub(super) sk: String,
}

/// What an app's sort key begins with.
pub(super) const APP_SORT: &str = "APP#";
/// The partition of all apps, so that they can be listed without a scan.
pub(super) const APPS: &str = "APPS";
const CONFIRMATION: &str = "CFM#";

impl Key {
    /// A confirmation.
    pub(super) fn confirmation(id: ConfirmationId) -> Self {
        Self {
            pk: format!("{CONFIRMATION}{}", lower::encode_string(id.as_bytes())),
            sk: "CFM".to_owned(),
        }
    }

    /// An app.
    pub(super) fn app(id: &AppId) -> Self {
        Self {
            pk: APPS.to_owned(),
            sk: format!("{APP_SORT}{id}"),
        }
    }

    /// What tells the app of an API key.
    pub(super) fn pointer(hash: &ApiKeyHash) -> Self {
        Self {
            pk: format!("KEY#{}", lower::encode_string(hash.as_bytes())),
            sk: "KEY".to_owned(),
        }
    }

    /// The prefixes and numbers that any app ever had.
    pub(super) fn profile() -> Self {
        Self {
            pk: "PROFILE".to_owned(),
            sk: "PROFILE".to_owned(),
        }
    }

    /// The attributes that say so.
    pub(super) fn attributes(self) -> Item {
        Item::from([
            (PK.to_owned(), text(self.pk)),
            (SK.to_owned(), text(self.sk)),
        ])
    }
}

/// Whose confirmation a partition is; `None` where it is of another kind.
pub(super) fn confirmation_of(pk: &str) -> Option<ConfirmationId> {
    let digits = pk.strip_prefix(CONFIRMATION)?;
    let mut bytes = [0; 16];
    let decoded = lower::decode(digits, &mut bytes).ok()?;
    (decoded.len() == 16).then_some(ConfirmationId::from_bytes(bytes))
}

/// The partition of the index that a confirmation's delivery belongs to. Ids are hashes, so any
/// byte of them spreads evenly.
pub(super) const fn shard_of(id: ConfirmationId) -> u8 {
    id.as_bytes()[0] % SHARDS
}
