//! Documents of every kind, in any format of serde.

use countersign_domain::app::App;
use countersign_domain::login::KeyId;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::store::{AppDocument, Document, Key, KeyCount, OwnerKeys};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::app::{AppRecord, KeyRecord};
use crate::entity::{Entity, check_version};
use crate::error::{RecordError, invalid};
use crate::value::Text;
use crate::version::VERSION;

/// A document as it is written: its record, and the version of the stored form.
#[derive(Clone, Copy, Debug)]
pub struct Written<'a>(pub &'a Document);

#[derive(Serialize)]
struct Versioned<R> {
    v: u8,
    #[serde(flatten)]
    record: R,
}

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        fn of<E: Entity, S: Serializer>(entity: &E, serializer: S) -> Result<S::Ok, S::Error> {
            let record = entity.record();
            Versioned { v: VERSION, record }.serialize(serializer)
        }
        match self.0 {
            Document::Confirmation(item) => of(item, serializer),
            Document::Login(item) => of(item, serializer),
            Document::App(app) => of(app, serializer),
            Document::ApiKey(app) => of(app, serializer),
            Document::Profile(profile) => of(profile, serializer),
            Document::AssociationKey(key) => of(key, serializer),
            Document::OwnerKeys(keys) => of(keys, serializer),
            Document::KeyCount(count) => of(count, serializer),
            Document::Person(history) => of(history, serializer),
            Document::Denials(denials) => of(denials, serializer),
            Document::Nonce(nonce) => of(nonce, serializer),
            Document::Text(text) => of(text, serializer),
        }
    }
}

/// Reads the document under a key, whose version has been checked ([`check_version`]).
///
/// # Errors
/// Fails if it is no record of such a document.
pub fn read<'de, D: Deserializer<'de>>(
    key: &Key,
    deserializer: D,
) -> Result<Document, RecordError> {
    fn of<'de, E: Entity, D: Deserializer<'de>>(
        id: E::Id,
        deserializer: D,
    ) -> Result<E, RecordError> {
        // The format's own error is dropped, because it may quote the record.
        let record = E::Record::deserialize(deserializer).map_err(|_| RecordError::Malformed)?;
        E::from_record(id, record)
    }
    Ok(match key {
        Key::Confirmation(id) => Document::Confirmation(of(*id, deserializer)?),
        Key::Login(id) => Document::Login(of(*id, deserializer)?),
        Key::App(id) => Document::App(of(id.clone(), deserializer)?),
        Key::ApiKey(_) => Document::ApiKey(of((), deserializer)?),
        Key::Profile => Document::Profile(of((), deserializer)?),
        Key::AssociationKey(app, id) => {
            Document::AssociationKey(of((app.clone(), *id), deserializer)?)
        }
        Key::OwnerKeys(_) => Document::OwnerKeys(of((), deserializer)?),
        Key::KeyCount(_) => Document::KeyCount(of((), deserializer)?),
        Key::Person(_) => Document::Person(of((), deserializer)?),
        Key::Denials(..) => Document::Denials(of((), deserializer)?),
        Key::Nonce(_) => Document::Nonce(of((), deserializer)?),
        Key::Text(_) => Document::Text(of((), deserializer)?),
    })
}

#[derive(Deserialize)]
struct Version {
    v: u32,
}

/// Writes a document as JSON.
///
/// # Errors
/// Fails with [`RecordError::Unwritable`] if memory runs out.
pub fn to_json(document: &Document) -> Result<String, RecordError> {
    serde_json::to_string(&Written(document)).map_err(|_| RecordError::Unwritable)
}

/// Reads the document under a key from JSON.
///
/// # Errors
/// Fails if it is no record of such a document, or has a version that this release cannot read.
pub fn from_json(key: &Key, json: &str) -> Result<Document, RecordError> {
    let version = serde_json::from_str::<Version>(json).map_err(|_| RecordError::Malformed)?;
    check_version(version.v)?;
    read(key, &mut serde_json::Deserializer::from_str(json))
}

/// An app with its API keys.
#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub(crate) struct AppDocumentRecord<'a> {
    #[serde(flatten)]
    app: AppRecord<'a>,
    #[serde(default)]
    keys: Vec<KeyRecord<'a>>,
}

impl Entity for AppDocument {
    type Id = AppId;
    type Record<'a> = AppDocumentRecord<'a>;

    fn record(&self) -> AppDocumentRecord<'_> {
        AppDocumentRecord {
            app: (&self.app).into(),
            keys: self.keys.iter().map(Into::into).collect(),
        }
    }

    fn from_record(id: AppId, record: AppDocumentRecord<'_>) -> Result<Self, RecordError> {
        let keys = record.keys.into_iter().map(TryInto::try_into);
        Ok(Self {
            app: App::from_record(id, record.app)?,
            keys: keys.collect::<Result<_, _>>()?,
        })
    }
}

/// The app of an API key.
#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub(crate) struct PointerRecord<'a> {
    #[serde(rename = "a")]
    app: Text<'a>,
}

impl Entity for AppId {
    type Id = ();
    type Record<'a> = PointerRecord<'a>;

    fn record(&self) -> PointerRecord<'_> {
        let app = self.as_str().into();
        PointerRecord { app }
    }

    fn from_record((): (), record: PointerRecord<'_>) -> Result<Self, RecordError> {
        record.app.as_str().parse().map_err(invalid("app"))
    }
}

/// The ids of an owner's association keys.
#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub(crate) struct OwnerKeysRecord<'a> {
    #[serde(rename = "k", default)]
    keys: Vec<Text<'a>>,
}

impl Entity for OwnerKeys {
    type Id = ();
    type Record<'a> = OwnerKeysRecord<'a>;

    fn record(&self) -> OwnerKeysRecord<'_> {
        OwnerKeysRecord {
            keys: self.0.iter().map(|id| id.to_string().into()).collect(),
        }
    }

    fn from_record((): (), record: OwnerKeysRecord<'_>) -> Result<Self, RecordError> {
        let keys = record.keys.iter().map(|id| id.as_str().parse::<KeyId>());
        keys.collect::<Result<_, _>>()
            .map(Self)
            .map_err(invalid("keys"))
    }
}

/// The number of an app's association keys and tombstones.
#[derive(Serialize, Deserialize)]
pub(crate) struct KeyCountRecord {
    #[serde(rename = "n")]
    kept: u64,
}

impl Entity for KeyCount {
    type Id = ();
    type Record<'a> = KeyCountRecord;

    fn record(&self) -> KeyCountRecord {
        KeyCountRecord { kept: self.0 }
    }

    fn from_record((): (), record: KeyCountRecord) -> Result<Self, RecordError> {
        Ok(Self(record.kept))
    }
}
