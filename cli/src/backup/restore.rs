//! Restoring a backup into an empty data directory.

use std::path::Path;

use countersign_domain::primitives::time::Timestamp;
use countersign_embedded::store::{Inventory, NewStore, OpenError, RestoreOutcome};
use countersign_system::private_files::PrivateFileError;
use thiserror::Error;

use super::file;
use super::format::{BackupError, Entry};
use crate::data_dir::{DEMO, DataDir, DataDirError, INBOUND_SECRET, PROVIDERS, SIGNING_KEYS};

/// Why nothing was restored.
#[derive(Debug, Error)]
pub(crate) enum RestoreError {
    /// The directory is not empty.
    #[error("{0} is not empty: choose an empty directory with --data")]
    NotEmpty(String),
    /// The backup could not be read.
    #[error("cannot restore the backup")]
    Backup(#[from] BackupError),
    /// The directory cannot be used.
    #[error(transparent)]
    Data(#[from] DataDirError),
    /// A file in the directory could not be written.
    #[error(transparent)]
    File(#[from] PrivateFileError),
    /// The new store could not be created.
    #[error("cannot create the store")]
    Store(#[from] OpenError),
}

/// The result of a restore.
#[derive(Debug)]
pub(crate) struct Restored {
    /// When the backup was made.
    pub(crate) made_at: Timestamp,
    /// The restored records; damaged ones are left out.
    pub(crate) inventory: Inventory,
}

/// Restores a backup into an empty directory whose lock the caller holds.
///
/// Keys come first and the store last, so that an interrupted restore is never mistaken for a
/// complete one: a server refuses keys without their store.
pub(crate) fn restore(data: &DataDir, backup: &Path) -> Result<Restored, RestoreError> {
    if !data.is_new()? {
        return Err(RestoreError::NotEmpty(data.path().display().to_string()));
    }
    // Read the whole backup before writing anything: a damaged one leaves the directory empty.
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
        // The backup holds no record.
        None => NewStore::begin(data.files(), reader.made_at())?.finish()?,
    }
    Ok(Restored {
        made_at: reader.made_at(),
        inventory,
    })
}

/// The place of a backup's file.
enum Place<'a> {
    Top(&'a str),
    SigningKeys(&'a str),
}

fn place_of(name: &str) -> Result<Place<'_>, BackupError> {
    match name.split_once('/') {
        None if [INBOUND_SECRET, PROVIDERS, DEMO].contains(&name) => Ok(Place::Top(name)),
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
