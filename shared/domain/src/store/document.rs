//! Documents and their keys.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use base16ct::lower;
use serde::{Deserialize, Serialize};

use crate::app::api_key::{ApiKeyHash, ApiKeyRecord};
use crate::app::audit::{AuditId, AuditRecord};
use crate::app::client_secret::ClientSecretRecord;
use crate::app::{App, AppKey, InboundProfile};
use crate::confirmation::Confirmation;
use crate::confirmation::subject::SubjectKey;
use crate::confirmation::text::traces::{KeptText, NonceHash, TextKey, UsedNonce};
use crate::delivery::due::{DueEntry, NextAttempt};
use crate::delivery::transitions::HasDelivery as _;
use crate::delivery::{DeliveryKind, DeliverySubject};
use crate::login::association_key::test_keys::TestKeys;
use crate::login::risk::{Denials, PersonHistory};
use crate::login::{AssociationKey, KeyId, Login, PhoneRegistration, UserKey};
use crate::openid::grant::{Grant, GrantId};
use crate::openid::subject::Subject;
use crate::primitives::day::Day;
use crate::primitives::ids::{AppId, ConfirmationId, LoginId, PhoneRegistrationId};
use crate::primitives::time::Timestamp;
use crate::web::address_block::AddressBlock;
use crate::web::link_host::LinkHost;

/// Takes the place of the key id in a [`Key`]; every key id is longer.
const TEST: &str = "test";

/// The key of a document. Its text form is unique among all kinds and contains no secrets.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    Confirmation(ConfirmationId),
    Login(LoginId),
    /// An app with its API keys.
    App(AppId),
    /// An API key, pointing to its app.
    ApiKey(ApiKeyHash),
    /// The last use of an API key.
    KeyUse(ApiKeyHash),
    /// A public app key, pointing to its app.
    AppKey(AppKey),
    /// A link host, pointing to the apps that have it.
    LinkHost(LinkHost),
    /// The prefixes and numbers that any app ever had.
    Profile,
    /// An association key or its tombstone.
    AssociationKey(AppId, KeyId),
    /// The association keys of one owner.
    OwnerKeys(UserKey),
    /// The number of an app's association keys and tombstones.
    KeyCount(AppId),
    /// The association keys of an app's tests.
    TestKeys(AppId),
    /// A phone that is set up.
    PhoneRegistration(PhoneRegistrationId),
    /// The phone registrations of one owner.
    OwnerRegistrations(UserKey),
    /// A person's history.
    Person(UserKey),
    /// The denials of an app's logins from an address block.
    Denials(AppId, AddressBlock),
    /// A nonce of a provider's call.
    Nonce(NonceHash),
    /// The parts of a text.
    Text(TextKey),
    /// An administrator's command.
    Audit(AuditId),
    /// What a person's proof gave a client of the `OpenID` provider.
    Grant(GrantId),
    /// The subject of a phone number at an app.
    Subject(SubjectKey),
}

impl Key {
    /// Returns the subject of the webhook in the document with this key; `None` for keys of other
    /// documents.
    #[must_use]
    pub const fn subject(&self) -> Option<DeliverySubject> {
        match self {
            Self::Confirmation(id) => Some(DeliverySubject::Confirmation(*id)),
            Self::Login(id) => Some(DeliverySubject::Login(*id)),
            Self::PhoneRegistration(id) => Some(DeliverySubject::PhoneRegistration(*id)),
            _ => None,
        }
    }

    /// Returns whether the document is never purged, like a revocation: a key whose revocation is forgotten would
    /// be valid again.
    #[must_use]
    pub const fn is_permanent(&self) -> bool {
        match self {
            Self::App(_)
            | Self::ApiKey(_)
            | Self::KeyUse(_)
            | Self::AppKey(_)
            | Self::LinkHost(_)
            | Self::Profile
            | Self::AssociationKey(..)
            | Self::OwnerKeys(_)
            | Self::KeyCount(_) => true,
            Self::Confirmation(_)
            | Self::Login(_)
            | Self::TestKeys(_)
            | Self::PhoneRegistration(_)
            | Self::OwnerRegistrations(_)
            | Self::Person(_)
            | Self::Denials(..)
            | Self::Nonce(_)
            | Self::Text(_)
            | Self::Audit(_)
            | Self::Grant(_)
            | Self::Subject(_) => false,
        }
    }

    /// Parses the text form; `None` if it is malformed.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let Some((kind, rest)) = text.split_once('#') else {
            return (text == "PROFILE").then_some(Self::Profile);
        };
        Some(match kind {
            "CFM" => Self::Confirmation(ConfirmationId::from_bytes(unhex(rest)?)),
            "QR" => Self::Login(rest.parse().ok()?),
            "APP" => Self::App(rest.parse().ok()?),
            "KEY" => Self::ApiKey(ApiKeyHash::from_bytes(unhex(rest)?)),
            "KEYUSE" => Self::KeyUse(ApiKeyHash::from_bytes(unhex(rest)?)),
            "APPKEY" => Self::AppKey(rest.parse().ok()?),
            "HOST" => Self::LinkHost(rest.parse().ok()?),
            "AKEY" => match rest.split_once('#') {
                Some((app, TEST)) => Self::TestKeys(app.parse().ok()?),
                Some((app, id)) => Self::AssociationKey(app.parse().ok()?, id.parse().ok()?),
                None => Self::KeyCount(rest.parse().ok()?),
            },
            "AOWNER" => Self::OwnerKeys(UserKey::from_bytes(unhex(rest)?)),
            "PHR" => Self::PhoneRegistration(rest.parse().ok()?),
            "PHOWNER" => Self::OwnerRegistrations(UserKey::from_bytes(unhex(rest)?)),
            "USER" => Self::Person(UserKey::from_bytes(unhex(rest)?)),
            "SEEN" => {
                let (app, block) = rest.split_once('#')?;
                Self::Denials(
                    app.parse().ok()?,
                    AddressBlock::from_address(block.parse().ok()?),
                )
            }
            "NONCE" => Self::Nonce(NonceHash(unhex(rest)?)),
            "TEXT" => Self::Text(TextKey(unhex(rest)?)),
            "AUDIT" => {
                let (at, nonce) = rest.split_once('#')?;
                Self::Audit(AuditId {
                    at: Timestamp::from_millis(at.parse().ok()?),
                    nonce: unhex(nonce)?,
                })
            }
            "GRANT" => Self::Grant(GrantId::from_bytes(unhex(rest)?)),
            "SUBJECT" => Self::Subject(SubjectKey::from_bytes(unhex(rest)?)),
            _ => return None,
        })
    }
}

impl From<ConfirmationId> for Key {
    fn from(id: ConfirmationId) -> Self {
        Self::Confirmation(id)
    }
}

impl From<LoginId> for Key {
    fn from(id: LoginId) -> Self {
        Self::Login(id)
    }
}

impl From<PhoneRegistrationId> for Key {
    fn from(id: PhoneRegistrationId) -> Self {
        Self::PhoneRegistration(id)
    }
}

/// The key of the subject of a webhook.
impl From<DeliverySubject> for Key {
    fn from(subject: DeliverySubject) -> Self {
        match subject {
            DeliverySubject::Confirmation(id) => id.into(),
            DeliverySubject::Login(id) => id.into(),
            DeliverySubject::PhoneRegistration(id) => id.into(),
        }
    }
}

fn unhex<const N: usize>(digits: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    let decoded = lower::decode(digits, &mut bytes).ok()?;
    (decoded.len() == N).then_some(bytes)
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hex = |bytes: &[u8]| lower::encode_string(bytes);
        match self {
            Self::Confirmation(id) => write!(f, "CFM#{}", hex(id.as_bytes())),
            Self::Login(id) => write!(f, "QR#{id}"),
            Self::App(id) => write!(f, "APP#{id}"),
            Self::ApiKey(hash) => write!(f, "KEY#{}", hex(hash.as_bytes())),
            Self::KeyUse(hash) => write!(f, "KEYUSE#{}", hex(hash.as_bytes())),
            Self::AppKey(key) => write!(f, "APPKEY#{}", key.as_str()),
            Self::LinkHost(host) => write!(f, "HOST#{}", host.as_str()),
            Self::Profile => f.write_str("PROFILE"),
            Self::AssociationKey(app, id) => write!(f, "AKEY#{app}#{id}"),
            Self::OwnerKeys(owner) => write!(f, "AOWNER#{}", hex(owner.as_bytes())),
            Self::KeyCount(app) => write!(f, "AKEY#{app}"),
            Self::TestKeys(app) => write!(f, "AKEY#{app}#{TEST}"),
            Self::PhoneRegistration(id) => write!(f, "PHR#{id}"),
            Self::OwnerRegistrations(owner) => write!(f, "PHOWNER#{}", hex(owner.as_bytes())),
            Self::Person(user) => write!(f, "USER#{}", hex(user.as_bytes())),
            Self::Denials(app, block) => write!(f, "SEEN#{app}#{}", block.first()),
            Self::Nonce(hash) => write!(f, "NONCE#{}", hex(&hash.0)),
            Self::Text(key) => write!(f, "TEXT#{}", hex(&key.0)),
            // The parts have fixed lengths, so that the text forms have the order of the ids.
            Self::Audit(AuditId { at, nonce }) => {
                write!(f, "AUDIT#{:015}#{}", at.as_millis(), hex(nonce))
            }
            Self::Grant(id) => write!(f, "GRANT#{}", hex(id.as_bytes())),
            Self::Subject(key) => write!(f, "SUBJECT#{}", hex(key.as_bytes())),
        }
    }
}

/// Content of one kind of document.
pub trait Entity: Clone + Send + 'static {
    /// Returns the document that stores the entity.
    fn into_document(self) -> Document;

    /// Returns the entity in a document; `None` if the document is of another kind.
    fn from_document(document: Document) -> Option<Self>;
}

macro_rules! documents {
    ($($(#[$doc:meta])* $kind:ident($entity:ty),)*) => {
        /// Content of any document.
        #[derive(Clone, Debug, PartialEq, Serialize)]
        #[serde(untagged)]
        pub enum Document {
            $($(#[$doc])* $kind($entity),)*
        }

        $(impl Entity for $entity {
            fn into_document(self) -> Document {
                Document::$kind(self)
            }

            fn from_document(document: Document) -> Option<Self> {
                match document {
                    Document::$kind(entity) => Some(entity),
                    _ => None,
                }
            }
        })*
    };
}

documents! {
    Confirmation(Confirmation),
    Login(Login),
    /// An app with its API keys.
    App(AppDocument),
    /// The app of an API key.
    ApiKey(KeyOwner),
    /// The last use of an API key.
    KeyUse(KeyUse),
    /// The apps that may have an app key or a link host.
    Candidates(Candidates),
    /// The prefixes and numbers that any app ever had.
    Profile(InboundProfile),
    /// An association key or its tombstone.
    AssociationKey(AssociationKey),
    /// The association keys of one owner.
    OwnerKeys(OwnerKeys),
    /// The number of an app's association keys and tombstones.
    KeyCount(KeyCount),
    /// The association keys of an app's tests.
    TestKeys(TestKeys),
    /// A phone that is set up.
    PhoneRegistration(PhoneRegistration),
    /// The phone registrations of one owner.
    OwnerRegistrations(OwnerRegistrations),
    Person(PersonHistory),
    /// The denials of an app's logins from an address block.
    Denials(Denials),
    /// A nonce of a provider's call.
    Nonce(UsedNonce),
    /// The parts of a text.
    Text(KeptText),
    /// An administrator's command.
    Audit(AuditRecord),
    /// What a person's proof gave a client of the `OpenID` provider.
    Grant(Grant),
    /// The subject of a phone number at an app.
    Subject(Subject),
}

/// An app with its API keys and client secrets, including revoked ones, in no particular order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppDocument {
    pub app: App,
    pub keys: Vec<ApiKeyRecord>,
    /// The app's client secrets, including revoked ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub client_secrets: Vec<ClientSecretRecord>,
    /// Time at which the app was deleted. A deleted app is kept because its items may still have pending webhooks, and
    /// because no other app may get its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Timestamp>,
}

impl AppDocument {
    pub(super) const fn is_deleted(&self) -> bool {
        self.deleted_at.is_some()
    }
}

/// The app of an API key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyOwner {
    pub app: AppId,
}

/// The last use of an API key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyUse {
    pub day: Day,
}

/// The apps that may have an app key or a link host. A listed app may have a different key or host, or may not
/// exist, after a change or an interrupted call: its own document is authoritative.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidates {
    pub apps: BTreeSet<AppId>,
}

/// The ids of an owner's association keys. A listed key may not exist, or may belong to a different
/// owner, after an interrupted call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnerKeys {
    /// The ids of the keys.
    pub keys: BTreeSet<KeyId>,
}

/// The number of an app's association keys and tombstones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyCount {
    /// The number of keys and tombstones.
    pub keys: u64,
}

/// The phone registrations of one owner, each with the time from which it is treated as deleted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnerRegistrations {
    pub registrations: BTreeMap<PhoneRegistrationId, Timestamp>,
}

impl Document {
    /// Returns the document's entry in the due index if a webhook is pending.
    #[must_use]
    pub fn due(&self) -> Option<DueEntry> {
        match self {
            Self::Confirmation(item) => item.due(),
            Self::Login(item) => item.due(),
            Self::PhoneRegistration(item) => item.due(),
            _ => None,
        }
    }

    /// Returns the next attempt of the document's pending webhook, if any.
    #[must_use]
    pub fn next_attempt(&self) -> Option<NextAttempt> {
        match self {
            Self::Confirmation(item) => item.next_attempt(),
            Self::Login(item) => item.next_attempt(),
            Self::PhoneRegistration(item) => item.next_attempt(),
            _ => None,
        }
    }

    /// Returns the time from which the document is treated as removed; `None` if it is kept
    /// forever.
    #[must_use]
    pub fn purge_at(&self) -> Option<Timestamp> {
        match self {
            Self::Confirmation(item) => Some(item.purge_at),
            Self::Login(item) => Some(item.purge_at),
            Self::TestKeys(keys) => keys.forgotten_at(),
            Self::PhoneRegistration(item) => Some(item.purge_at),
            Self::OwnerRegistrations(list) => list.registrations.values().max().copied(),
            Self::Person(history) => history.forgotten_at(),
            Self::Denials(denials) => denials.forgotten_at(),
            Self::Nonce(nonce) => Some(nonce.purge_at),
            Self::Text(text) => Some(text.purge_at),
            Self::Audit(record) => Some(record.forgotten_at()),
            Self::Grant(grant) => Some(grant.purge_at),
            Self::Subject(subject) => subject.purge_at,
            Self::App(_)
            | Self::ApiKey(_)
            | Self::KeyUse(_)
            | Self::Candidates(_)
            | Self::Profile(_)
            | Self::AssociationKey(_)
            | Self::OwnerKeys(_)
            | Self::KeyCount(_) => None,
        }
    }

    /// Returns the app that started the item, the kind, and the time of the start; `None` for documents
    /// of other kinds. These values never change.
    #[must_use]
    pub const fn started(&self) -> Option<(&AppId, DeliveryKind, Timestamp)> {
        match self {
            Self::Confirmation(item) => {
                Some((&item.app, DeliveryKind::Confirmations, item.created_at))
            }
            Self::Login(item) => Some((&item.app, DeliveryKind::Logins, item.created_at)),
            _ => None,
        }
    }

    /// Returns the data for counting open items against a quota: the app, the kind, and the time at
    /// which the item expires.
    #[must_use]
    pub fn open(&self) -> Option<(&AppId, DeliveryKind, Timestamp)> {
        match self {
            Self::Confirmation(item) => {
                Some((&item.app, DeliveryKind::Confirmations, item.open_until()?))
            }
            Self::Login(item) => Some((&item.app, DeliveryKind::Logins, item.open_until()?)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitives::ids::LoginKind;

    #[test]
    fn key_reads_back() {
        let app = "shop".parse::<AppId>().unwrap();
        let user = UserKey::from_bytes([6; 16]);
        let block = AddressBlock::from_address("2001:db8::1".parse().unwrap());
        let id = "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"
            .parse()
            .unwrap();
        for key in [
            Key::Confirmation(ConfirmationId::from_bytes([1; 16])),
            Key::Login(LoginId::from_bytes(LoginKind::Sealed, [2; 16])),
            Key::Login(LoginId::from_bytes(LoginKind::Plain, [2; 16])),
            Key::App(app.clone()),
            Key::ApiKey(ApiKeyHash::from_bytes([3; 32])),
            Key::KeyUse(ApiKeyHash::from_bytes([3; 32])),
            Key::AppKey("cs_app_0000000000000000000002".parse().unwrap()),
            Key::LinkHost("login.shop.example:8443".parse().unwrap()),
            Key::Profile,
            Key::AssociationKey(app.clone(), id),
            Key::OwnerKeys(user),
            Key::KeyCount(app.clone()),
            Key::TestKeys(app.clone()),
            Key::PhoneRegistration(PhoneRegistrationId::from_bytes([2; 16])),
            Key::OwnerRegistrations(user),
            Key::Person(user),
            Key::Denials(app, block),
            Key::Nonce(NonceHash([4; 32])),
            Key::Text(TextKey([5; 32])),
            Key::Audit(AuditId {
                at: Timestamp::from_millis(1_767_323_045_678),
                nonce: [7; 8],
            }),
            Key::Grant(GrantId::from_bytes([8; 16])),
            Key::Subject(SubjectKey::from_bytes([9; 32])),
        ] {
            assert_eq!(Key::parse(&key.to_string()), Some(key));
        }
        for text in [
            "",
            "CFM#",
            "CFM#00",
            "OTHER#1",
            "AKEY#shop#",
            "PROFILE#",
            "APPKEY#",
            "HOST#",
        ] {
            assert_eq!(Key::parse(text), None, "{text}");
        }
    }
}
