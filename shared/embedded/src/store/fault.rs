//! Failures of operations, and which operations they affect.

use std::sync::Arc;

use countersign_domain::primitives::unavailable::Unavailable;
use rusqlite::ErrorCode;
use thiserror::Error;

use super::row::Damage;

/// Why an operation failed. Contains no part of a document.
#[derive(Clone, Debug, Error)]
pub(super) enum Fault {
    #[error("SQLite failed: {0}")]
    Sqlite(Arc<rusqlite::Error>),
    /// A document is damaged or cannot be read.
    #[error(transparent)]
    Document(#[from] Damage),
    #[error("the store is closed")]
    Closed,
    #[error("writes are refused: {0}")]
    Refused(Arc<str>),
    #[error("too many reads wait for their turn")]
    Busy,
    /// It is not yet known whether a document exists.
    #[error("the scan of the whole store has not ended")]
    NotLooked,
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(Arc::new(error))
    }
}

impl Fault {
    /// Returns whether damaged data caused the failure, so that only the affected documents are
    /// concerned.
    pub(super) fn is_damage(&self) -> bool {
        match self {
            Self::Sqlite(error) => is_damage(error),
            Self::Document(_) => true,
            Self::Closed | Self::Refused(_) | Self::Busy | Self::NotLooked => false,
        }
    }

    /// Returns whether SQLite refuses to commit any transaction that encountered this failure: it remembers
    /// corruption, even if found by a read.
    pub(super) fn ends_transaction(&self) -> bool {
        match self {
            Self::Sqlite(error) => error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt),
            _ => false,
        }
    }

    /// Returns whether the failure affects every write: the disk fails or is full, or another process has
    /// locked the file.
    pub(super) fn is_general(&self) -> bool {
        use ErrorCode::{
            CannotOpen, DatabaseBusy, DatabaseLocked, DiskFull, FileLockingProtocolFailed,
            NoLargeFileSupport, OperationInterrupted, OutOfMemory, PermissionDenied, ReadOnly,
            SystemIoFailure,
        };
        match self {
            Self::Sqlite(error) => matches!(
                error.sqlite_error_code(),
                Some(
                    CannotOpen
                        | DatabaseBusy
                        | DatabaseLocked
                        | DiskFull
                        | FileLockingProtocolFailed
                        | NoLargeFileSupport
                        | OperationInterrupted
                        | OutOfMemory
                        | PermissionDenied
                        | ReadOnly
                        | SystemIoFailure
                )
            ),
            Self::Document(_) | Self::Busy | Self::NotLooked => false,
            Self::Closed | Self::Refused(_) => true,
        }
    }
}

/// Returns whether an error was caused by damaged data. A column of an unexpected type is also damage: a
/// flipped bit in a row's header causes it. A sector that the disk cannot read counts as damaged data.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    match error {
        rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::Utf8Error(..) => true,
        rusqlite::Error::SqliteFailure(failure, _) => {
            matches!(
                failure.code,
                ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::TooBig
            ) || matches!(
                failure.extended_code,
                rusqlite::ffi::SQLITE_IOERR_READ | rusqlite::ffi::SQLITE_IOERR_SHORT_READ
            )
        }
        _ => false,
    }
}

pub(super) fn unavailable(what: &'static str) -> impl FnOnce(Fault) -> Unavailable {
    move |fault| {
        if fault.is_damage() {
            Unavailable::damaged(what, fault)
        } else {
            Unavailable::new(what, fault)
        }
    }
}
