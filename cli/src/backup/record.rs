//! The record of the latest backups, in the data directory, for operators.

use std::path::{Path, PathBuf};

use countersign_domain::primitives::time::Timestamp;
use countersign_system::private_files::{PrivateDirectory, PrivateFileError};
use serde::{Deserialize, Serialize};
use serde_with::{DisplayFromStr, serde_as};

use crate::data_dir::BACKUPS;

/// Number of backups that are recorded.
const KEPT: usize = 10;

/// A backup that was written completely.
#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BackupRecord {
    #[serde_as(as = "DisplayFromStr")]
    pub(crate) at: Timestamp,
    /// The path of the file when it was written.
    pub(crate) name: PathBuf,
    /// The size of the file.
    pub(crate) bytes: u64,
    /// The number of damaged documents that the backup lacks.
    #[serde(default)]
    pub(crate) lacks: usize,
}

/// Returns the recorded backups, newest first. A record that cannot be read counts as empty: the next backup writes
/// another.
pub(crate) fn read(directory: &PrivateDirectory) -> Result<Vec<BackupRecord>, PrivateFileError> {
    let text = directory.read(BACKUPS)?.unwrap_or_default();
    Ok(serde_json::from_slice(&text).unwrap_or_default())
}

/// Adds a backup to the record. Of two backups that end at the same moment, one may be missing.
pub(crate) fn add(
    directory: &PrivateDirectory,
    at: Timestamp,
    place: &Path,
    (bytes, lacks): (u64, usize),
) -> Result<(), PrivateFileError> {
    let mut records = read(directory)?;
    let name = std::path::absolute(place).unwrap_or_else(|_| place.to_owned());
    records.retain(|earlier| earlier.name != name);
    records.insert(
        0,
        BackupRecord {
            at,
            name,
            bytes,
            lacks,
        },
    );
    records.truncate(KEPT);
    let text = serde_json::to_vec_pretty(&records).unwrap_or_default();
    directory.replace(BACKUPS, &text)
}

#[cfg(test)]
mod tests {
    use countersign_conformance::samples::NOW;

    use super::*;

    #[test]
    fn latest_backups_are_recorded_once_for_each_file() {
        let parent = tempfile::tempdir().unwrap();
        let directory = PrivateDirectory::create(&parent.path().join("data")).unwrap();
        assert_eq!(read(&directory).unwrap(), []);
        for n in 0..12 {
            let place = PathBuf::from(format!("/backups/{n}"));
            add(&directory, NOW, &place, (n, 0)).unwrap();
        }
        add(&directory, NOW, Path::new("/backups/5"), (500, 1)).unwrap();
        let records = read(&directory).unwrap();
        let sizes: Vec<u64> = records.iter().map(|record| record.bytes).collect();
        assert_eq!(sizes, [500, 11, 10, 9, 8, 7, 6, 4, 3, 2]);
        directory.replace(BACKUPS, b"[{").unwrap();
        assert_eq!(read(&directory).unwrap(), []);
    }
}
