//! The contents of a store, record by record, for backups and checks.
//!
//! A backup contains no indexes: they are rebuilt from the records.

use std::fmt;

use countersign_domain::confirmation::Confirmation;
use countersign_domain::confirmation::text::store::{KeptText, TakenNonce};
use countersign_domain::login::Login;
use countersign_domain::login::risk::{Denials, PersonHistory};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use redb::{ReadTransaction, ReadableDatabase as _, ReadableTable, TableDefinition};

use super::EmbeddedStore;
use super::app_records::{read_app, read_key, read_profile};
use super::association_keys;
use super::checked::{self, RecordError, Stored};
use super::fault::Fault;
use super::index::IndexEntry;
use super::kept::Kept as _;
use super::record_kind::RecordKind;
use super::tables::{
    APPS, ASSOCIATION_KEYS, CONFIRMATIONS, DENIALS, DUE, DUE_NOTICES, DueKey, FORGET_DENIALS,
    FORGET_NONCES, FORGET_PERSONS, FORGET_TEXTS, IndexKeys, ItemKey, KEYS, LOGINS, META, NONCES,
    PERSONS, PROFILE, PURGE, PURGE_LOGINS, TEXTS, TimeKey, confirmation_id, login_id, owned_key,
    read_association_key_key, read_key_key, time_key,
};

/// A record as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Kind of the record, which determines its table.
    pub kind: RecordKind,
    /// Key in that table.
    pub key: Vec<u8>,
    /// Checksum, followed by the content.
    pub stored: Vec<u8>,
}

/// The facts of a readable record that backups and checks need.
#[derive(Clone)]
pub struct Sound {
    /// Fact that backups and checks report to the operator.
    pub note: Note,
    entries: Vec<IndexEntry>,
}

/// A fact about a record that backups and checks report to the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// Nothing to report.
    Nothing,
    /// The item owes a webhook.
    OwedWebhook,
    /// The API key is not revoked.
    ActiveKey,
}

impl Record {
    /// Verifies the checksum of the record and decodes it.
    ///
    /// # Errors
    /// Fails if the record is damaged, and says how.
    pub fn examine(&self) -> Result<Sound, Damage> {
        self.sound().map_err(|cause| Damage {
            kind: self.kind,
            name: self.name(),
            cause,
        })
    }

    fn sound(&self) -> Result<Sound, RecordError> {
        let stored = Stored::from_bytes(&self.stored);
        let plain = |note| Sound {
            note,
            entries: Vec::new(),
        };
        Ok(match self.kind {
            RecordKind::Confirmation => {
                let key = self.item_key()?;
                let id = confirmation_id(key);
                let item = checked::read::<Confirmation>(&CONFIRMATIONS, key, id, stored)?;
                Sound::of(&item.keys(), (DUE, PURGE))
            }
            RecordKind::Login => {
                let key = self.item_key()?;
                let id = login_id(key);
                let item = checked::read::<Login>(&LOGINS, key, id, stored)?;
                Sound::of(&item.keys(), (DUE_NOTICES, PURGE_LOGINS))
            }
            RecordKind::Denials => {
                let key = self.item_key()?;
                let denials: Denials = checked::read(&DENIALS, key, (), stored)?;
                Sound::forgotten(FORGET_DENIALS, key, denials.forgotten_at())
            }
            RecordKind::Person => {
                let key = self.item_key()?;
                let person: PersonHistory = checked::read(&PERSONS, key, (), stored)?;
                Sound::forgotten(FORGET_PERSONS, key, person.forgotten_at())
            }
            RecordKind::Nonce => {
                let key = self.item_key()?;
                let taken: TakenNonce = checked::read(&NONCES, key, (), stored)?;
                Sound::forgotten(FORGET_NONCES, key, Some(taken.purge_at))
            }
            RecordKind::Text => {
                let key = self.item_key()?;
                let text: KeptText = checked::read(&TEXTS, key, (), stored)?;
                Sound::forgotten(FORGET_TEXTS, key, Some(text.purge_at))
            }
            RecordKind::App => {
                read_app(self.text_key()?, stored)?;
                plain(Note::Nothing)
            }
            RecordKind::ApiKey => {
                let (_, key) = read_key(&self.key, stored)?;
                plain(if key.is_active() {
                    Note::ActiveKey
                } else {
                    Note::Nothing
                })
            }
            RecordKind::AssociationKey => {
                let key = association_keys::read(&self.key, stored)?;
                let entry = key.owner().map(|_| IndexEntry::Owner(owned_key(&key)));
                Sound {
                    note: Note::Nothing,
                    entries: entry.into_iter().collect(),
                }
            }
            RecordKind::Profile => {
                read_profile(&self.stored)?;
                plain(Note::Nothing)
            }
        })
    }

    pub(super) fn item_key(&self) -> Result<&ItemKey, RecordError> {
        let key = self.key.as_slice().try_into();
        key.map_err(|_| RecordError::Key)
    }

    pub(super) fn text_key(&self) -> Result<&str, RecordError> {
        std::str::from_utf8(&self.key).map_err(|_| RecordError::Key)
    }

    /// Returns the name by which an operator finds the record. It contains no secret.
    fn name(&self) -> String {
        let id = self.item_key();
        match self.kind {
            RecordKind::Confirmation => id.map(|key| confirmation_id(key).to_string()),
            RecordKind::Login => id.map(|key| login_id(key).to_string()),
            RecordKind::App => self.text_key().map(|name| name.escape_debug().to_string()),
            RecordKind::ApiKey => match read_key_key(&self.key) {
                Some((app, hash)) => Ok(format!("{} of {app}", hash.id().as_str())),
                None => Err(RecordError::Key),
            },
            RecordKind::AssociationKey => match read_association_key_key(&self.key) {
                Some((app, id)) => Ok(format!("{id} of {app}")),
                None => Err(RecordError::Key),
            },
            RecordKind::Denials
            | RecordKind::Person
            | RecordKind::Nonce
            | RecordKind::Text
            | RecordKind::Profile => Err(RecordError::Key),
        }
        .unwrap_or_else(|_| self.key.escape_ascii().to_string())
    }
}

impl fmt::Debug for Sound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sound")
            .field("note", &self.note)
            .finish_non_exhaustive()
    }
}

impl Sound {
    /// Returns the index entries that belong to the record.
    pub(super) fn entries(&self) -> &[IndexEntry] {
        &self.entries
    }

    fn of(keys: &IndexKeys, (due, purge): (DueDefinition, TimeDefinition)) -> Self {
        let purge = IndexEntry::Time(purge, keys.purge);
        let due = keys.due.map(|key| IndexEntry::Lane(due, key));
        Self {
            note: match due {
                Some(_) => Note::OwedWebhook,
                None => Note::Nothing,
            },
            entries: due.into_iter().chain([purge]).collect(),
        }
    }

    fn forgotten(index: TimeDefinition, key: &ItemKey, at: Option<Timestamp>) -> Self {
        let entry = at.map(|at| IndexEntry::Time(index, time_key(at, key)));
        Self {
            note: Note::Nothing,
            entries: entry.into_iter().collect(),
        }
    }
}

type DueDefinition = TableDefinition<'static, &'static DueKey, ()>;
type TimeDefinition = TableDefinition<'static, &'static TimeKey, ()>;

/// A record that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    kind: RecordKind,
    name: String,
    cause: RecordError,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, name, cause } = self;
        write!(f, "{kind}: {name}: {cause}")
    }
}

/// A consistent view of a store at one moment. The store keeps working, but does not reuse the space
/// that it frees until the snapshot is dropped.
pub struct Snapshot(ReadTransaction);

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot").finish_non_exhaustive()
    }
}

impl EmbeddedStore {
    /// Takes a snapshot of the store.
    ///
    /// # Errors
    /// Fails if the store cannot be read.
    pub fn snapshot(&self) -> Result<Snapshot, Unavailable> {
        let failed = |fault| Unavailable::new("store: snapshot", fault);
        let database = self.handle.get().map_err(failed)?;
        let transaction = database
            .begin_read()
            .map_err(|error| failed(error.into()))?;
        Ok(Snapshot(transaction))
    }
}

impl Snapshot {
    pub(super) const fn new(transaction: ReadTransaction) -> Self {
        Self(transaction)
    }

    pub(super) const fn transaction(&self) -> &ReadTransaction {
        &self.0
    }

    /// Calls `visit` with every record, sound or damaged, until it returns an error.
    ///
    /// # Errors
    /// The outer error means that the store cannot be read; the inner one comes from `visit`.
    pub fn each<E>(
        &self,
        mut visit: impl FnMut(Record) -> Result<(), E>,
    ) -> Result<Result<(), E>, Unavailable> {
        self.visit(&mut visit)
            .map_err(|fault| Unavailable::new("store: snapshot", fault))
    }

    pub(super) fn visit<E>(
        &self,
        visit: &mut dyn FnMut(Record) -> Result<(), E>,
    ) -> Result<Result<(), E>, Fault> {
        for (kind, table) in [
            (RecordKind::Confirmation, CONFIRMATIONS),
            (RecordKind::Login, LOGINS),
            (RecordKind::Denials, DENIALS),
            (RecordKind::Person, PERSONS),
            (RecordKind::Nonce, NONCES),
            (RecordKind::Text, TEXTS),
        ] {
            for entry in self.0.open_table(table)?.iter()? {
                let (key, stored) = entry?;
                let record = Record::of(kind, key.value(), stored.value());
                if let Err(refused) = visit(record) {
                    return Ok(Err(refused));
                }
            }
        }
        for entry in self.0.open_table(APPS)?.iter()? {
            let (key, stored) = entry?;
            let record = Record::of(RecordKind::App, key.value().as_bytes(), stored.value());
            if let Err(refused) = visit(record) {
                return Ok(Err(refused));
            }
        }
        for (kind, table) in [
            (RecordKind::ApiKey, KEYS),
            (RecordKind::AssociationKey, ASSOCIATION_KEYS),
        ] {
            for entry in self.0.open_table(table)?.iter()? {
                let (key, stored) = entry?;
                let record = Record::of(kind, key.value(), stored.value());
                if let Err(refused) = visit(record) {
                    return Ok(Err(refused));
                }
            }
        }
        if let Some(stored) = self.0.open_table(META)?.get(PROFILE)? {
            let stored = Stored::from_bytes(stored.value());
            let record = Record::of(RecordKind::Profile, PROFILE.as_bytes(), stored);
            return Ok(visit(record));
        }
        Ok(Ok(()))
    }
}

impl Record {
    fn of(kind: RecordKind, key: &[u8], stored: Stored<'_>) -> Self {
        Self {
            kind,
            key: key.to_vec(),
            stored: stored.bytes().to_vec(),
        }
    }
}
