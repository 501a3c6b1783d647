//! What an operation on the store can come to grief over.

use std::sync::Arc;

use thiserror::Error;

use super::checked::RecordError;

/// Why an operation did not work.
#[derive(Clone, Debug, Error)]
pub(super) enum Fault {
    /// One record is unusable. Concerns the one operation that needed it.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Something is there that chance cannot have put there twice.
    #[error("{0} is there already")]
    Collision(&'static str),
    /// The file, its disk or its structure. Concerns the whole batch, and every write after it.
    #[error(transparent)]
    Storage(Arc<redb::Error>),
    /// A write failed, and the file could not be opened again yet.
    #[error("the store's file cannot be opened after a failed write")]
    Failed,
    /// Something in the store panicked.
    #[error("the store's writer panicked")]
    Panicked,
    /// The store was closed, or its writer is gone.
    #[error("the store is closed")]
    Closed,
}

impl Fault {
    /// Whether it concerns the file rather than one operation.
    pub(super) const fn concerns_all(&self) -> bool {
        match self {
            Self::Storage(_) | Self::Failed | Self::Panicked => true,
            Self::Record(_) | Self::Collision(_) | Self::Closed => false,
        }
    }
}

/// redb has an error type for each of its calls, and one that holds them all.
impl<E: Into<redb::Error>> From<E> for Fault {
    fn from(error: E) -> Self {
        Self::Storage(Arc::new(error.into()))
    }
}
