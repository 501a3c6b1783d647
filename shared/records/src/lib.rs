//! The stored form of every entity, as serde types that both stores use.
//!
//! An `Entity` is a domain type that is stored under its id. Its record (`Entity::Record`) is a
//! struct of plain values. When written, a record borrows from the entity; when read, from the stored
//! text. [`document`] writes and reads documents of every kind: SQLite keeps them as JSON, DynamoDB as
//! attributes through `serde_dynamo`, so field names are also attribute names.
//!
//! # Adding a stored field
//!
//! Add the field to the entity's record:
//!
//! ```text
//! #[serde(rename = "z", skip_serializing_if = "Option::is_none")]
//! closed_at: Option<u64>,
//! ```
//!
//! The compiler then requires the field in the record's two conversions, which follow it in the same
//! file: `From<&Entity>` and `Entity::from_record`. Nothing else is needed for both stores, backups
//! and checks. The rules:
//!
//! - A name has one to three letters and is unique in its record. Names count towards an item's size,
//!   and a successful confirmation must stay below one write unit of DynamoDB (1 KB).
//! - A new field is optional or has a default, so that this release can read older records. Readers
//!   ignore unknown fields, so older releases can read newer records.
//! - An absent field is left out, never null.
//! - Raise [`VERSION`] when you change the meaning of a field or drop a required one.
//!
//! The golden files in `golden/` contain a document of every kind and state in JSON. To rewrite
//! those of the present [`VERSION`], run
//! `UPDATE_GOLDEN=1 cargo test -p countersign-records --test records writes_equal`. Those of earlier
//! versions never change.

mod app;
mod association_key;
mod confirmation;
mod delivery;
pub mod document;
mod entity;
mod error;
mod history;
mod login;
mod login_settings;
mod login_state;
mod phone;
mod quotas;
mod sighting;
mod text;
mod value;
mod version;

pub use entity::check_version;
pub use error::RecordError;
pub use version::{OLDEST_VERSION, VERSION};
