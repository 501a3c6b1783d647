//! Places of a running server, whose files may be replaced.

use std::fs;
use std::net::IpAddr;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use countersign_domain::login::sighting::{GeoIp, Located};
use countersign_system::private_files::PrivateDirectory;

use super::{CityDatabases, Fetched, PLACES, PlacesError, PlacesFile, RECORD, UnreadablePlaces};

/// The places in the files that the operator specifies, and in the fetched ones.
pub struct LiveCityDatabases {
    named: Vec<PathBuf>,
    /// The data directory.
    data: PrivateDirectory,
    current: Mutex<Current>,
}

struct Current {
    places: CityDatabases,
    stamps: Vec<Option<Stamp>>,
}

/// Identifies the content of a file by its metadata, without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    size: u64,
    modified: (i64, i64),
}

impl LiveCityDatabases {
    /// Opens the specified files, and the ones that were fetched into a data directory. The first one with a
    /// value for a member wins.
    ///
    /// # Errors
    /// Fails if a specified file cannot be used. An error in fetched files is returned beside the places:
    /// it must not prevent a server from starting.
    pub fn open(
        named: Vec<PathBuf>,
        data: PrivateDirectory,
    ) -> Result<(Self, Option<PlacesError>), UnreadablePlaces> {
        let stamps = stamps(&named, &data);
        let mut files = CityDatabases::open(&named)?.files;
        let damage = match open_fetched(&data) {
            Ok(more) => {
                files.extend(more);
                None
            }
            Err(error) => Some(error),
        };
        let places = CityDatabases::from(files);
        let live = Self {
            named,
            data,
            current: Mutex::new(Current { places, stamps }),
        };
        Ok((live, damage))
    }

    /// Opens the files again if one was replaced, and returns the new places; `None` if nothing changed.
    /// After a failure nothing is retried until the files change again.
    ///
    /// # Errors
    /// Fails if a file cannot be used. The previous places then stay in use.
    pub fn reread(&self) -> Result<Option<CityDatabases>, PlacesError> {
        let stamps = stamps(&self.named, &self.data);
        {
            let mut current = self.lock();
            if current.stamps == stamps {
                return Ok(None);
            }
            current.stamps = stamps;
        }
        let mut files = CityDatabases::open(&self.named)?.files;
        files.extend(open_fetched(&self.data)?);
        let places = CityDatabases::from(files);
        self.lock().places = places.clone();
        Ok(Some(places))
    }

    /// Returns whether any file is in use.
    #[must_use]
    pub fn is_on(&self) -> bool {
        !self.lock().places.is_empty()
    }

    /// Returns the places that are in use.
    #[must_use]
    pub fn current(&self) -> CityDatabases {
        self.lock().places.clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Current> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl GeoIp for LiveCityDatabases {
    fn locate(&self, address: IpAddr) -> Located {
        self.current().locate(address)
    }
}

fn open_fetched(data: &PrivateDirectory) -> Result<Vec<Arc<PlacesFile>>, PlacesError> {
    let Some(directory) = Fetched::directory(data)? else {
        return Ok(Vec::new());
    };
    match Fetched::read(&directory)? {
        Some(fetched) => Ok(fetched
            .open(&directory)?
            .into_iter()
            .map(Arc::new)
            .collect()),
        None => Ok(Vec::new()),
    }
}

fn stamps(named: &[PathBuf], data: &PrivateDirectory) -> Vec<Option<Stamp>> {
    let record = data.path().join(PLACES).join(RECORD);
    let paths = named.iter().map(PathBuf::as_path);
    paths.chain([record.as_path()]).map(stamp).collect()
}

fn stamp(path: &Path) -> Option<Stamp> {
    let found = fs::metadata(path).ok()?;
    Some(Stamp {
        inode: found.ino(),
        size: found.size(),
        modified: (found.mtime(), found.mtime_nsec()),
    })
}
