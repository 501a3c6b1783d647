//! Errors of operations on the store.

use std::sync::Arc;

use thiserror::Error;

use super::checked::RecordError;

/// The reason why an operation on the store failed.
#[derive(Clone, Debug, Error)]
pub(super) enum Fault {
    /// A record is unusable. Concerns only the operation that needed it.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A random identifier exists already.
    #[error("{0} already exists")]
    Collision(&'static str),
    /// The file, its structure or the disk failed. Concerns the whole batch and all later writes.
    #[error(transparent)]
    Storage(Arc<redb::Error>),
    /// A write failed, and the file could not be reopened yet.
    #[error("the store's file cannot be opened after a failed write")]
    Failed,
    /// An operation panicked on the writer's thread.
    #[error("the store's writer panicked")]
    Panicked,
    /// The store was closed, or the writer's thread has ended.
    #[error("the store is closed")]
    Closed,
}

impl Fault {
    /// Returns whether the fault concerns the whole file rather than one operation.
    pub(super) const fn concerns_all(&self) -> bool {
        match self {
            Self::Storage(_) | Self::Failed | Self::Panicked => true,
            Self::Record(_) | Self::Collision(_) | Self::Closed => false,
        }
    }
}

/// Converts any of redb's error types, by way of the one that combines them.
impl<E: Into<redb::Error>> From<E> for Fault {
    fn from(error: E) -> Self {
        Self::Storage(Arc::new(error.into()))
    }
}
