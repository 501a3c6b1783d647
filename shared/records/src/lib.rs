//! The stored form of every entity, as serde types that both stores write.
//!
//! An [`Entity`] is a domain type that is stored under its id. Its record ([`Entity::Record`]) is a
//! flat struct of plain values, borrowed from the entity when it is written and from the stored
//! bytes when it is read. The redb store writes records in the [`compact`] format, which is
//! MessagePack behind a version byte. The DynamoDB store writes the same records as attributes
//! through `serde_dynamo`, so the names of the fields are also the names of the attributes.
//!
//! # Adding a stored field
//!
//! Add one line to the record, in the one place where the entity's stored form is:
//!
//! ```
//! # use serde::{Deserialize, Serialize};
//! # #[derive(Serialize, Deserialize)]
//! # struct Record {
//! #[serde(rename = "z", skip_serializing_if = "Option::is_none")]
//! closed_at: Option<u64>,
//! # }
//! ```
//!
//! The compiler then asks for the field in the record's two conversions, which stand below it in
//! the same file: `From<&Entity>` and [`Entity::from_record`]. Both stores, backups and checks have
//! the field from there. The rules:
//!
//! - A name has one to three letters and is unique in its record: names count towards an item's
//!   size, and a good confirmation stays below one write unit of DynamoDB (1 KB).
//! - A new field is optional or has a default, so that this release reads what an earlier one wrote.
//!   Readers ignore fields that they do not know, so an earlier release reads what this one writes.
//! - An absent field is left out. It is never null.
//! - What changes the meaning of a field, or drops one that was required, raises [`VERSION`].
//!
//! The golden files in `golden/` hold one record of each kind and state in both formats. Those of the
//! present [`VERSION`] are written again by
//! `UPDATE_GOLDEN=1 cargo test -p countersign-records --test records writes_equal`; those of earlier
//! versions never change.

mod app;
pub mod compact;
mod confirmation;
mod delivery;
mod entity;
mod error;
mod history;
mod login;
mod login_settings;
mod login_state;
mod phone;
mod quotas;
mod sighting;
mod value;
mod version;

pub use app::{AppRecord, KeyRecord, ProfileRecord};
pub use confirmation::{ConfirmationRecord, FlowTag, StateTag};
pub use delivery::{AttemptRecord, DUE_AT, DeliveryRecord, ProgressTag};
pub use entity::{Entity, check_version};
pub use error::RecordError;
pub use history::{DenialsRecord, PersonRecord};
pub use login::LoginRecord;
pub use login_state::{ReasonTag, StatusTag};
pub use phone::{PayloadRecord, PhoneRecord};
pub use sighting::SightingRecord;
pub use version::{OLDEST_VERSION, VERSION};
