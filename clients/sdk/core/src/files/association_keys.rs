//! Association keys in files, one for each public user id.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_domain::login::ClaimedUserId;
use countersign_domain::primitives::entropy::Entropy;
use countersign_proof::AssociationPrivateKey;
use countersign_system::private_files::PrivateDirectory;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::folder::{Folder, FolderError};
use crate::ports::keys::{AssociationKeys, KeyError};

/// The suffix of each key file's name.
const SUFFIX: &str = ".json";

/// Association keys in a directory.
pub struct FileAssociationKeys {
    folder: Folder,
    entropy: Arc<dyn Entropy>,
}

/// A key and the user to whom it belongs.
struct OwnedKey {
    user: ClaimedUserId,
    key: AssociationPrivateKey,
}

/// A key file.
#[derive(Serialize, Deserialize, Zeroize, ZeroizeOnDrop)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Stored {
    public_user_id: String,
    private_key: String,
}

impl FileAssociationKeys {
    /// Returns the store in a directory, which need not exist yet. New keys are generated from this
    /// entropy.
    #[must_use]
    pub fn at(directory: &Path, entropy: Arc<dyn Entropy>) -> Self {
        let folder = Folder::at(directory);
        Self { folder, entropy }
    }

    /// Generates a key pair for a user without one, and returns the public key; `None` if the user
    /// already has one, which is kept.
    ///
    /// # Errors
    ///
    /// Fails if the directory or the user's file cannot be used.
    pub fn generate_first(&self, public_user_id: &str) -> Result<Option<Vec<u8>>, KeyError> {
        let user = parse_user(public_user_id)?;
        let locked = self.folder.lock()?;
        if read(&locked.directory, &file_name(&user))?.is_some() {
            return Ok(None);
        }
        self.create(&locked.directory, &user).map(Some)
    }

    fn create(
        &self,
        directory: &PrivateDirectory,
        user: &ClaimedUserId,
    ) -> Result<Vec<u8>, KeyError> {
        let key = AssociationPrivateKey::generate(self.entropy.as_ref());
        let stored = Stored {
            public_user_id: user.as_str().to_owned(),
            private_key: BASE64_URL_SAFE_NO_PAD.encode(key.to_bytes().as_ref()),
        };
        let content = serde_json::to_vec(&stored).map_err(|error| failed(&error))?;
        let content = Zeroizing::new(content);
        let written = directory.replace(&file_name(user), &content);
        written.map_err(FolderError::from)?;
        Ok(key.public_key().to_der())
    }

    fn find(&self, public_user_id: &str) -> Result<Option<OwnedKey>, KeyError> {
        let user = parse_user(public_user_id)?;
        match self.folder.open()? {
            Some(directory) => read(&directory, &file_name(&user)),
            None => Ok(None),
        }
    }
}

impl AssociationKeys for FileAssociationKeys {
    fn generate(&self, public_user_id: String) -> Result<Vec<u8>, KeyError> {
        let user = parse_user(&public_user_id)?;
        let locked = self.folder.lock()?;
        self.create(&locked.directory, &user)
    }

    fn public_key(&self, public_user_id: String) -> Result<Option<Vec<u8>>, KeyError> {
        let found = self.find(&public_user_id)?;
        Ok(found.map(|found| found.key.public_key().to_der()))
    }

    fn list(&self) -> Result<Vec<String>, KeyError> {
        let Some(directory) = self.folder.open()? else {
            return Ok(Vec::new());
        };
        let mut users = Vec::new();
        for name in directory.names().map_err(FolderError::from)? {
            if let Some(name) = name.to_str().filter(|name| name.ends_with(SUFFIX)) {
                let key = read(&directory, name)?;
                users.extend(key.map(|key| key.user.as_str().to_owned()));
            }
        }
        Ok(users)
    }

    fn sign(&self, public_user_id: String, data: Vec<u8>) -> Result<Vec<u8>, KeyError> {
        let found = self.find(&public_user_id)?.ok_or(KeyError::Unknown)?;
        Ok(found.key.sign_der(&data))
    }
}

fn parse_user(text: &str) -> Result<ClaimedUserId, KeyError> {
    text.parse::<ClaimedUserId>()
        .map_err(|error| failed(&error))
}

fn failed(error: &dyn std::error::Error) -> KeyError {
    let detail = error.to_string();
    KeyError::Failed { detail }
}

/// Returns the name of a user's file: a hash, because a user id may be long and contain any
/// character.
fn file_name(user: &ClaimedUserId) -> String {
    let digest = Sha256::digest(user.as_str().as_bytes());
    let name = BASE64_URL_SAFE_NO_PAD.encode(&digest[..16]);
    format!("{name}{SUFFIX}")
}

fn read(directory: &PrivateDirectory, name: &str) -> Result<Option<OwnedKey>, KeyError> {
    let content = directory.read(name).map_err(FolderError::from)?;
    let Some(content) = content.map(Zeroizing::new) else {
        return Ok(None);
    };
    let key = parse(&content).filter(|key| file_name(&key.user) == name);
    let path = directory.path().join(OsStr::new(name));
    key.map(Some).ok_or_else(|| KeyError::Failed {
        detail: format!("{} holds no association key of its user", path.display()),
    })
}

fn parse(content: &[u8]) -> Option<OwnedKey> {
    let stored: Stored = serde_json::from_slice(content).ok()?;
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(&stored.private_key);
    let bytes = Zeroizing::new(bytes.ok()?);
    Some(OwnedKey {
        user: stored.public_user_id.parse().ok()?,
        key: AssociationPrivateKey::from_bytes(&bytes).ok()?,
    })
}

#[cfg(test)]
mod tests;
