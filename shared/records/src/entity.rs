//! Entities, and the check of their stored version.

use serde::{Deserialize, Serialize};

use crate::error::RecordError;
use crate::version::{OLDEST_VERSION, VERSION};

/// Refuses a version that this release cannot read.
///
/// # Errors
/// Fails with [`RecordError::Newer`] or [`RecordError::Older`].
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
pub trait Entity: Sized + 'static {
    /// The key of the entity, as far as the record leaves it out.
    type Id;

    /// The stored form, which borrows from the entity or from the bytes that were read.
    type Record<'a>: Serialize + Deserialize<'a>
    where
        Self: 'a;

    /// Returns the entity in its stored form.
    fn record(&self) -> Self::Record<'_>;

    /// Returns the entity that was stored under this id.
    ///
    /// # Errors
    /// Fails at the first field that the domain refuses.
    fn from_record(id: Self::Id, record: Self::Record<'_>) -> Result<Self, RecordError>;
}
