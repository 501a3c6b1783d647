//! The apps and keys that a long-running face of the requests is about.

use std::fmt;
use std::path::PathBuf;

use super::target::Target;

/// A [`Target`] for as long as the process runs.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    Data(PathBuf),
    Table(String),
}

impl Place {
    pub(crate) fn target(&self) -> Target<'_> {
        match self {
            Self::Data(path) => Target::Data(path),
            Self::Table(name) => Target::Table(name),
        }
    }
}

impl From<Target<'_>> for Place {
    fn from(target: Target<'_>) -> Self {
        match target {
            // The directory may be moved while the process runs, but its name must not change its meaning.
            Target::Data(path) => Self::Data(path.canonicalize().unwrap_or_else(|_| path.into())),
            Target::Table(name) => Self::Table(name.to_owned()),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Data(path) => path.display().fmt(f),
            Self::Table(name) => f.write_str(name),
        }
    }
}
