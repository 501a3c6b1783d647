//! Making a data directory of a backup.

use std::path::Path;

use countersign_domain::primitives::time::Timestamp;
use countersign_embedded::private_files::PrivateFileError;
use countersign_embedded::store::{Inventory, NewStore, OpenError, RestoreOutcome};
use thiserror::Error;

use super::file;
use super::format::{BackupError, Entry};
use crate::data_dir::{DEMO, DataDir, DataDirError, INBOUND_SECRET, SIGNING_KEYS};

/// Why nothing was restored.
#[derive(Debug, Error)]
pub(crate) enum RestoreError {
    /// There is something in the directory.
    #[error("{0} is not empty: a backup is restored into an empty directory; name one with --data")]
    NotEmpty(String),
    /// The backup.
    #[error("cannot restore the backup")]
    Backup(#[from] BackupError),
    /// The directory.
    #[error(transparent)]
    Data(#[from] DataDirError),
    /// A file in it.
    #[error(transparent)]
    File(#[from] PrivateFileError),
    /// The new store.
    #[error("cannot make the store")]
    Store(#[from] OpenError),
}

/// What was restored.
#[derive(Debug)]
pub(crate) struct Restored {
    /// When the backup was made.
    pub(crate) made_at: Timestamp,
    /// The records in it. The damaged ones were left out.
    pub(crate) inventory: Inventory,
}

/// Restores a backup into an empty directory whose lock the caller holds.
///
/// The keys come first and the store last, so that what was cut short is never taken for whole: a
/// server refuses keys without their store.
pub(crate) fn restore(data: &DataDir, backup: &Path) -> Result<Restored, RestoreError> {
    if !data.is_new()? {
        return Err(RestoreError::NotEmpty(data.path().display().to_string()));
    }
    // All of it is read before anything is written: a damaged backup leaves the directory empty.
    let mut reader = file::open(backup)?;
    while let Some(entry) = reader.next()? {
        if let Entry::File { name, .. } = entry {
            place_of(&name)?;
        }
    }
    let mut reader = file::open(backup)?;
    let mut store = None;
    let mut inventory = Inventory::default();
    while let Some(entry) = reader.next()? {
        match entry {
            Entry::File { name, content } => write_file(data, &name, &content)?,
            Entry::Record(record) => {
                let store = match &mut store {
                    Some(store) => store,
                    None => store.insert(NewStore::begin(data.files(), reader.made_at())?),
                };
                match store.put(&record)? {
                    RestoreOutcome::Restored(note) => inventory.count(record.kind, note),
                    RestoreOutcome::LeftOut(damage) => inventory.add_damage(damage),
                }
            }
        }
    }
    match store {
        Some(store) => store.finish()?,
        // A backup of a store without a record.
        None => NewStore::begin(data.files(), reader.made_at())?.finish()?,
    }
    Ok(Restored {
        made_at: reader.made_at(),
        inventory,
    })
}

/// Where a file of a backup goes.
enum Place<'a> {
    Top(&'a str),
    SigningKeys(&'a str),
}

fn place_of(name: &str) -> Result<Place<'_>, BackupError> {
    match name.split_once('/') {
        None if [INBOUND_SECRET, DEMO].contains(&name) => Ok(Place::Top(name)),
        Some((SIGNING_KEYS, key))
            if !key.starts_with('.') && key.bytes().all(|c| c.is_ascii_graphic() && c != b'/') =>
        {
            Ok(Place::SigningKeys(key))
        }
        _ => Err(BackupError::Damaged),
    }
}

fn write_file(data: &DataDir, name: &str, content: &[u8]) -> Result<(), RestoreError> {
    match place_of(name)? {
        Place::Top(name) => data.files().replace(name, content)?,
        Place::SigningKeys(name) => data.signing_keys()?.replace(name, content)?,
    }
    Ok(())
}
