//! The device secret in a file.

use std::path::Path;

use super::folder::{Folder, FolderError};
use crate::ports::StoreError;
use crate::ports::secrets::SecretStore;

/// The file of the secret: 32 bytes.
const NAME: &str = "device-secret";

/// The device secret in a directory.
#[derive(Debug)]
pub struct FileSecrets(Folder);

impl FileSecrets {
    /// Returns the store in a directory, which need not exist yet.
    #[must_use]
    pub fn at(directory: &Path) -> Self {
        Self(Folder::at(directory))
    }

    fn save(&self, secret: Vec<u8>) -> Result<Vec<u8>, FolderError> {
        let locked = self.0.lock()?;
        if let Some(former) = locked.directory.read(NAME)? {
            return Ok(former);
        }
        locked.directory.replace(NAME, &secret)?;
        Ok(secret)
    }
}

impl SecretStore for FileSecrets {
    fn load(&self) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.0.read(NAME)?)
    }

    fn save_new(&self, secret: Vec<u8>) -> Result<Vec<u8>, StoreError> {
        Ok(self.save(secret)?)
    }
}
