//! Databases that `countersign places fetch` stores in the data directory, with a record of them.

use std::path::Path;

use countersign_domain::login::sighting::PlaceCredit;
use countersign_system::private_files::{PrivateDirectory, PrivateFileError};
use serde::{Deserialize, Serialize};
use serde_with::base64::Base64;
use serde_with::serde_as;
use sha2::{Digest as _, Sha256};

use super::{PlacesError, PlacesFile};

/// The name of the directory inside the data directory.
pub const PLACES: &str = "places";

/// The name of the record inside that directory. Replacing the record puts other files into use.
pub const RECORD: &str = "places.json";

/// The package that was fetched last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fetched {
    /// The name of the package.
    pub package: String,
    /// The version of the package.
    pub version: String,
    /// The source to credit where its places are shown.
    pub credit: Option<PlaceCredit>,
    /// The databases in the package, in order of precedence.
    pub files: Vec<FetchedFile>,
}

/// A database in the directory.
#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FetchedFile {
    /// The file's name.
    pub name: String,
    /// The hash of the file, with which corruption is detected without decoding every record.
    #[serde_as(as = "Base64")]
    pub sha256: [u8; 32],
}

impl Fetched {
    /// Returns the directory inside a data directory; `None` if nothing was fetched.
    ///
    /// # Errors
    /// Fails if the directory is not private, or cannot be opened.
    pub fn directory(
        data: &PrivateDirectory,
    ) -> Result<Option<PrivateDirectory>, PrivateFileError> {
        if !data.has(PLACES)? {
            return Ok(None);
        }
        data.subdirectory(PLACES).map(Some)
    }

    /// Reads the record; `None` if nothing was fetched.
    ///
    /// # Errors
    /// Fails if the record cannot be read or is corrupt.
    pub fn read(directory: &PrivateDirectory) -> Result<Option<Self>, PlacesError> {
        let Some(text) = directory.read(RECORD)? else {
            return Ok(None);
        };
        let path = directory.path().join(RECORD);
        let fetched: Self =
            serde_json::from_slice(&text).map_err(|source| PlacesError::Record { path, source })?;
        Ok(Some(fetched))
    }

    /// Writes the record, which puts the files into use, and removes the files that it does not list.
    ///
    /// # Errors
    /// Fails if the record cannot be written. In that case the previous files stay in use.
    pub fn write(&self, directory: &PrivateDirectory) -> Result<(), PrivateFileError> {
        let text = serde_json::to_vec_pretty(self).unwrap_or_default();
        directory.replace(RECORD, &text)?;
        for name in directory.names()? {
            let is_ours = |file: &FetchedFile| name == *file.name;
            let is_database = Path::new(&name).extension() == Some("mmdb".as_ref());
            if is_database && !self.files.iter().any(is_ours) {
                directory.remove(&name.to_string_lossy())?;
            }
        }
        Ok(())
    }

    /// Opens the files.
    ///
    /// # Errors
    /// Fails if a file is missing, corrupt, or not in the MaxMind DB format.
    pub fn open(&self, directory: &PrivateDirectory) -> Result<Vec<PlacesFile>, PlacesError> {
        let open = |file: &FetchedFile| {
            let path = directory.path().join(&file.name);
            let content = directory.read(&file.name)?;
            let whole = content.filter(|content| Sha256::digest(content)[..] == file.sha256);
            let content = whole.ok_or_else(|| PlacesError::Damaged(path.clone()))?;
            Ok(PlacesFile::from_content(&path, content, self.credit)?)
        };
        self.files.iter().map(open).collect()
    }
}
