//! Errors of records.

use thiserror::Error;

use crate::version::{OLDEST_VERSION, VERSION};

/// A stored record cannot be used. No variant holds a value of the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RecordError {
    /// A later release wrote it.
    #[error("a stored record has version {0}, this release reads {VERSION} at most")]
    Newer(u32),
    /// A build before the first release wrote it.
    #[error("a stored record has version {0}, this release reads {OLDEST_VERSION} at least")]
    Older(u32),
    /// It is not in its format, or a field is absent or has another type.
    #[error("a stored record is malformed")]
    Malformed,
    /// A field is absent that others require.
    #[error("a stored record has no field `{0}`")]
    Missing(&'static str),
    /// The domain does not allow the value of this field.
    #[error("a stored record's field `{0}` is invalid")]
    Invalid(&'static str),
    /// It could not be written.
    #[error("a record could not be written")]
    Unwritable,
}

/// Names the field whose value the domain refused. The domain's own error may quote the value.
pub(crate) fn invalid<E>(field: &'static str) -> impl Fn(E) -> RecordError {
    move |_| RecordError::Invalid(field)
}
