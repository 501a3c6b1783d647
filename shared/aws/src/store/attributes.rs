//! Names of the attributes that keys, indexes, conditions and updates use. They are the names of the
//! fields in `countersign_records`, which has those of every other attribute, too.

use std::ops::Range;

use base16ct::lower;
use countersign_domain::app::api_key::ApiKeyHash;
use countersign_domain::login::UserKey;
use countersign_domain::primitives::ids::{AppId, ConfirmationId, LoginId};
use countersign_domain::web::address_block::AddressBlock;

pub(super) use super::item::VERSION;
use super::item::{Item, text};

/// The partition key, a string.
pub(super) const PK: &str = "pk";
/// The sort key, a string.
pub(super) const SK: &str = "sk";
/// When DynamoDB may collect the item: whole seconds since the epoch.
pub(super) const TTL: &str = "ttl";
/// The index of what is due.
pub(super) const DUE: &str = "due";
/// The index's partition key: a number, one of [`CONFIRMATION_SHARDS`] or [`NOTICE_SHARDS`].
pub(super) const DUE_SHARD: &str = "due_shard";
/// The index's sort key, a number: the lane, then milliseconds since the epoch
/// ([`super::lane::sort_key`]). On an item only while a delivery is pending.
pub(super) const DUE_AT: &str = "due_at";
/// What the sort key has of the lane. On every session from its beginning, so that a write that has
/// not read the item can make the sort key of it.
pub(super) const LANE: &str = "g";

/// The partitions of the index that confirmations' deliveries are spread over.
pub(super) const CONFIRMATION_SHARDS: Range<u8> = 0..8;
/// Those for the notices of logins: of their own, so that a look for the one kind does not read the
/// other. Fewer, because each is a query of every sweep.
pub(super) const NOTICE_SHARDS: Range<u8> = 8..10;

/// How many writes the item has seen, itself included.
pub(super) const REVISION: &str = "r";
/// Which call wrote the item last: eight random bytes, the same each time the client repeats it.
pub(super) const WRITER: &str = "w";

/// Attributes of every session, be it a confirmation or a login.
pub(super) mod session {
    pub(in super::super) const APP: &str = "a";
    pub(in super::super) const CALLBACK: &str = "u";
    pub(in super::super) const CREATED_AT: &str = "c";
    pub(in super::super) const EXPIRES_AT: &str = "x";
    pub(in super::super) const PURGE_AT: &str = "p";
    pub(in super::super) const STATE: &str = "s";
}

/// Attributes of a confirmation.
pub(super) mod confirmation {
    pub(in super::super) use super::delivery::*;
    pub(in super::super) use super::session::*;

    pub(in super::super) const FLOW: &str = "f";
    pub(in super::super) const EXPECTED: &str = "e";
    pub(in super::super) const METADATA: &str = "m";
    pub(in super::super) const REDACTED_AT: &str = "rt";
    pub(in super::super) const CANCELLED_AT: &str = "ct";
    pub(in super::super) const NUMBER: &str = "n";
    pub(in super::super) const CARRIER: &str = "nc";
    pub(in super::super) const VERIFIED_AT: &str = "vt";
    pub(in super::super) const TEXT: &str = "vx";
}

/// Attributes of a login. `EXPIRES_AT` is when its time is over, or was once it has ended.
pub(super) mod login {
    pub(in super::super) use super::session::*;

    pub(in super::super) const BROWSER_TOKEN: &str = "t";
    /// The browser's key.
    pub(in super::super) const KEY: &str = "k";
    /// There where payloads must be encrypted.
    pub(in super::super) const REQUIRED: &str = "kr";
    pub(in super::super) const WATCHERS: &str = "l";
    /// The phone that opened it, a map.
    pub(in super::super) const PHONE: &str = "m";
    pub(in super::super) const CONFIRMED_AT: &str = "f";
    /// A string where anybody can read it, else the bytes that its Base64 stands for.
    pub(in super::super) const PAYLOAD: &str = "y";
    pub(in super::super) const FINGERPRINT: &str = "h";
    pub(in super::super) const REASON: &str = "q";
    /// The body of the webhook owed; its delivery's attributes are there with it.
    pub(in super::super) const NOTICE: &str = "n";
}

/// Attributes of the phone's map.
pub(super) mod phone {
    pub(in super::super) const TOKEN: &str = "t";
    /// Names of the risk flags, a list; absent where there are none.
    pub(in super::super) const FLAGS: &str = "f";
}

/// Attributes of the denials from one address.
pub(super) mod denials {
    /// The instant of one: slot 0 has the last that was written, the others those before it.
    pub(in super::super) fn slot(number: usize) -> String {
        format!("d{number}")
    }
}

/// Attributes of what a person confirmed.
pub(super) mod person {
    /// The browsers: a map from marks, in hexadecimal, to instants.
    pub(in super::super) const BROWSERS: &str = "b";
    /// When the last place was, and where, as in a sighting.
    pub(in super::super) const LAST_AT: &str = "a";
    pub(in super::super) const NORTH: &str = "n";
    pub(in super::super) const EAST: &str = "e";
}

/// Attributes of a delivery.
pub(super) mod delivery {
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
const LOGIN: &str = "QR#";

impl Key {
    /// A confirmation.
    pub(super) fn confirmation(id: ConfirmationId) -> Self {
        Self {
            pk: format!("{CONFIRMATION}{}", lower::encode_string(id.as_bytes())),
            sk: "CFM".to_owned(),
        }
    }

    /// A login.
    pub(super) fn login(id: LoginId) -> Self {
        Self {
            pk: format!("{LOGIN}{}", lower::encode_string(id.as_bytes())),
            sk: "QR".to_owned(),
        }
    }

    /// The denials of an app's logins from one address.
    pub(super) fn denials(app: &AppId, browser: AddressBlock) -> Self {
        Self {
            pk: format!("SEEN#{app}#{}", browser.first()),
            sk: "SEEN".to_owned(),
        }
    }

    /// What a person confirmed.
    pub(super) fn person(user: UserKey) -> Self {
        Self {
            pk: format!("USER#{}", lower::encode_string(user.as_bytes())),
            sk: "USER".to_owned(),
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
    sixteen_bytes(pk.strip_prefix(CONFIRMATION)?).map(ConfirmationId::from_bytes)
}

/// Whose login a partition is; `None` where it is of another kind.
pub(super) fn login_of(pk: &str) -> Option<LoginId> {
    sixteen_bytes(pk.strip_prefix(LOGIN)?).map(LoginId::from_bytes)
}

fn sixteen_bytes(digits: &str) -> Option<[u8; 16]> {
    let mut bytes = [0; 16];
    let decoded = lower::decode(digits, &mut bytes).ok()?;
    (decoded.len() == 16).then_some(bytes)
}

/// The partition of the index that a confirmation's delivery belongs to. Ids are hashes, so any
/// byte of them spreads evenly.
pub(super) const fn shard_of(id: ConfirmationId) -> u8 {
    one_of(CONFIRMATION_SHARDS, id.as_bytes()[0])
}

/// The partition that a login's notice belongs to. Ids are random.
pub(super) const fn notice_shard_of(id: LoginId) -> u8 {
    one_of(NOTICE_SHARDS, id.as_bytes()[0])
}

const fn one_of(shards: Range<u8>, byte: u8) -> u8 {
    shards.start + byte % (shards.end - shards.start)
}
