//! Writing a backup of opened storage.

use std::io::Write;

use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_embedded::keys::KeyError;
use thiserror::Error;

use super::format::{BackupError, Writer};
use crate::data_dir::{DEMO, DataDir, DataDirError, INBOUND_SECRET, PROVIDERS, SIGNING_KEYS};
use crate::storage::Storage;

/// Why no backup was written.
#[derive(Debug, Error)]
pub(crate) enum WriteError {
    /// The store is unavailable.
    #[error(transparent)]
    Store(#[from] Unavailable),
    /// The signing keys could not be read.
    #[error(transparent)]
    Keys(#[from] KeyError),
    /// The data directory could not be read.
    #[error(transparent)]
    Data(#[from] DataDirError),
    /// The backup could not be written.
    #[error(transparent)]
    Backup(#[from] BackupError),
    /// Writing to the output failed.
    #[error("writing the backup failed")]
    Io(#[from] std::io::Error),
}

/// Writes a snapshot of the data directory to `out`.
pub(crate) fn write(
    storage: &Storage,
    data: &DataDir,
    now: Timestamp,
    out: impl Write,
) -> Result<(), WriteError> {
    let mut writer = Writer::begin(out, now)?;
    for key in storage.signer.files()? {
        writer.file(&format!("{SIGNING_KEYS}/{}", key.name), &key.content)?;
    }
    for name in [INBOUND_SECRET, PROVIDERS, DEMO] {
        if let Some(content) = data.read(name)? {
            writer.file(name, content.as_bytes())?;
        }
    }
    let snapshot = storage.store.snapshot()?;
    snapshot.each(|record| writer.record(&record))??;
    Ok(writer.finish()?)
}
