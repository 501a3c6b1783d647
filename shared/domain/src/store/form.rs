//! The stored form of documents: the entities' serde form, with a version.
//!
//! Both stores use it: SQLite as JSON, DynamoDB as attributes, so that an entity's field names are also
//! attribute names. Rules for changing a field:
//!
//! - A new field is optional or has a default, so that older documents can be read. Readers ignore
//!   unknown fields, so that older releases can read newer documents.
//! - An absent option is omitted.
//! - The names of fields in confirmations and logins are short. They count toward an item's size, and a
//!   successful confirmation must fit into one write unit of DynamoDB (1 KB).
//! - Raise [`VERSION`] when the meaning of a field changes or a required field is removed.
//!
//! The golden files in `tests/conformance/tests/stored_form/golden` contain a document of every kind and
//! state.

use serde::{Deserialize, Deserializer, Serialize};
use thiserror::Error;

use super::document::{Document, Key};

/// The version that this release writes, and the latest that it reads. It increases only when the meaning
/// of a document changes, not when a field is added.
///
/// Versions before 5 were never released.
pub const VERSION: u8 = 5;

/// The oldest version that this release reads.
pub const OLDEST_VERSION: u8 = 5;

/// The reason why a document cannot be read or written. No variant contains data from the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FormError {
    /// A later release wrote the document.
    #[error("a stored document has version {0}, but this release reads {VERSION} at most")]
    Newer(u32),
    /// A build from before the first release wrote the document.
    #[error("a stored document has version {0}, but this release reads {OLDEST_VERSION} at least")]
    Older(u32),
    /// The document is not of the kind that its key requires.
    #[error("a stored document is malformed")]
    Malformed,
    #[error("a document could not be written")]
    Unwritable,
}

/// Checks that this release can read documents of a version.
///
/// # Errors
/// Fails with [`FormError::Newer`] or [`FormError::Older`] otherwise.
pub fn check_version(version: u32) -> Result<(), FormError> {
    if version > u32::from(VERSION) {
        Err(FormError::Newer(version))
    } else if version < u32::from(OLDEST_VERSION) {
        Err(FormError::Older(version))
    } else {
        Ok(())
    }
}

/// Reads the document under a key, whose version has been checked ([`check_version`]).
///
/// # Errors
/// Fails if the document is of a different kind or has a different id.
pub fn read<'de, D: Deserializer<'de>>(key: &Key, deserializer: D) -> Result<Document, FormError> {
    // The format's own error is dropped because it may quote the document.
    let document = document(key, deserializer).map_err(|_| FormError::Malformed)?;
    if is_under(&document, key) {
        Ok(document)
    } else {
        Err(FormError::Malformed)
    }
}

fn document<'de, D: Deserializer<'de>>(key: &Key, deserializer: D) -> Result<Document, D::Error> {
    Ok(match key {
        Key::Confirmation(_) => Document::Confirmation(Deserialize::deserialize(deserializer)?),
        Key::Login(_) => Document::Login(Deserialize::deserialize(deserializer)?),
        Key::App(_) => Document::App(Deserialize::deserialize(deserializer)?),
        Key::ApiKey(_) => Document::ApiKey(Deserialize::deserialize(deserializer)?),
        Key::KeyUse(_) => Document::KeyUse(Deserialize::deserialize(deserializer)?),
        Key::AppKey(_) | Key::LinkHost(_) => {
            Document::Candidates(Deserialize::deserialize(deserializer)?)
        }
        Key::Profile => Document::Profile(Deserialize::deserialize(deserializer)?),
        Key::AssociationKey(..) => {
            Document::AssociationKey(Deserialize::deserialize(deserializer)?)
        }
        Key::OwnerKeys(_) => Document::OwnerKeys(Deserialize::deserialize(deserializer)?),
        Key::KeyCount(_) => Document::KeyCount(Deserialize::deserialize(deserializer)?),
        Key::TestKeys(_) => Document::TestKeys(Deserialize::deserialize(deserializer)?),
        Key::PhoneRegistration(_) => {
            Document::PhoneRegistration(Deserialize::deserialize(deserializer)?)
        }
        Key::OwnerRegistrations(_) => {
            Document::OwnerRegistrations(Deserialize::deserialize(deserializer)?)
        }
        Key::Person(_) => Document::Person(Deserialize::deserialize(deserializer)?),
        Key::Denials(..) => Document::Denials(Deserialize::deserialize(deserializer)?),
        Key::Nonce(_) => Document::Nonce(Deserialize::deserialize(deserializer)?),
        Key::Text(_) => Document::Text(Deserialize::deserialize(deserializer)?),
        Key::Audit(_) => Document::Audit(Deserialize::deserialize(deserializer)?),
        Key::Grant(_) => Document::Grant(Deserialize::deserialize(deserializer)?),
        Key::Subject(_) => Document::Subject(Deserialize::deserialize(deserializer)?),
    })
}

/// Returns whether the id inside a document, if any, is that of its key.
fn is_under(document: &Document, key: &Key) -> bool {
    match (document, key) {
        (Document::Confirmation(item), Key::Confirmation(id)) => item.id == *id,
        (Document::Login(item), Key::Login(id)) => {
            item.id == *id && item.encryption.kind() == id.kind()
        }
        (Document::PhoneRegistration(item), Key::PhoneRegistration(id)) => item.id == *id,
        (Document::App(document), Key::App(id)) => document.app.id == *id,
        (Document::AssociationKey(key), Key::AssociationKey(app, id)) => {
            key.app == *app && key.id == *id
        }
        (Document::Audit(record), Key::Audit(id)) => record.at == id.at,
        _ => true,
    }
}

#[derive(Deserialize)]
struct Version {
    v: u32,
}

#[derive(Serialize)]
struct Versioned<'a> {
    v: u8,
    #[serde(flatten)]
    document: &'a Document,
}

/// Writes a document as JSON.
///
/// # Errors
/// Fails with [`FormError::Unwritable`] if memory runs out.
pub fn to_json(document: &Document) -> Result<String, FormError> {
    let versioned = Versioned {
        v: VERSION,
        document,
    };
    serde_json::to_string(&versioned).map_err(|_| FormError::Unwritable)
}

/// Reads the document under a key from JSON.
///
/// # Errors
/// Fails if the document is of a different kind, or has a version that this release cannot read.
pub fn from_json(key: &Key, json: &str) -> Result<Document, FormError> {
    let version = serde_json::from_str::<Version>(json).map_err(|_| FormError::Malformed)?;
    check_version(version.v)?;
    read(key, &mut serde_json::Deserializer::from_str(json))
}
