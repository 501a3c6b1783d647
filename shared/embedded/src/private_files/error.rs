use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a private file or directory cannot be used. Each says what to do.
#[derive(Debug, Error)]
pub enum PrivateFileError {
    /// It is a symbolic link.
    #[error(
        "{} is a symbolic link, and none is followed: name what it leads to, or put that in its \
         place",
        path.display()
    )]
    Link {
        /// Which one.
        path: PathBuf,
    },
    /// It belongs to somebody else.
    #[error(
        "{path} belongs to user {owner} and this process runs as user {user}: run it as user \
         {owner}, or, if you know what is in it, `chown {user} {path}`",
        path = path.display()
    )]
    OtherOwner {
        /// Which one.
        path: PathBuf,
        /// Whose it is.
        owner: u32,
        /// Who we are.
        user: u32,
    },
    /// Others may read or change it.
    #[error(
        "{path} is open to other users (mode {mode:04o}): `chmod go= {path}`, and replace the keys \
         in it if somebody may have read or written it",
        path = path.display()
    )]
    OpenToOthers {
        /// Which one.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// It is a directory where a file should be, or the other way round, or neither.
    #[error("{} is not {expected}", path.display())]
    WrongKind {
        /// Which one.
        path: PathBuf,
        /// What it should be.
        expected: &'static str,
    },
    /// The system does not let us.
    #[error("cannot use {}", path.display())]
    Io {
        /// Which one.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
}

impl PrivateFileError {
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }

    /// Whether there is nothing of that name.
    #[must_use]
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}
