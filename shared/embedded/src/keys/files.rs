//! The files of a key directory.

use std::cmp::Reverse;
use std::path::PathBuf;

use countersign_domain::delivery::signing::{KeyId, PublicKey};
use countersign_domain::primitives::time::Timestamp;
use countersign_system::private_files::{PrivateDirectory, PrivateFileError};
use p256::SecretKey;
use p256::pkcs8::{
    DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey, LineEnding,
};
use thiserror::Error;
use zeroize::Zeroizing;

use super::{FORMER_KEY_KEPT, MAX_FORMER_KEYS, public_half};

/// Name of the file with the name of the signing key.
const CURRENT: &str = "current";
const EXTENSION: &str = "pem";
/// Start of the line before a former public key. The time of its rotation follows, in milliseconds since
/// 1970.
const REPLACED_AT: &str = "replaced-at: ";

/// An error of the key directory.
#[derive(Debug, Error)]
pub enum KeyError {
    /// A directory or file cannot be read or written.
    #[error(transparent)]
    File(#[from] PrivateFileError),
    #[error(
        "the signing key {} is missing: restore it from a backup. If there is none, remove the file \
         `current` beside it and run `countersign signing-key rotate`; receivers have to fetch the new key",
        path.display()
    )]
    Missing {
        /// The path where it should be.
        path: PathBuf,
    },
    /// Too many former keys are still published.
    #[error(
        "{MAX_FORMER_KEYS} keys were replaced within {} days, and each is published for that long: \
         rotate later, or remove the file of a key that no receiver needs any more and restart the \
         server",
        FORMER_KEY_KEPT.as_secs() / 86_400
    )]
    TooManyFormer,
    /// A file does not contain a P-256 key in PEM.
    #[error("{} contains no P-256 key in PEM", path.display())]
    NotAKey {
        /// The file.
        path: PathBuf,
    },
    /// A file contains a key that does not match its name.
    #[error("{} contains a key that does not match its name", path.display())]
    WrongName {
        /// The file.
        path: PathBuf,
    },
    /// A key cannot be encoded.
    #[error("a key could not be encoded")]
    Unwritable,
}

fn name_of(id: &KeyId) -> String {
    format!("{}.{EXTENSION}", id.as_str())
}

/// A key that was replaced, and the time of its rotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FormerKey {
    pub(super) key: PublicKey,
    pub(super) replaced_at: Timestamp,
}

impl FormerKey {
    /// Returns whether the key's publication has ended by the steady clock.
    pub(super) fn is_over(&self, steady: Timestamp) -> bool {
        steady.since(self.replaced_at) > FORMER_KEY_KEPT
    }
}

/// A key file, for a backup.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyFile {
    /// Name in the directory.
    pub name: String,
    /// Content. The signing key's file contains the private key.
    pub content: Zeroizing<Vec<u8>>,
}

/// Shows only the name.
impl std::fmt::Debug for KeyFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeyFile")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Returns all key files, sorted by name.
pub(super) fn read_all(directory: &PrivateDirectory) -> Result<Vec<KeyFile>, KeyError> {
    let ending = format!(".{EXTENSION}");
    let mut files = Vec::new();
    for name in directory.names()? {
        let Some(name) = name.to_str() else {
            continue;
        };
        if (name == CURRENT || name.ends_with(&ending))
            && let Some(content) = directory.read(name)?
        {
            files.push(KeyFile {
                name: name.to_owned(),
                content: Zeroizing::new(content),
            });
        }
    }
    files.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(files)
}

/// Returns the id of the signing key; `None` if no key was ever generated.
pub(super) fn read_current(directory: &PrivateDirectory) -> Result<Option<KeyId>, KeyError> {
    let name = read(directory, CURRENT)?;
    Ok(name.map(|name| KeyId::from_stored(name.trim().to_owned())))
}

/// Checks that this is the signing key of the directory.
pub(super) fn check(directory: &PrivateDirectory, id: &KeyId) -> Result<(), KeyError> {
    let path = directory.path().join(CURRENT);
    match read_current(directory)? {
        None => Err(PrivateFileError::Gone { path }.into()),
        Some(current) if current != *id => Err(PrivateFileError::Replaced { path }.into()),
        Some(_) => {
            directory.identity(&name_of(id))?;
            Ok(())
        }
    }
}

pub(super) fn read_private(
    directory: &PrivateDirectory,
    id: &KeyId,
) -> Result<SecretKey, KeyError> {
    let name = name_of(id);
    let path = directory.path().join(&name);
    let Some(pem) = read(directory, &name)? else {
        return Err(KeyError::Missing { path });
    };
    let Ok(key) = SecretKey::from_pkcs8_pem(&pem) else {
        return Err(KeyError::NotAKey { path });
    };
    if public_half(&key)?.key_id() != *id {
        return Err(KeyError::WrongName { path });
    }
    Ok(key)
}

/// Writes a key, then makes it the signing key.
pub(super) fn install(
    directory: &PrivateDirectory,
    id: &KeyId,
    key: &SecretKey,
) -> Result<(), KeyError> {
    let pem = key
        .to_pkcs8_pem(LineEnding::LF)
        .map_err(|_| KeyError::Unwritable)?;
    directory.replace(&name_of(id), pem.as_bytes())?;
    Ok(directory.replace(CURRENT, format!("{}\n", id.as_str()).as_bytes())?)
}

/// Deletes a key's private half and records when the key was replaced.
pub(super) fn retire(directory: &PrivateDirectory, former: &FormerKey) -> Result<(), KeyError> {
    let at = former.replaced_at.as_millis();
    let content = format!("{REPLACED_AT}{at}\n{}", former.key.to_pem());
    Ok(directory.replace(&name_of(&former.key.key_id()), content.as_bytes())?)
}

pub(super) fn remove(directory: &PrivateDirectory, former: &FormerKey) -> Result<(), KeyError> {
    Ok(directory.remove(&name_of(&former.key.key_id()))?)
}

/// Deletes the private half of every key but `current`, removes the keys whose publication has ended by
/// the steady clock, and returns the others, most recently replaced first.
pub(super) fn retire_all_but(
    directory: &PrivateDirectory,
    current: &PublicKey,
    now: Timestamp,
    steady: Timestamp,
) -> Result<Vec<FormerKey>, KeyError> {
    let ending = format!(".{EXTENSION}");
    let mut former = Vec::new();
    for name in directory.names()? {
        let Some(name) = name.to_str().filter(|name| name.ends_with(&ending)) else {
            continue;
        };
        let Some(found) = read_public_half(directory, name)? else {
            continue;
        };
        if found.key == *current {
            continue;
        }
        let kept = FormerKey {
            key: found.key,
            // A key without a recorded time is published for the full time from now.
            replaced_at: found.replaced_at.unwrap_or(now),
        };
        if kept.is_over(steady) {
            directory.remove(name)?;
            continue;
        }
        if found.replaced_at.is_none() {
            retire(directory, &kept)?;
        }
        former.push(kept);
    }
    former.sort_by_key(|former| (Reverse(former.replaced_at), former.key.key_id().to_string()));
    Ok(former)
}

struct PublicHalf {
    key: PublicKey,
    /// Time of the rotation; `None` if it is not recorded or the file contains the private half.
    replaced_at: Option<Timestamp>,
}

fn read_public_half(
    directory: &PrivateDirectory,
    name: &str,
) -> Result<Option<PublicHalf>, KeyError> {
    let path = directory.path().join(name);
    let Some(text) = read(directory, name)? else {
        return Ok(None);
    };
    let (noted, pem) = match text
        .strip_prefix(REPLACED_AT)
        .and_then(|rest| rest.split_once('\n'))
    {
        Some((at, pem)) => (at.parse().ok().map(Timestamp::from_millis), pem),
        None => (None, text.as_str()),
    };
    let private = SecretKey::from_pkcs8_pem(pem).ok();
    let public = match &private {
        Some(key) => Some(key.public_key()),
        None => p256::PublicKey::from_public_key_pem(pem).ok(),
    };
    let der = public.and_then(|key| key.to_public_key_der().ok());
    let key = der.and_then(|der| PublicKey::from_spki_der(der.as_bytes()).ok());
    match key {
        None => Err(KeyError::NotAKey { path }),
        Some(key) if name_of(&key.key_id()) == name => Ok(Some(PublicHalf {
            key,
            replaced_at: noted.filter(|_| private.is_none()),
        })),
        Some(_) => Err(KeyError::WrongName { path }),
    }
}

/// Returns a file's text; `None` if the file does not exist.
fn read(directory: &PrivateDirectory, name: &str) -> Result<Option<Zeroizing<String>>, KeyError> {
    let Some(content) = directory.read(name)? else {
        return Ok(None);
    };
    match String::from_utf8(content) {
        Ok(text) => Ok(Some(Zeroizing::new(text))),
        Err(_) => Err(KeyError::NotAKey {
            path: directory.path().join(name),
        }),
    }
}
