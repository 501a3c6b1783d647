//! Backups: the whole content of a data directory in one SQLite file.

pub(crate) mod file;
pub(crate) mod record;
#[cfg(test)]
mod tests;

use std::path::Path;

use countersign_domain::primitives::time::Timestamp;
use countersign_embedded::openid;
use countersign_embedded::store::{Backup, BackupError, Inventory, NewStore, OpenError};
use countersign_system::private_files::PrivateFileError;
use thiserror::Error;

use crate::data_dir::{
    DEMO, DataDir, DataDirError, INBOUND_SECRET, OPENID, PROVIDERS, SIGNING_KEYS, WEBHOOK_SECRET,
};

/// The file that contains the id of the current signing key.
const CURRENT: &str = "current";

/// The files directly in the data directory.
const SINGLE_FILES: [&str; 4] = [INBOUND_SECRET, WEBHOOK_SECRET, PROVIDERS, DEMO];

/// Called with the number of documents processed so far.
pub(crate) type Progress<'a> = &'a mut dyn FnMut(u64);

/// Why no backup was written.
#[derive(Debug, Error)]
pub(crate) enum WriteError {
    /// The data directory could not be read.
    #[error(transparent)]
    Data(#[from] DataDirError),
    /// A file in the directory could not be read.
    #[error(transparent)]
    File(#[from] PrivateFileError),
    /// The backup could not be written.
    #[error(transparent)]
    Backup(#[from] BackupError),
}

/// Writes a backup of a data directory into an empty file; the server may be running. Returns the damaged
/// documents that the backup omits, by key and cause.
pub(crate) fn write(data: &DataDir, to: &Path, now: Timestamp) -> Result<Vec<String>, WriteError> {
    let mut files = Vec::new();
    // Read the current key's id first: a rotation writes the new key before the id.
    let keys = data.signing_keys()?;
    let mut names = keys.names()?;
    names.sort_by_key(|name| name != CURRENT);
    for name in names {
        let name = name.to_string_lossy().into_owned();
        if is_key(&name)
            && let Some(content) = keys.read(&name)?
        {
            files.push((format!("{SIGNING_KEYS}/{name}"), content));
        }
    }
    if data.has(OPENID)? {
        let openid = data.openid()?;
        for name in openid::FILES {
            if let Some(content) = openid.read(name)? {
                files.push((format!("{OPENID}/{name}"), content));
            }
        }
    }
    for name in SINGLE_FILES {
        if let Some(content) = data.read(name)? {
            files.push((name.to_owned(), content.into_bytes()));
        }
    }
    Ok(Backup::write(data.files(), to, &files, now)?)
}

fn is_key(name: &str) -> bool {
    !name.starts_with('.')
        && (name == CURRENT
            || Path::new(name)
                .extension()
                .is_some_and(|kind| kind == "pem"))
}

/// Why nothing was restored.
#[derive(Debug, Error)]
pub(crate) enum RestoreError {
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
    /// Time of the backup.
    pub(crate) made_at: Timestamp,
    /// The restored documents, without damaged ones.
    pub(crate) inventory: Inventory,
}

/// Restores a backup into an empty directory whose lock the caller holds.
///
/// Keys come first and the store last, so that an interrupted restore is never mistaken for a
/// complete one: a server refuses keys without their store.
pub(crate) fn restore(
    data: &DataDir,
    backup: &Path,
    progress: Progress<'_>,
) -> Result<Restored, RestoreError> {
    if !data.is_new()? {
        return Err(RestoreError::NotEmpty(data.path().display().to_string()));
    }
    // The seal is verified before anything is written: a damaged backup leaves the directory empty.
    let backup = Backup::open(backup)?;
    let files = backup.files()?;
    let places = files.iter().map(|(name, _)| saved_file(name));
    let places = places.collect::<Result<Vec<_>, _>>()?;
    for (place, (_, content)) in places.iter().zip(&files) {
        match place {
            SavedFile::Top(name) => data.files().replace(name, content)?,
            SavedFile::OpenId(name) => data.openid()?.replace(name, content)?,
            SavedFile::SigningKeys(name) => data.signing_keys()?.replace(name, content)?,
        }
    }
    let mut store = NewStore::begin(data.files(), backup.made_at())?;
    let inventory = store.copy(&backup, progress)?;
    for name in companions(&files) {
        store.remember_companion(name)?;
    }
    store.finish()?;
    Ok(Restored {
        made_at: backup.made_at(),
        inventory,
    })
}

/// Returns the files that belong to a restored store. At startup the server creates both secrets together with the
/// signing key, so any secret missing from the backup was lost.
fn companions(files: &[(String, Vec<u8>)]) -> Vec<&'static str> {
    let has = |name: &str| {
        files
            .iter()
            .any(|(file, _)| file.split('/').next() == Some(name))
    };
    let mut names = Vec::new();
    if has(SIGNING_KEYS) {
        names.extend([SIGNING_KEYS, WEBHOOK_SECRET, INBOUND_SECRET]);
    }
    names.extend([PROVIDERS, OPENID].into_iter().filter(|name| has(name)));
    names
}

/// The destination of a backup's file.
enum SavedFile<'a> {
    Top(&'a str),
    OpenId(&'a str),
    SigningKeys(&'a str),
}

fn saved_file(name: &str) -> Result<SavedFile<'_>, BackupError> {
    match name.split_once('/') {
        None if SINGLE_FILES.contains(&name) => Ok(SavedFile::Top(name)),
        Some((OPENID, file)) if openid::FILES.contains(&file) => Ok(SavedFile::OpenId(file)),
        Some((SIGNING_KEYS, key))
            if is_key(key) && key.bytes().all(|c| c.is_ascii_graphic() && c != b'/') =>
        {
            Ok(SavedFile::SigningKeys(key))
        }
        _ => Err(BackupError::Damaged),
    }
}
