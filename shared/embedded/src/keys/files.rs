//! How keys lie in their directory.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use countersign_domain::signing::{KeyId, PublicKey};
use p256::SecretKey;
use p256::pkcs8::{
    DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey, LineEnding,
};
use thiserror::Error;
use zeroize::Zeroizing;

use super::public_half;
use crate::private_files;

/// Names the key that signs.
const CURRENT: &str = "current";
const EXTENSION: &str = "pem";

/// Why keys could not be read or written.
#[derive(Debug, Error)]
pub enum KeyError {
    /// Directory or file could not be read or written.
    #[error("cannot read or write {}", path.display())]
    File {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is no P-256 key in PEM.
    #[error("{} holds no P-256 key in PEM", path.display())]
    NotAKey {
        /// Which one.
        path: PathBuf,
    },
    /// The file holds another key than its name says.
    #[error("{} holds another key than its name says", path.display())]
    WrongName {
        /// Which one.
        path: PathBuf,
    },
    /// A key could not be written down.
    #[error("a key could not be encoded")]
    Unwritable,
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> KeyError + use<> {
    let path = path.to_owned();
    move |source| KeyError::File { path, source }
}

fn path_of(directory: &Path, id: &KeyId) -> PathBuf {
    directory.join(id.as_str()).with_extension(EXTENSION)
}

/// Makes the directory where it is not there.
pub(super) fn prepare(directory: &Path) -> Result<(), KeyError> {
    private_files::create_directory(directory).map_err(at(directory))
}

/// Which key signs; `None` before there was a first one.
pub(super) fn read_current(directory: &Path) -> Result<Option<KeyId>, KeyError> {
    let path = directory.join(CURRENT);
    match fs::read_to_string(&path) {
        Ok(name) => Ok(Some(KeyId::from_stored(name.trim().to_owned()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(at(&path)(error)),
    }
}

/// The private key of that name.
pub(super) fn read_private(directory: &Path, id: &KeyId) -> Result<SecretKey, KeyError> {
    let path = path_of(directory, id);
    let pem = read(&path)?;
    let Ok(key) = SecretKey::from_pkcs8_pem(&pem) else {
        return Err(KeyError::NotAKey { path });
    };
    if public_half(&key)?.key_id() != *id {
        return Err(KeyError::WrongName { path });
    }
    Ok(key)
}

/// Writes a key, then makes it the current one.
pub(super) fn install(directory: &Path, id: &KeyId, key: &SecretKey) -> Result<(), KeyError> {
    let pem = key
        .to_pkcs8_pem(LineEnding::LF)
        .map_err(|_| KeyError::Unwritable)?;
    replace(&path_of(directory, id), &pem)?;
    replace(&directory.join(CURRENT), &format!("{}\n", id.as_str()))
}

/// Leaves of a key its public half alone.
pub(super) fn retire(directory: &Path, key: &PublicKey) -> Result<(), KeyError> {
    replace(&path_of(directory, &key.key_id()), &key.to_pem())
}

/// Leaves of every other key its public half alone, and answers those, by name.
pub(super) fn retire_all_but(
    directory: &Path,
    current: &PublicKey,
) -> Result<Vec<PublicKey>, KeyError> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(directory).map_err(at(directory))? {
        let path = entry.map_err(at(directory))?.path();
        if path.extension().is_some_and(|ending| ending == EXTENSION) {
            paths.push(path);
        }
    }
    paths.sort();
    let mut former = Vec::new();
    for path in paths {
        let (key, private) = read_public_half(path)?;
        if key == *current {
            continue;
        }
        if private {
            retire(directory, &key)?;
        }
        former.push(key);
    }
    Ok(former)
}

/// The public half of a key, and whether the file holds the private one.
fn read_public_half(path: PathBuf) -> Result<(PublicKey, bool), KeyError> {
    let pem = read(&path)?;
    let private = SecretKey::from_pkcs8_pem(&pem).ok();
    let public = match &private {
        Some(key) => Some(key.public_key()),
        None => p256::PublicKey::from_public_key_pem(&pem).ok(),
    };
    let der = public.and_then(|key| key.to_public_key_der().ok());
    let key = der.and_then(|der| PublicKey::from_spki_der(der.as_bytes()).ok());
    match key {
        None => Err(KeyError::NotAKey { path }),
        Some(key)
            if path
                == path
                    .with_file_name(key.key_id().as_str())
                    .with_extension(EXTENSION) =>
        {
            Ok((key, private.is_some()))
        }
        Some(_) => Err(KeyError::WrongName { path }),
    }
}

fn read(path: &Path) -> Result<Zeroizing<String>, KeyError> {
    fs::read_to_string(path)
        .map(Zeroizing::new)
        .map_err(at(path))
}

fn replace(path: &Path, content: &str) -> Result<(), KeyError> {
    private_files::replace(path, content.as_bytes()).map_err(at(path))
}
