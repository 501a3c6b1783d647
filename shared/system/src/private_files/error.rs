use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// The reason why a private file or directory cannot be used. Messages explain what to do.
#[derive(Debug, Error)]
pub enum PrivateFileError {
    #[error(
        "{} is a symbolic link, and links are not followed: give the path of its target, or replace \
         the link with the target",
        path.display()
    )]
    Link { path: PathBuf },
    /// The file or directory belongs to another user.
    #[error(
        "{path} belongs to user {owner} and this process runs as user {user}: run it as user \
         {owner}, or, if you know what is in it, `chown {user} {path}`",
        path = path.display()
    )]
    OtherOwner {
        path: PathBuf,
        /// User id of the owner.
        owner: u32,
        /// User id of this process.
        user: u32,
    },
    /// Other users can read or write the file or directory.
    #[error(
        "{path} is open to other users (mode {mode:04o}): `chmod go= {path}`, and replace the keys \
         in it if someone may have read or written it",
        path = path.display()
    )]
    OpenToOthers {
        path: PathBuf,
        /// Permission bits.
        mode: u32,
    },
    /// The path is not of the expected kind, such as a directory instead of a file.
    #[error("{} is not {expected}", path.display())]
    WrongKind {
        path: PathBuf,
        /// Description of the expected kind.
        expected: &'static str,
    },
    /// The file or directory is no longer there.
    #[error("{} was moved or removed while it was in use", path.display())]
    Gone { path: PathBuf },
    /// Another file or directory now has its name.
    #[error("{} was replaced while it was in use", path.display())]
    Replaced { path: PathBuf },
    /// A system call failed.
    #[error("cannot use {}", path.display())]
    Io {
        path: PathBuf,
        /// Cause.
        #[source]
        source: io::Error,
    },
}

impl PrivateFileError {
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }

    /// Returns the path of the file or directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Link { path }
            | Self::OtherOwner { path, .. }
            | Self::OpenToOthers { path, .. }
            | Self::WrongKind { path, .. }
            | Self::Gone { path }
            | Self::Replaced { path }
            | Self::Io { path, .. } => path,
        }
    }

    /// Returns whether the error means that nothing with this name exists.
    #[must_use]
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}
