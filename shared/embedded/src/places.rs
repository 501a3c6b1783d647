//! Locations of IP addresses, from files in the MaxMind DB format.
//!
//! Reads files from any vendor that have the members of `GeoLite2-City`, `GeoLite2-Country` or
//! `GeoIP2-Anonymous-IP`, or the flat members of the free databases on npm. Members that a file lacks are
//! unknown.

mod error;
mod fetched;
mod file;
mod live;

use std::fmt;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;

use countersign_domain::login::sighting::{GeoIp, Located};

pub use error::{PlacesError, UnreadablePlaces};
pub use fetched::{Fetched, FetchedFile, PLACES, RECORD};
pub use file::{Contents, PlacesFile};
pub use live::LiveCityDatabases;

/// The databases in order of precedence: the first one with a value for a member wins.
#[derive(Clone, Default)]
pub struct CityDatabases {
    files: Vec<Arc<PlacesFile>>,
}

impl CityDatabases {
    /// Reads the files into memory and checks their entire content.
    ///
    /// # Errors
    /// Fails if a file cannot be read or is not in the MaxMind DB format.
    pub fn open(paths: &[impl AsRef<Path>]) -> Result<Self, UnreadablePlaces> {
        let files = paths.iter().map(|path| {
            let file = PlacesFile::open(path.as_ref())?;
            file.verify()?;
            Ok(Arc::new(file))
        });
        Ok(Self {
            files: files.collect::<Result<_, _>>()?,
        })
    }

    /// Returns whether there are no databases.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

impl From<Vec<Arc<PlacesFile>>> for CityDatabases {
    fn from(files: Vec<Arc<PlacesFile>>) -> Self {
        Self { files }
    }
}

impl fmt::Debug for CityDatabases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = self.files.iter().map(|file| file.kind());
        f.debug_list().entries(kinds).finish()
    }
}

impl GeoIp for CityDatabases {
    fn locate(&self, address: IpAddr) -> Located {
        let mut located = Located::default();
        for file in &self.files {
            file.complete(&mut located, address.to_canonical());
        }
        located
    }
}

#[cfg(test)]
mod tests;
