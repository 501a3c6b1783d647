//! The signing key in a file, for hosts without a key service.
//!
//! The directory contains one PEM file per key, named by the key's thumbprint, and a file `current`
//! with the name of the signing key. The signing key's file contains the private key (PKCS#8).
//! Rotation deletes the private half of the former key and keeps the public half for
//! [`FORMER_KEY_KEPT`], because webhooks that it signed may still be in transit. A later leak of
//! the directory reveals no former private key.

mod files;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use async_trait::async_trait;
use countersign_domain::delivery::signing::{KeyId, PublicKey, Signature, Signer};
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use p256::SecretKey;
use p256::ecdsa::signature::hazmat::PrehashSigner;
use p256::ecdsa::{DerSignature, SigningKey};
use p256::pkcs8::EncodePublicKey;
use zeroize::{Zeroize, Zeroizing};

pub use files::{KeyError, KeyFile};

use countersign_system::private_files::PrivateDirectory;
use files::FormerKey;

/// The time for which a former key stays published. An attempt ends within seconds, and later attempts
/// are signed with the new key. The rest is for receivers that verify later: it is longer than the
/// retry horizon (28 hours), and longer than receivers may cache a key set.
pub const FORMER_KEY_KEPT: Duration = Duration::from_hours(7 * 24);

/// Maximum number of published former keys. Further rotations are refused, because dropping a former
/// key early would invalidate signatures that receivers still verify.
pub const MAX_FORMER_KEYS: usize = 16;

/// A signer whose P-256 key is in a directory.
#[derive(Debug)]
pub struct KeyFileSigner {
    directory: PrivateDirectory,
    keys: RwLock<Arc<Keys>>,
    /// Last reading of the steady clock, which determines when former keys are removed. Locked
    /// during a rotation, so that two rotations cannot interleave.
    steady: Mutex<Timestamp>,
}

/// The signing key and all published keys.
struct Keys {
    signing: SigningKey,
    id: KeyId,
    current: PublicKey,
    /// Former keys, most recently replaced first.
    former: Vec<FormerKey>,
}

/// Shows only the key's id.
impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keys")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

impl KeyFileSigner {
    /// Opens a directory of keys, and generates the first key (mode 0600) if it is empty. Removes the
    /// former keys whose publication has ended. The steady clock determines this, because removal is
    /// final and the wall clock may be wrong.
    ///
    /// # Errors
    /// Fails if the directory or a key in it cannot be used.
    pub fn open(
        directory: PrivateDirectory,
        entropy: &dyn Entropy,
        now: Timestamp,
        steady: Timestamp,
    ) -> Result<Self, KeyError> {
        let current = if let Some(id) = files::read_current(&directory)? {
            files::read_private(&directory, &id)?
        } else {
            let key = generate(entropy);
            files::install(&directory, &public_half(&key)?.key_id(), &key)?;
            key
        };
        // This also finishes a rotation that a crash interrupted.
        let former = files::retire_all_but(&directory, &public_half(&current)?, now, steady)?;
        Ok(Self {
            directory,
            keys: RwLock::new(Arc::new(Keys::new(&current, former)?)),
            steady: Mutex::new(steady),
        })
    }

    /// Replaces the signing key with a new one, deletes the private half of the former key, and
    /// returns the new key's id. After a crash in the middle, the next start signs with either the old
    /// or the new key.
    ///
    /// # Errors
    /// Fails while [`MAX_FORMER_KEYS`] former keys are published, or if a file cannot be written.
    pub fn rotate(&self, entropy: &dyn Entropy, now: Timestamp) -> Result<KeyId, KeyError> {
        let steady = self.alone();
        let before = self.keys();
        let mut former = files::retire_all_but(&self.directory, &before.current, now, *steady)?;
        if former.len() >= MAX_FORMER_KEYS {
            return Err(KeyError::TooManyFormer);
        }
        let replaced = FormerKey {
            key: before.current,
            replaced_at: now,
        };
        former.insert(0, replaced.clone());
        let key = generate(entropy);
        let keys = Keys::new(&key, former)?;
        let id = keys.id.clone();
        files::install(&self.directory, &id, &key)?;
        self.publish(keys);
        files::retire(&self.directory, &replaced)?;
        Ok(id)
    }

    /// Ends the publication of former keys that are due by the steady clock, and removes their files.
    ///
    /// # Errors
    /// Fails if a file cannot be removed; the next call tries again.
    pub fn prune(&self, steady: Timestamp) -> Result<(), KeyError> {
        let mut kept = self.alone();
        *kept = steady;
        let before = self.keys();
        let (over, former): (Vec<FormerKey>, Vec<FormerKey>) = before
            .former
            .iter()
            .cloned()
            .partition(|former| former.is_over(steady));
        if over.is_empty() {
            return Ok(());
        }
        // The files are removed first, so that the next call retries after a failure.
        for former in &over {
            files::remove(&self.directory, former)?;
        }
        self.publish(Keys {
            signing: before.signing.clone(),
            id: before.id.clone(),
            current: before.current,
            former,
        });
        Ok(())
    }

    /// Checks that the directory is where it was opened, and still contains the signing key.
    ///
    /// # Errors
    /// The error identifies the file or directory that was changed.
    pub fn check_files(&self) -> Result<(), KeyError> {
        // A rotation writes the files before it publishes the key.
        let _alone = self.alone();
        self.directory.check_place()?;
        files::check(&self.directory, &self.keys().id)
    }

    /// Returns all key files, for a backup. Blocks rotations in the meantime.
    ///
    /// # Errors
    /// Fails if a file cannot be read.
    pub fn files(&self) -> Result<Vec<KeyFile>, KeyError> {
        let _alone = self.alone();
        files::read_all(&self.directory)
    }

    fn keys(&self) -> Arc<Keys> {
        Arc::clone(&self.keys.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn alone(&self) -> MutexGuard<'_, Timestamp> {
        self.steady.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn publish(&self, keys: Keys) {
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(keys);
    }
}

impl Keys {
    fn new(key: &SecretKey, former: Vec<FormerKey>) -> Result<Self, KeyError> {
        let current = public_half(key)?;
        Ok(Self {
            signing: SigningKey::from(key),
            id: current.key_id(),
            current,
            former,
        })
    }

    /// Returns the published keys, the signing key first.
    fn public(&self) -> Vec<PublicKey> {
        let former = self.former.iter().map(|former| former.key);
        std::iter::once(self.current).chain(former).collect()
    }
}

#[async_trait]
impl Signer for KeyFileSigner {
    /// Derives the nonce from key and digest (RFC 6979), so that a weak random generator cannot reveal
    /// the key.
    async fn sign(&self, digest: &[u8; 32]) -> Result<Signature, Unavailable> {
        let keys = self.keys();
        let signature: DerSignature = keys
            .signing
            .sign_prehash(digest)
            .map_err(|error| Unavailable::new("signer: sign", error))?;
        Ok(Signature {
            der: signature.as_bytes().to_vec(),
            key_id: keys.id.clone(),
        })
    }

    async fn public_keys(&self) -> Result<Vec<PublicKey>, Unavailable> {
        Ok(self.keys().public())
    }
}

/// Generates a key. 32 random bytes are almost always below the group's order; others are drawn
/// again, which keeps the distribution uniform.
pub(crate) fn generate(entropy: &dyn Entropy) -> SecretKey {
    let mut bytes = Zeroizing::new([0; 32]);
    loop {
        entropy.fill(bytes.as_mut());
        let key = SecretKey::from_slice(bytes.as_ref());
        bytes.zeroize();
        if let Ok(key) = key {
            return key;
        }
    }
}

pub(crate) fn public_half(key: &SecretKey) -> Result<PublicKey, KeyError> {
    let der = key
        .public_key()
        .to_public_key_der()
        .map_err(|_| KeyError::Unwritable)?;
    PublicKey::from_spki_der(der.as_bytes()).map_err(|_| KeyError::Unwritable)
}
