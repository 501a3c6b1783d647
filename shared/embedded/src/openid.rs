//! The keys and the secret of the `OpenID` provider in files, for hosts without a key service.
//!
//! The directory contains a file `keys.json` with the keys and the times from which they sign, and a file `secret`. All
//! keys are in one file, so that a rotation is one atomic replacement. The private halves of former keys are removed, so
//! a later leak of the directory does not reveal them.

#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use countersign_domain::delivery::signing::{KeyId, PublicKey, Signature, Signer};
use countersign_domain::openid::key_schedule::{KeySchedule, NextKeyWaits, Scheduled};
use countersign_domain::openid::secret::OpenIdSecret;
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::time::{Clock, Timestamp};
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_system::private_files::{PrivateDirectory, PrivateFileError};
use p256::SecretKey;
use p256::ecdsa::signature::hazmat::PrehashSigner;
use p256::ecdsa::{DerSignature, SigningKey};
use p256::pkcs8::{
    DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey, LineEnding,
};
use serde::{Deserialize, Serialize};
use thiserror::Error;
use zeroize::{ZeroizeOnDrop, Zeroizing};

use crate::keys::{generate, public_half};

/// The files of the directory, all of which belong to a backup.
pub const FILES: [&str; 2] = [KEYS, SECRET];

const KEYS: &str = "keys.json";
const SECRET: &str = "secret";

/// The version of the keys' file.
const VERSION: u32 = 1;

/// Why the directory cannot be used.
#[derive(Debug, Error)]
pub enum OpenIdFilesError {
    #[error(transparent)]
    File(#[from] PrivateFileError),
    #[error("{} is missing: restore it from a backup", .0.display())]
    Missing(PathBuf),
    #[error("{} is corrupt: restore it from a backup", .0.display())]
    Damaged(PathBuf),
    #[error("{} was changed while the server runs: put back what was there, or restart the server", .0.display())]
    Changed(PathBuf),
    #[error(transparent)]
    NextKeyWaits(#[from] NextKeyWaits),
    #[error("a key could not be encoded")]
    Unwritable,
}

/// A key of the schedule. A former key has no private half.
#[derive(Clone)]
struct Key {
    public: PublicKey,
    private: Option<SecretKey>,
}

/// The keys' file.
#[derive(Serialize, Deserialize)]
struct KeysFile {
    v: u32,
    keys: Vec<KeyEntry>,
}

#[derive(Serialize, Deserialize, ZeroizeOnDrop)]
struct KeyEntry {
    /// The private half (PKCS#8), or the public half of a former key.
    pem: String,
    #[zeroize(skip)]
    signs_from: Timestamp,
}

/// A published key, for operators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenIdKey {
    pub key: PublicKey,
    /// The time from which it signs.
    pub signs_from: Timestamp,
    /// True for the key that signs now.
    pub is_signing: bool,
}

/// The signer of ID tokens, whose P-256 keys are in a directory.
pub struct OpenIdFiles {
    directory: PrivateDirectory,
    clock: Arc<dyn Clock>,
    secret: Arc<OpenIdSecret>,
    /// Locked while the file is written, so that changes cannot interleave.
    keys: Mutex<KeySchedule<Key>>,
}

/// Shows no fields, because of the secret.
impl std::fmt::Debug for OpenIdFiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenIdFiles").finish_non_exhaustive()
    }
}

impl OpenIdFiles {
    /// Opens the directory. If `may_begin`, generates the first key and the secret where they are missing.
    ///
    /// # Errors
    /// Fails if a file is missing or corrupt, or cannot be read or written.
    pub fn open(
        directory: PrivateDirectory,
        may_begin: bool,
        entropy: &dyn Entropy,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, OpenIdFilesError> {
        let missing = |name| OpenIdFilesError::Missing(directory.path().join(name));
        let secret = match read_secret(&directory)? {
            Some(secret) => secret,
            None if may_begin => {
                let secret = OpenIdSecret::generate(entropy);
                directory.replace(SECRET, secret.reveal().as_bytes())?;
                secret
            }
            None => return Err(missing(SECRET)),
        };
        let keys = match read_keys(&directory)? {
            Some(keys) => keys,
            None if may_begin => {
                let keys = KeySchedule::begin(Key::generate(entropy)?, clock.now());
                write_keys(&directory, &keys)?;
                keys
            }
            None => return Err(missing(KEYS)),
        };
        let files = Self {
            directory,
            clock,
            secret: Arc::new(secret),
            keys: Mutex::new(keys),
        };
        files.prune()?;
        Ok(files)
    }

    /// Returns the provider's secret.
    #[must_use]
    pub fn secret(&self) -> Arc<OpenIdSecret> {
        Arc::clone(&self.secret)
    }

    /// Publishes a new key, which signs once clients know it. Returns the time from which it does.
    ///
    /// # Errors
    /// Fails while the previous new key does not sign yet, or if the file cannot be written.
    pub fn rotate(&self, entropy: &dyn Entropy) -> Result<Vec<OpenIdKey>, OpenIdFilesError> {
        let now = self.clock.now();
        let mut keys = self.keys();
        let mut changed = keys.clone();
        changed.prune(now, Key::retire);
        changed.add(Key::generate(entropy)?, now)?;
        write_keys(&self.directory, &changed)?;
        *keys = changed;
        Ok(listed(&keys, now))
    }

    /// Returns the published keys, the signing one first.
    #[must_use]
    pub fn list(&self) -> Vec<OpenIdKey> {
        listed(&self.keys(), self.clock.now())
    }

    /// Removes former keys whose publication has ended, and the private halves of the others.
    ///
    /// # Errors
    /// Fails if the file cannot be written; the next call tries again.
    pub fn prune(&self) -> Result<(), OpenIdFilesError> {
        let mut keys = self.keys();
        let mut changed = keys.clone();
        changed.prune(self.clock.now(), Key::retire);
        let halves = |keys: &KeySchedule<Key>| {
            keys.keys()
                .iter()
                .filter(|it| it.key.private.is_some())
                .count()
        };
        if changed.keys().len() != keys.keys().len() || halves(&changed) != halves(&keys) {
            write_keys(&self.directory, &changed)?;
            *keys = changed;
        }
        Ok(())
    }

    /// Checks that the directory is where it was opened, and still contains the keys and the secret.
    ///
    /// # Errors
    /// The error identifies the file or directory that was changed.
    pub fn check_files(&self) -> Result<(), OpenIdFilesError> {
        // A rotation writes the file before it publishes the key.
        let keys = self.keys();
        self.directory.check_place()?;
        let path = |name| self.directory.path().join(name);
        let secret = read_secret(&self.directory)?;
        let secret = secret.ok_or_else(|| OpenIdFilesError::Missing(path(SECRET)))?;
        if secret.reveal() != self.secret.reveal() {
            return Err(OpenIdFilesError::Changed(path(SECRET)));
        }
        let found = read_keys(&self.directory)?;
        let found = found.ok_or_else(|| OpenIdFilesError::Missing(path(KEYS)))?;
        let ids = |keys: &KeySchedule<Key>| -> Vec<(KeyId, Timestamp)> {
            let keys = keys.keys().iter();
            keys.map(|it| (it.key.public.key_id(), it.signs_from))
                .collect()
        };
        if ids(&found) == ids(&keys) {
            Ok(())
        } else {
            Err(OpenIdFilesError::Changed(path(KEYS)))
        }
    }

    fn keys(&self) -> MutexGuard<'_, KeySchedule<Key>> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn listed(keys: &KeySchedule<Key>, now: Timestamp) -> Vec<OpenIdKey> {
    let signing = keys.signing(now).public;
    let published = keys.published(now).filter_map(|published| {
        let mut entries = keys.keys().iter();
        let entry = entries.find(|entry| entry.key.public == published.public)?;
        Some(OpenIdKey {
            key: published.public,
            signs_from: entry.signs_from,
            is_signing: published.public == signing,
        })
    });
    published.collect()
}

#[async_trait]
impl Signer for OpenIdFiles {
    /// Derives the nonce from key and digest (RFC 6979), so that a weak random generator cannot reveal the key.
    async fn sign(&self, digest: &[u8; 32]) -> Result<Signature, Unavailable> {
        let key = self.keys().signing(self.clock.now()).clone();
        let what = "OpenID signer: sign";
        let private = key.private.as_ref();
        let private = private.ok_or_else(|| Unavailable::new(what, "the key is a former one"))?;
        let signature: DerSignature = SigningKey::from(private)
            .sign_prehash(digest)
            .map_err(|error| Unavailable::new(what, error))?;
        Ok(Signature {
            der: signature.as_bytes().to_vec(),
            key_id: key.public.key_id(),
        })
    }

    async fn public_keys(&self) -> Result<Vec<PublicKey>, Unavailable> {
        let now = self.clock.now();
        Ok(self.keys().published(now).map(|key| key.public).collect())
    }
}

impl Key {
    fn generate(entropy: &dyn Entropy) -> Result<Self, OpenIdFilesError> {
        Self::new(&generate(entropy)).ok_or(OpenIdFilesError::Unwritable)
    }

    fn new(key: &SecretKey) -> Option<Self> {
        Some(Self {
            public: public_half(key).ok()?,
            private: Some(key.clone()),
        })
    }

    /// Discards the private half.
    fn retire(&mut self) {
        self.private = None;
    }

    fn to_pem(&self) -> Option<Zeroizing<String>> {
        match &self.private {
            Some(private) => private.to_pkcs8_pem(LineEnding::LF).ok(),
            None => Some(Zeroizing::new(self.public.to_pem())),
        }
    }

    fn from_pem(pem: &str) -> Option<Self> {
        if let Ok(key) = SecretKey::from_pkcs8_pem(pem) {
            return Self::new(&key);
        }
        let key = p256::PublicKey::from_public_key_pem(pem).ok()?;
        let der = key.to_public_key_der().ok()?;
        Some(Self {
            public: PublicKey::from_spki_der(der.as_bytes()).ok()?,
            private: None,
        })
    }
}

fn read_secret(directory: &PrivateDirectory) -> Result<Option<OpenIdSecret>, OpenIdFilesError> {
    let Some(content) = directory.read(SECRET)? else {
        return Ok(None);
    };
    let content = Zeroizing::new(content);
    let secret = std::str::from_utf8(&content).ok();
    let secret = secret.and_then(|text| text.parse().ok());
    let damaged = || OpenIdFilesError::Damaged(directory.path().join(SECRET));
    secret.map(Some).ok_or_else(damaged)
}

fn read_keys(directory: &PrivateDirectory) -> Result<Option<KeySchedule<Key>>, OpenIdFilesError> {
    let Some(content) = directory.read(KEYS)? else {
        return Ok(None);
    };
    let content = Zeroizing::new(content);
    let damaged = || OpenIdFilesError::Damaged(directory.path().join(KEYS));
    let file: KeysFile = serde_json::from_slice(&content).map_err(|_| damaged())?;
    if file.v != VERSION {
        return Err(damaged());
    }
    let keys = file.keys.iter().map(|entry| {
        Some(Scheduled {
            key: Key::from_pem(&entry.pem)?,
            signs_from: entry.signs_from,
        })
    });
    let keys: Option<Vec<_>> = keys.collect();
    let keys = keys.and_then(|keys| KeySchedule::restore(keys).ok());
    keys.map(Some).ok_or_else(damaged)
}

fn write_keys(
    directory: &PrivateDirectory,
    keys: &KeySchedule<Key>,
) -> Result<(), OpenIdFilesError> {
    let entries = keys.keys().iter().map(|scheduled| {
        Some(KeyEntry {
            pem: scheduled.key.to_pem()?.to_string(),
            signs_from: scheduled.signs_from,
        })
    });
    let keys: Option<Vec<_>> = entries.collect();
    let file = KeysFile {
        v: VERSION,
        keys: keys.ok_or(OpenIdFilesError::Unwritable)?,
    };
    let json = serde_json::to_vec(&file).map_err(|_| OpenIdFilesError::Unwritable)?;
    Ok(directory.replace(KEYS, &Zeroizing::new(json))?)
}
