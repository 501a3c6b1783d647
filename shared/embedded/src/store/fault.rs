//! Failures of operations, and whom they concern.

use std::sync::Arc;

use countersign_domain::primitives::unavailable::Unavailable;
use rusqlite::ErrorCode;
use thiserror::Error;

use super::row::Damage;

/// Why an operation failed. Holds no part of a document.
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
    /// It is not known yet whether a document exists.
    #[error("the look at the whole store has not ended")]
    NotLooked,
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(Arc::new(error))
    }
}

impl Fault {
    /// Returns whether what is stored caused it, so that it concerns only what was read or written.
    pub(super) fn is_damage(&self) -> bool {
        match self {
            Self::Sqlite(error) => is_damage(error),
            Self::Document(_) => true,
            Self::Closed | Self::Refused(_) | Self::Busy | Self::NotLooked => false,
        }
    }

    /// Returns whether SQLite lets no transaction commit that has met it: it remembers corruption, even of a read.
    pub(super) fn ends_transaction(&self) -> bool {
        match self {
            Self::Sqlite(error) => error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt),
            _ => false,
        }
    }

    /// Returns whether it concerns every write: the disk fails or is full, or another process has the file.
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

/// Returns whether what is stored caused an error. A column of another type than we write is damage, too: a
/// flipped bit in a row's header makes it so. A sector that the disk cannot read is damage of what is there.
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
