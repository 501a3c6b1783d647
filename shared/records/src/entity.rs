//! The [`Entity`] trait, and the check of stored versions.

use serde::{Deserialize, Serialize};

use crate::error::RecordError;
use crate::version::{OLDEST_VERSION, VERSION};

/// Checks that this release can read records of a version.
///
/// # Errors
/// Fails with [`RecordError::Newer`] or [`RecordError::Older`] if it cannot.
pub fn check_version(version: u32) -> Result<(), RecordError> {
    if version > u32::from(VERSION) {
        Err(RecordError::Newer(version))
    } else if version < u32::from(OLDEST_VERSION) {
        Err(RecordError::Older(version))
    } else {
        Ok(())
    }
}

/// A domain type that is stored under its id.
pub(crate) trait Entity: Sized + 'static {
    /// The part of the entity's key that the record does not contain.
    type Id;

    /// The stored form, which borrows from the entity or from the bytes that were read.
    type Record<'a>: Serialize + Deserialize<'a>
    where
        Self: 'a;

    /// Returns the entity in its stored form.
    fn record(&self) -> Self::Record<'_>;

    /// Builds the entity from its id and its record.
    ///
    /// # Errors
    /// Fails if a required field is missing or the domain rejects a value. Names the first such field.
    fn from_record(id: Self::Id, record: Self::Record<'_>) -> Result<Self, RecordError>;
}
