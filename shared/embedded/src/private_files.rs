//! Files that only their owner may read: keys, the database, facts for scripts.
//!
//! Everything goes through a directory that was opened once and judged afterwards, so that no path
//! is looked up twice. Symbolic links are never followed, and what belongs to another user or is
//! open to others is refused rather than used or changed: whoever could write there could have
//! planted it.

mod error;
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

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

pub use error::PrivateFileError;

const FILE_MODE: Mode = Mode::from_bits_truncate(0o600);
const DIRECTORY_MODE: Mode = Mode::from_bits_truncate(0o700);

/// The bits of a mode that concern everybody but the owner.
const OTHERS: u32 = 0o077;

/// What the name of a file that [`PrivateDirectory::replace`] has not finished ends with.
pub const TEMPORARY: &str = ".new";

/// A directory of this process's user that nobody else can look into. Clones are the same one.
#[derive(Clone, Debug)]
pub struct PrivateDirectory {
    path: PathBuf,
    handle: Arc<OwnedFd>,
}

impl PrivateDirectory {
    /// Opens a directory that is there.
    pub fn open(path: &Path) -> Result<Self, PrivateFileError> {
        let directory = Self::of_this_user(path)?;
        directory.check_closed()?;
        Ok(directory)
    }

    /// Opens a directory, and makes it (mode 0700), and those above it, where it is not there. An
    /// empty one of this user's is closed to others; one that holds something is refused if it is
    /// open to them.
    pub fn create(path: &Path) -> Result<Self, PrivateFileError> {
        let directory = Self::create_unchecked(path)?;
        directory.check_closed()?;
        Ok(directory)
    }

    /// The same, but whether it is closed to others is left to [`Self::check_closed`].
    pub fn create_unchecked(path: &Path) -> Result<Self, PrivateFileError> {
        let path = &without_slash(path);
        let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
        made.or_else(|error| match std::fs::symlink_metadata(path) {
            // Opening says better what is wrong with it.
            Ok(_) => Ok(()),
            Err(_) => Err(PrivateFileError::io(path)(error)),
        })?;
        let directory = Self::of_this_user(path)?;
        if directory.names()?.is_empty() {
            rustix::fs::fchmod(&directory.handle, DIRECTORY_MODE).map_err(directory.failed())?;
        }
        Ok(directory)
    }

    /// Opens a directory that is there. Whether it is closed to others is left to
    /// [`Self::check_closed`].
    pub fn of_this_user(path: &Path) -> Result<Self, PrivateFileError> {
        let path = without_slash(path);
        Self::open_at(CWD, path.as_os_str(), &path)
    }

    /// A directory within this one, made (mode 0700) where it is not there.
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

    /// Refuses it if it is open to others.
    pub fn check_closed(&self) -> Result<(), PrivateFileError> {
        check_mode(&self.path, &self.stat()?)
    }

    fn stat(&self) -> Result<Stat, PrivateFileError> {
        rustix::fs::fstat(&self.handle).map_err(self.failed())
    }

    /// As it was named.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The names of what is in it, in no order.
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

    /// Whether there is something of that name, of whatever kind and whoever's.
    pub fn has(&self, name: &str) -> Result<bool, PrivateFileError> {
        Ok(self.stat_of(name)?.is_some())
    }

    /// Refuses what is a symbolic link, another user's, or open to others.
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

    /// Opens a file for reading and writing, and makes it (mode 0600) where it is not there.
    pub fn open_file(&self, name: &str) -> Result<File, PrivateFileError> {
        let opened = self.open_with(name, OFlags::RDWR | OFlags::CREATE)?;
        let absent = || io::Error::from(io::ErrorKind::NotFound);
        opened.ok_or_else(|| PrivateFileError::io(&self.path.join(name))(absent()))
    }

    /// Opens a file for reading; `None` where it is not there.
    pub fn open_to_read(&self, name: &str) -> Result<Option<File>, PrivateFileError> {
        self.open_with(name, OFlags::RDONLY)
    }

    fn open_with(&self, name: &str, access: OFlags) -> Result<Option<File>, PrivateFileError> {
        let path = self.path.join(name);
        // Without NONBLOCK a pipe of that name would keep us waiting.
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

    /// A file's content; `None` where it is not there.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, PrivateFileError> {
        let Some(mut file) = self.open_to_read(name)? else {
            return Ok(None);
        };
        let mut content = Vec::new();
        let read = file.read_to_end(&mut content);
        read.map_err(PrivateFileError::io(&self.path.join(name)))?;
        Ok(Some(content))
    }

    /// Replaces a file's content (mode 0600) so that at every instant, a crash included, either all
    /// of the old content is there or all of the new.
    pub fn replace(&self, name: &str, content: &[u8]) -> Result<(), PrivateFileError> {
        let mut new = self.begin(name)?;
        let written = new.file.write_all(content);
        written.map_err(PrivateFileError::io(&self.path.join(name)))?;
        new.finish()
    }

    /// Begins a file that takes the place of the one of that name when it is finished.
    pub fn begin(&self, name: &str) -> Result<NewFile, PrivateFileError> {
        let temporary = format!("{name}{TEMPORARY}");
        let path = self.path.join(&temporary);
        // What a crash left behind, or somebody put there.
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

    /// Removes a file, if it is there.
    pub fn remove(&self, name: &str) -> Result<(), PrivateFileError> {
        match rustix::fs::unlinkat(&self.handle, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(PrivateFileError::io(&self.path.join(name))(error.into())),
        }
    }

    /// Makes the names in it survive a crash.
    pub fn sync(&self) -> Result<(), PrivateFileError> {
        rustix::fs::fsync(&self.handle).map_err(self.failed())
    }

    /// How many bytes an unprivileged process may still write on its file system.
    pub fn free_bytes(&self) -> Result<u64, PrivateFileError> {
        let space = rustix::fs::fstatvfs(&self.handle).map_err(self.failed())?;
        Ok(space.f_bavail.saturating_mul(space.f_frsize))
    }

    fn failed(&self) -> impl Fn(Errno) -> PrivateFileError + use<> {
        let path = self.path.clone();
        move |error| PrivateFileError::io(&path)(error.into())
    }
}

/// A file on its way to its name.
#[derive(Debug)]
pub struct NewFile {
    /// What to write to.
    pub file: File,
    directory: PrivateDirectory,
    temporary: String,
    name: String,
}

impl NewFile {
    /// Puts the file on disk and into its place.
    pub fn finish(self) -> Result<(), PrivateFileError> {
        let path = self.directory.path.join(&self.name);
        let synced = self.file.sync_all();
        synced.map_err(PrivateFileError::io(&path))?;
        let handle = &self.directory.handle;
        rustix::fs::renameat(handle, &self.temporary, handle, &self.name)
            .map_err(|error| PrivateFileError::io(&path)(error.into()))?;
        self.directory.sync()
    }

    /// The same file once more, for something that wants one of its own.
    pub fn clone_handle(&self) -> Result<File, PrivateFileError> {
        let path = self.directory.path.join(&self.name);
        self.file.try_clone().map_err(PrivateFileError::io(&path))
    }

    /// Leaves the file of that name as it was.
    pub fn give_up(self) -> Result<(), PrivateFileError> {
        self.directory.remove(&self.temporary)
    }
}

/// `directory/` would be followed where it is a link, and `directory` is not.
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
