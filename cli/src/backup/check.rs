//! Checking backups and data directories.

use std::path::Path;

use countersign_domain::primitives::time::Timestamp;
use countersign_embedded::store::{CheckReport, Inventory, OpenError};

use super::file;
use super::format::{BackupError, Entry};
use crate::data_dir::DataDir;

/// Reads a whole backup and checks every record in it.
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

/// Checks a data directory without changing it. The caller holds its lock.
pub(crate) fn check_data(data: &DataDir) -> Result<CheckReport, OpenError> {
    countersign_embedded::store::check(data.files())
}
