//! Checks whether a name still refers to the file that was opened under it.

use rustix::fs::{AtFlags, CWD, FileType, Stat};
use rustix::io::Errno;

use super::{PrivateDirectory, PrivateFileError, check_mode, check_owner};

/// Identity of a file or directory: its device, and its number there.
#[derive(Clone, Copy)]
pub struct FileIdentity(Stat);

impl FileIdentity {
    fn is(&self, other: &Stat) -> bool {
        (self.0.st_dev, self.0.st_ino) == (other.st_dev, other.st_ino)
    }
}

impl std::fmt::Debug for FileIdentity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "FileIdentity({}:{})", self.0.st_dev, self.0.st_ino)
    }
}

impl PrivateDirectory {
    /// Returns the identity of the entry with this name.
    ///
    /// # Errors
    /// Fails if it does not exist, or cannot be looked up.
    pub fn identity(&self, name: &str) -> Result<FileIdentity, PrivateFileError> {
        let path = self.path.join(name);
        let stat = self.stat_of(name)?;
        stat.map(FileIdentity)
            .ok_or(PrivateFileError::Gone { path })
    }

    /// Checks that the path from which the directory was opened still refers to it, and that it is closed to
    /// others. Makes two system calls, which the file system answers from memory.
    ///
    /// # Errors
    /// Fails if it was moved, removed or replaced, or is open to others.
    pub fn check_place(&self) -> Result<(), PrivateFileError> {
        let path = || self.path.clone();
        let found = match rustix::fs::statat(CWD, &self.path, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => found,
            Err(Errno::NOENT | Errno::NOTDIR) => {
                return Err(PrivateFileError::Gone { path: path() });
            }
            Err(error) => return Err(PrivateFileError::io(&self.path)(error.into())),
        };
        // A link could point elsewhere later.
        if FileType::from_raw_mode(found.st_mode) == FileType::Symlink {
            return Err(PrivateFileError::Link { path: path() });
        }
        let opened = self.stat()?;
        if !FileIdentity(opened).is(&found) {
            return Err(PrivateFileError::Replaced { path: path() });
        }
        check_owner(&self.path, &opened)?;
        check_mode(&self.path, &opened)
    }

    /// Checks that the entry with this name is still this file, and that it is closed to others. Makes one system
    /// call, which the file system answers from memory.
    ///
    /// # Errors
    /// Fails if it was moved, removed or replaced, or is open to others.
    pub fn check_same(&self, name: &str, identity: FileIdentity) -> Result<(), PrivateFileError> {
        let path = || self.path.join(name);
        let Some(found) = self.stat_of(name)? else {
            return Err(PrivateFileError::Gone { path: path() });
        };
        if FileType::from_raw_mode(found.st_mode) == FileType::Symlink {
            return Err(PrivateFileError::Link { path: path() });
        }
        if !identity.is(&found) {
            return Err(PrivateFileError::Replaced { path: path() });
        }
        check_owner(&path(), &found)?;
        check_mode(&path(), &found)
    }
}
