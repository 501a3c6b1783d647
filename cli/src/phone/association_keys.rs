//! The simulated phone's association keys: one file for each public user id, readable by its owner
//! alone.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_domain::login::ClaimedUserId;
use countersign_domain::primitives::entropy::Entropy;
use countersign_system::private_files::{PrivateDirectory, PrivateFileError};
use countersign_proof::AssociationPrivateKey;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use thiserror::Error;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

/// The directory of the keys, inside the phone's own.
const FOLDER: &str = "association-keys";

/// The end of each key file's name.
const SUFFIX: &str = ".json";

/// The keys in a directory. Nothing is read or created before a key is needed.
#[derive(Debug)]
pub(crate) struct AssociationKeys {
    path: PathBuf,
}

/// A key and the user whom the phone keeps it for.
#[derive(Debug)]
pub(crate) struct AssociationKey {
    /// The user.
    pub(crate) user: ClaimedUserId,
    /// The key.
    pub(crate) key: AssociationPrivateKey,
}

/// Why a key cannot be used.
#[derive(Debug, Error)]
pub(crate) enum AssociationKeyError {
    /// The directory or the file cannot be used.
    #[error(transparent)]
    File(#[from] PrivateFileError),
    /// The file does not hold a key of its user.
    #[error("{} holds no association key of its user", .0.display())]
    Malformed(PathBuf),
    /// The user has a key already.
    #[error(
        "{0} has an association key already; --replace makes a new one, and the old one is lost"
    )]
    Exists(String),
}

/// A key file.
#[derive(Serialize, Deserialize, Zeroize, ZeroizeOnDrop)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Stored {
    public_user_id: String,
    private_key: String,
}

impl AssociationKeys {
    /// Names the phone's directory.
    pub(crate) fn at(phone: &Path) -> Self {
        Self {
            path: phone.join(FOLDER),
        }
    }

    /// Generates a key for a user and stores it. Unless `replace` is set, a user who has a key keeps
    /// it.
    pub(crate) fn create(
        &self,
        user: &ClaimedUserId,
        replace: bool,
        entropy: &dyn Entropy,
    ) -> Result<AssociationKey, AssociationKeyError> {
        if !replace && self.find(user)?.is_some() {
            return Err(AssociationKeyError::Exists(user.as_str().to_owned()));
        }
        let key = AssociationPrivateKey::generate(entropy);
        let stored = Stored {
            public_user_id: user.as_str().to_owned(),
            private_key: BASE64_URL_SAFE_NO_PAD.encode(key.to_bytes().as_ref()),
        };
        let content = Zeroizing::new(serde_json::json!(stored).to_string());
        let directory = PrivateDirectory::create(&self.path)?;
        directory.replace(&file_name(user), content.as_bytes())?;
        Ok(AssociationKey {
            user: user.clone(),
            key,
        })
    }

    /// Returns a user's key; `None` if the phone has none.
    pub(crate) fn find(
        &self,
        user: &ClaimedUserId,
    ) -> Result<Option<AssociationKey>, AssociationKeyError> {
        match self.open()? {
            Some(directory) => read(&directory, &file_name(user)),
            None => Ok(None),
        }
    }

    /// Returns every key, by the names of their users.
    pub(crate) fn list(&self) -> Result<Vec<AssociationKey>, AssociationKeyError> {
        let Some(directory) = self.open()? else {
            return Ok(Vec::new());
        };
        let mut keys = Vec::new();
        for name in directory.names()? {
            if let Some(name) = name.to_str().filter(|name| name.ends_with(SUFFIX)) {
                keys.extend(read(&directory, name)?);
            }
        }
        keys.sort_by(|a, b| a.user.as_str().cmp(b.user.as_str()));
        Ok(keys)
    }

    fn open(&self) -> Result<Option<PrivateDirectory>, AssociationKeyError> {
        match PrivateDirectory::open(&self.path) {
            Ok(directory) => Ok(Some(directory)),
            Err(error) if error.is_absent() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// Returns the name of a user's file: a hash, since a user id may be long and hold any character.
fn file_name(user: &ClaimedUserId) -> String {
    let digest = Sha256::digest(user.as_str().as_bytes());
    let name = BASE64_URL_SAFE_NO_PAD.encode(&digest[..16]);
    format!("{name}{SUFFIX}")
}

fn read(
    directory: &PrivateDirectory,
    name: &str,
) -> Result<Option<AssociationKey>, AssociationKeyError> {
    let Some(content) = directory.read(name)? else {
        return Ok(None);
    };
    let content = Zeroizing::new(content);
    let key = parse(&content).filter(|key| file_name(&key.user) == name);
    let malformed = || AssociationKeyError::Malformed(directory.path().join(OsStr::new(name)));
    key.map(Some).ok_or_else(malformed)
}

fn parse(content: &[u8]) -> Option<AssociationKey> {
    let stored: Stored = serde_json::from_slice(content).ok()?;
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(&stored.private_key);
    let bytes = Zeroizing::new(bytes.ok()?);
    Some(AssociationKey {
        user: stored.public_user_id.parse().ok()?,
        key: AssociationPrivateKey::from_bytes(&bytes).ok()?,
    })
}

#[cfg(test)]
mod tests;
