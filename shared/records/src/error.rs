//! Why a record cannot be used.

use thiserror::Error;

use crate::version::{OLDEST_VERSION, VERSION};

/// Why a stored record cannot be used. No variant repeats what the record holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RecordError {
    /// A later release wrote it.
    #[error("a stored record has version {0}, and this release knows {VERSION} at most")]
    Newer(u32),
    /// A build before the first release wrote it.
    #[error("a stored record has version {0}, and this release reads {OLDEST_VERSION} at least")]
    Older(u32),
    /// It is not in its format, or a field is absent or has another type.
    #[error("a stored record is malformed")]
    Malformed,
    /// A field is absent that the others call for.
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
