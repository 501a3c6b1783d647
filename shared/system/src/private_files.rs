//! Files that only their owner may read: keys, the database, and `demo.json`.
//!
//! A directory is opened once and checked through its handle, so that no path is resolved twice.
//! Symbolic links are never followed. A file or directory that belongs to another user, or that others
//! can read or write, is refused and left unchanged, because an attacker could have planted it.

mod error;
mod identity;
#[cfg(test)]
mod tests;

use std::ffi::{OsStr, OsString};
use std::fs::{DirBuilder, File};
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, StatVfsMountFlags};
use rustix::io::Errno;

pub use error::PrivateFileError;
pub use identity::FileIdentity;

const FILE_MODE: Mode = Mode::from_bits_truncate(0o600);
const DIRECTORY_MODE: Mode = Mode::from_bits_truncate(0o700);

/// Mode bits of everyone except the owner.
const OTHERS: u32 = 0o077;

/// Suffix of a file that [`PrivateDirectory::replace`] has not finished.
pub const TEMPORARY: &str = ".new";

/// A directory that belongs to this process's user and is closed to others. Clones share the handle.
#[derive(Clone, Debug)]
pub struct PrivateDirectory {
    path: PathBuf,
    handle: Arc<OwnedFd>,
}

impl PrivateDirectory {
    /// Opens an existing directory.
    ///
    /// # Errors
    /// Fails if it does not exist, is a symbolic link, belongs to another user, or is open to
    /// others.
    pub fn open(path: &Path) -> Result<Self, PrivateFileError> {
        let directory = Self::of_this_user(path)?;
        directory.check_closed()?;
        Ok(directory)
    }

    /// Opens a directory. Creates it (mode 0700) and its parents if it does not exist. Closes an empty
    /// directory of this user to others.
    ///
    /// # Errors
    /// Fails like [`open`](Self::open) if the directory exists and is not empty.
    pub fn create(path: &Path) -> Result<Self, PrivateFileError> {
        let directory = Self::create_unchecked(path)?;
        directory.check_closed()?;
        Ok(directory)
    }

    /// Works like [`create`](Self::create), but leaves the check of the mode to [`Self::check_closed`].
    ///
    /// # Errors
    /// Fails if it is a link, belongs to another user, or cannot be created.
    pub fn create_unchecked(path: &Path) -> Result<Self, PrivateFileError> {
        let path = &without_slash(path);
        let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
        made.or_else(|error| match std::fs::symlink_metadata(path) {
            // Opening the directory below gives a better error.
            Ok(_) => Ok(()),
            Err(_) => Err(PrivateFileError::io(path)(error)),
        })?;
        let directory = Self::of_this_user(path)?;
        if directory.names()?.is_empty() {
            rustix::fs::fchmod(&directory.handle, DIRECTORY_MODE).map_err(directory.failed())?;
        }
        Ok(directory)
    }

    /// Opens an existing directory and leaves the check of its mode to [`Self::check_closed`].
    ///
    /// # Errors
    /// Fails if it does not exist, is a link, or belongs to another user.
    pub fn of_this_user(path: &Path) -> Result<Self, PrivateFileError> {
        let path = without_slash(path);
        Self::open_at(CWD, path.as_os_str(), &path)
    }

    /// Opens a directory inside this one. Creates it (mode 0700) if it does not exist.
    ///
    /// # Errors
    /// Fails like [`open`](Self::open).
    pub fn subdirectory(&self, name: &str) -> Result<Self, PrivateFileError> {
        let path = self.path.join(name);
        match rustix::fs::mkdirat(&self.handle, name, DIRECTORY_MODE) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(PrivateFileError::io(&path)(error.into())),
        }
        let directory = Self::open_at(&*self.handle, OsStr::new(name), &path)?;
        directory.check_closed()?;
        self.sync()?;
        Ok(directory)
    }

    /// Opens the directory again, for locking it. Clones of a handle share its locks.
    ///
    /// # Errors
    /// Fails if it cannot be opened.
    pub fn reopen(&self) -> Result<File, PrivateFileError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = rustix::fs::openat(&self.handle, ".", flags, Mode::empty());
        opened.map(File::from).map_err(self.failed())
    }

    fn open_at(
        parent: impl std::os::fd::AsFd,
        name: &OsStr,
        path: &Path,
    ) -> Result<Self, PrivateFileError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let name = if name.is_empty() {
            OsStr::new(".")
        } else {
            name
        };
        let opened = rustix::fs::openat(&parent, name, flags, Mode::empty());
        let handle = opened.map_err(|error| match error {
            Errno::LOOP | Errno::NOTDIR => link_or(&parent, name, path, "a directory"),
            error => PrivateFileError::io(path)(error.into()),
        })?;
        let directory = Self {
            path: path.to_owned(),
            handle: Arc::new(handle),
        };
        check_owner(path, &directory.stat()?)?;
        Ok(directory)
    }

    /// Checks that the directory is closed to others.
    ///
    /// # Errors
    /// Fails if it is open to others.
    pub fn check_closed(&self) -> Result<(), PrivateFileError> {
        check_mode(&self.path, &self.stat()?)
    }

    fn stat(&self) -> Result<Stat, PrivateFileError> {
        rustix::fs::fstat(&self.handle).map_err(self.failed())
    }

    /// Returns the path from which the directory was opened.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the names of the directory's entries, in no particular order.
    ///
    /// # Errors
    /// Fails if the directory cannot be read.
    pub fn names(&self) -> Result<Vec<OsString>, PrivateFileError> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.handle).map_err(self.failed())? {
            let entry = entry.map_err(self.failed())?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name != "." && name != ".." {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }

    /// Returns whether the directory has an entry with this name, of any kind and owner.
    ///
    /// # Errors
    /// Fails if the entry cannot be looked up.
    pub fn has(&self, name: &str) -> Result<bool, PrivateFileError> {
        Ok(self.stat_of(name)?.is_some())
    }

    /// Checks the entry with this name, if there is one.
    ///
    /// # Errors
    /// Fails if it is a symbolic link, belongs to another user, or is open to others.
    pub fn check(&self, name: &str) -> Result<(), PrivateFileError> {
        let path = self.path.join(name);
        let Some(stat) = self.stat_of(name)? else {
            return Ok(());
        };
        if FileType::from_raw_mode(stat.st_mode) == FileType::Symlink {
            return Err(PrivateFileError::Link { path });
        }
        check_owner(&path, &stat)?;
        check_mode(&path, &stat)
    }

    fn stat_of(&self, name: &str) -> Result<Option<Stat>, PrivateFileError> {
        match rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(PrivateFileError::io(&self.path.join(name))(error.into())),
        }
    }

    /// Opens a file for reading and writing. Creates it (mode 0600) if it does not exist.
    ///
    /// # Errors
    /// Fails like [`check`](Self::check), or if the file cannot be opened.
    pub fn open_file(&self, name: &str) -> Result<File, PrivateFileError> {
        let opened = self.open_with(name, OFlags::RDWR | OFlags::CREATE)?;
        let absent = || io::Error::from(io::ErrorKind::NotFound);
        opened.ok_or_else(|| PrivateFileError::io(&self.path.join(name))(absent()))
    }

    /// Opens a file for reading. Returns `None` if it does not exist.
    ///
    /// # Errors
    /// Fails like [`check`](Self::check), or if the file cannot be opened.
    pub fn open_to_read(&self, name: &str) -> Result<Option<File>, PrivateFileError> {
        self.open_with(name, OFlags::RDONLY)
    }

    fn open_with(&self, name: &str, access: OFlags) -> Result<Option<File>, PrivateFileError> {
        let path = self.path.join(name);
        // Without NONBLOCK, opening a pipe would block.
        let flags = access | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let opened = match rustix::fs::openat(&self.handle, name, flags, FILE_MODE) {
            Ok(opened) => opened,
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP | Errno::NXIO | Errno::ISDIR) => {
                return Err(link_or(&self.handle, OsStr::new(name), &path, "a file"));
            }
            Err(error) => return Err(PrivateFileError::io(&path)(error.into())),
        };
        let stat = rustix::fs::fstat(&opened)
            .map_err(|error| PrivateFileError::io(&path)(error.into()))?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            let expected = "a file";
            return Err(PrivateFileError::WrongKind { path, expected });
        }
        check_owner(&path, &stat)?;
        check_mode(&path, &stat)?;
        Ok(Some(File::from(opened)))
    }

    /// Returns a file's content; `None` if it does not exist.
    ///
    /// # Errors
    /// Fails like [`open_to_read`](Self::open_to_read), or if reading fails.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, PrivateFileError> {
        let Some(mut file) = self.open_to_read(name)? else {
            return Ok(None);
        };
        let mut content = Vec::new();
        let read = file.read_to_end(&mut content);
        read.map_err(PrivateFileError::io(&self.path.join(name)))?;
        Ok(Some(content))
    }

    /// Replaces a file's content (mode 0600) atomically: after a crash the file has either all of the
    /// old content or all of the new.
    ///
    /// # Errors
    /// Fails if the file cannot be written. In that case the old content is kept.
    pub fn replace(&self, name: &str, content: &[u8]) -> Result<(), PrivateFileError> {
        let mut new = self.begin(name)?;
        let written = new.file.write_all(content);
        written.map_err(PrivateFileError::io(&self.path.join(name)))?;
        new.finish()
    }

    /// Creates a file that replaces the one with this name when it is finished.
    ///
    /// # Errors
    /// Fails if the file cannot be created.
    pub fn begin(&self, name: &str) -> Result<NewFile, PrivateFileError> {
        let temporary = format!("{name}{TEMPORARY}");
        let path = self.path.join(&temporary);
        // The file was left behind by a crash, or planted by an attacker.
        self.remove(&temporary)?;
        let flags =
            OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.handle, &temporary, flags, FILE_MODE)
            .map_err(|error| PrivateFileError::io(&path)(error.into()))?;
        Ok(NewFile {
            file: File::from(file),
            directory: self.clone(),
            temporary,
            name: name.to_owned(),
        })
    }

    /// Removes a file if it exists.
    ///
    /// # Errors
    /// Fails if it cannot be removed.
    pub fn remove(&self, name: &str) -> Result<(), PrivateFileError> {
        match rustix::fs::unlinkat(&self.handle, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(PrivateFileError::io(&self.path.join(name))(error.into())),
        }
    }

    /// Flushes the directory's entries to disk.
    ///
    /// # Errors
    /// Fails if the file system reports an error.
    pub fn sync(&self) -> Result<(), PrivateFileError> {
        rustix::fs::fsync(&self.handle).map_err(self.failed())
    }

    /// Returns the space on the directory's file system that is free for unprivileged processes, in bytes.
    ///
    /// # Errors
    /// Fails if the file system cannot be queried.
    pub fn free_bytes(&self) -> Result<u64, PrivateFileError> {
        let space = rustix::fs::fstatvfs(&self.handle).map_err(self.failed())?;
        Ok(space.f_bavail.saturating_mul(space.f_frsize))
    }

    /// Returns whether the directory's file system is mounted read-only.
    ///
    /// # Errors
    /// Fails if the file system cannot be queried.
    pub fn is_read_only(&self) -> Result<bool, PrivateFileError> {
        let mount = rustix::fs::fstatvfs(&self.handle).map_err(self.failed())?;
        Ok(mount.f_flag.contains(StatVfsMountFlags::RDONLY))
    }

    fn failed(&self) -> impl Fn(Errno) -> PrivateFileError + use<> {
        let path = self.path.clone();
        move |error| PrivateFileError::io(&path)(error.into())
    }
}

/// An unfinished file, which will replace the one with its name.
#[derive(Debug)]
pub struct NewFile {
    /// File to write to.
    pub file: File,
    directory: PrivateDirectory,
    temporary: String,
    name: String,
}

impl NewFile {
    /// Flushes the file to disk and renames it into place.
    ///
    /// # Errors
    /// Fails if the file cannot be flushed or renamed.
    pub fn finish(self) -> Result<(), PrivateFileError> {
        let path = self.directory.path.join(&self.name);
        let synced = self.file.sync_all();
        synced.map_err(PrivateFileError::io(&path))?;
        let handle = &self.directory.handle;
        rustix::fs::renameat(handle, &self.temporary, handle, &self.name)
            .map_err(|error| PrivateFileError::io(&path)(error.into()))?;
        self.directory.sync()
    }

    /// Returns the path of the unfinished file, for code that opens files by itself.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.directory.path.join(&self.temporary)
    }

    /// Discards the file. The existing file with its name stays unchanged.
    ///
    /// # Errors
    /// Fails if the unfinished file cannot be removed.
    pub fn give_up(self) -> Result<(), PrivateFileError> {
        self.directory.remove(&self.temporary)
    }
}

/// Removes a trailing slash: the system follows the link `directory/`, but not `directory`.
fn without_slash(path: &Path) -> PathBuf {
    path.components().collect()
}

fn link_or(
    parent: impl std::os::fd::AsFd,
    name: &OsStr,
    path: &Path,
    expected: &'static str,
) -> PrivateFileError {
    let path = path.to_owned();
    let stat = rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW);
    match stat.map(|stat| FileType::from_raw_mode(stat.st_mode)) {
        Ok(FileType::Symlink) => PrivateFileError::Link { path },
        _ => PrivateFileError::WrongKind { path, expected },
    }
}

fn check_owner(path: &Path, stat: &Stat) -> Result<(), PrivateFileError> {
    let user = rustix::process::geteuid().as_raw();
    if stat.st_uid == user {
        return Ok(());
    }
    Err(PrivateFileError::OtherOwner {
        path: path.to_owned(),
        owner: stat.st_uid,
        user,
    })
}

fn check_mode(path: &Path, stat: &Stat) -> Result<(), PrivateFileError> {
    let mode = stat.st_mode & 0o7777;
    if mode & OTHERS == 0 {
        return Ok(());
    }
    Err(PrivateFileError::OpenToOthers {
        path: path.to_owned(),
        mode,
    })
}
