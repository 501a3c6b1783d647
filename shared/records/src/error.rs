//! Errors of encoding and decoding records.

use thiserror::Error;

use crate::version::{OLDEST_VERSION, VERSION};

/// The reason why a record cannot be read or written. No variant contains data from the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RecordError {
    /// A later release wrote the record.
    #[error("a stored record has version {0}, this release reads {VERSION} at most")]
    Newer(u32),
    /// A build from before the first release wrote the record.
    #[error("a stored record has version {0}, this release reads {OLDEST_VERSION} at least")]
    Older(u32),
    /// The record is not in its format, or a field is absent or has the wrong type.
    #[error("a stored record is malformed")]
    Malformed,
    /// A field is absent although other fields require it.
    #[error("a stored record has no field `{0}`")]
    Missing(&'static str),
    /// The domain rejects the value of this field.
    #[error("a stored record's field `{0}` is invalid")]
    Invalid(&'static str),
    /// The record could not be written.
    #[error("a record could not be written")]
    Unwritable,
}

/// Converts a domain error about a field to [`RecordError::Invalid`]. Drops the domain's error, because
/// it may quote the value.
pub(crate) fn invalid<E>(field: &'static str) -> impl Fn(E) -> RecordError {
    move |_| RecordError::Invalid(field)
}
