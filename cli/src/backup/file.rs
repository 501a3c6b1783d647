//! The backup file: readable only by its owner, and complete once it has its final name.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use countersign_embedded::store::{Backup, BackupError};

/// A backup that is being written under a temporary name. Dropping it unfinished removes it.
#[derive(Debug)]
pub(crate) struct NewBackup {
    place: PathBuf,
    temporary: PathBuf,
}

impl NewBackup {
    pub(crate) fn begin(place: &Path) -> io::Result<Self> {
        let name = place.file_name();
        let name =
            name.ok_or_else(|| io::Error::other("the path must name a file, not a directory"))?;
        let mut temporary = name.to_owned();
        temporary.push(format!(".{}.new", std::process::id()));
        let temporary = place.with_file_name(temporary);
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&temporary)?;
        Ok(Self {
            place: place.to_owned(),
            temporary,
        })
    }

    /// Returns the path of the empty file to write to.
    pub(crate) fn path(&self) -> &Path {
        &self.temporary
    }

    /// Reads the file back, and moves it to its final name. Returns its size in bytes.
    ///
    /// A backup that lacks documents does not replace an earlier one, which may contain them: the earlier one is
    /// renamed to what [`earlier`] returns, unless a file with that name exists.
    pub(crate) fn finish(self, lacks_documents: bool) -> Result<u64, BackupError> {
        Backup::open(&self.temporary)?;
        let bytes = fs::metadata(&self.temporary)?.len();
        let kept = earlier(&self.place);
        if lacks_documents && self.place.try_exists()? && !kept.try_exists()? {
            fs::rename(&self.place, &kept)?;
        }
        fs::rename(&self.temporary, &self.place)?;
        let directory = match self.place.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        File::open(directory)?.sync_all()?;
        Ok(bytes)
    }
}

/// Returns the new name of an earlier backup when one that lacks documents takes its place.
pub(crate) fn earlier(place: &Path) -> PathBuf {
    let mut name = place.as_os_str().to_owned();
    name.push(".earlier");
    name.into()
}

impl Drop for NewBackup {
    fn drop(&mut self) {
        // Fails after the rename, when this name no longer exists.
        let _ = fs::remove_file(&self.temporary);
    }
}
