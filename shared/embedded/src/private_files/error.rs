use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// An error of a private file or directory. Each message says what to do.
#[derive(Debug, Error)]
pub enum PrivateFileError {
    /// It is a symbolic link.
    #[error(
        "{} is a symbolic link, and none is followed: name what it leads to, or put that in its \
         place",
        path.display()
    )]
    Link {
        /// The path.
        path: PathBuf,
    },
    /// It belongs to another user.
    #[error(
        "{path} belongs to user {owner} and this process runs as user {user}: run it as user \
         {owner}, or, if you know what is in it, `chown {user} {path}`",
        path = path.display()
    )]
    OtherOwner {
        /// The path.
        path: PathBuf,
        /// Its owner's user id.
        owner: u32,
        /// This process's user id.
        user: u32,
    },
    /// Others can read or write it.
    #[error(
        "{path} is open to other users (mode {mode:04o}): `chmod go= {path}`, and replace the keys \
         in it if somebody may have read or written it",
        path = path.display()
    )]
    OpenToOthers {
        /// The path.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// It is not of the expected kind, such as a directory in place of a file.
    #[error("{} is not {expected}", path.display())]
    WrongKind {
        /// The path.
        path: PathBuf,
        /// The expected kind.
        expected: &'static str,
    },
    /// A system call failed.
    #[error("cannot use {}", path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
}

impl PrivateFileError {
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }

    /// Tells whether the error means that nothing of that name exists.
    #[must_use]
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}
