//! Whether a backup or a data directory is sound.

use std::path::Path;

use countersign_domain::primitives::time::Timestamp;
use countersign_embedded::store::{CheckReport, Inventory, OpenError};

use super::file;
use super::format::{BackupError, Entry};
use crate::data_dir::DataDir;

/// Reads a backup as a whole, and every record in it.
pub(crate) fn check_backup(backup: &Path) -> Result<(Timestamp, Inventory), BackupError> {
    let mut reader = file::open(backup)?;
    let mut inventory = Inventory::default();
    while let Some(entry) = reader.next()? {
        if let Entry::Record(record) = entry {
            inventory.add(&record);
        }
    }
    Ok((reader.made_at(), inventory))
}

/// Checks a data directory whose lock the caller holds, and changes nothing.
pub(crate) fn check_data(data: &DataDir) -> Result<CheckReport, OpenError> {
    countersign_embedded::store::check(data.files())
}
