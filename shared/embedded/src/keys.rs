//! The signing key in a file, for hosts that have no key service.
//!
//! A directory holds one PEM file for each key, named by its thumbprint, and a file `current` that
//! names the one that signs. That one is a private key (PKCS#8). Of a key that was replaced only
//! the public half stays, so that receivers still find it: what was signed with it may be under
//! way, and nobody who reads the directory later can sign in its name. It stays for
//! [`FORMER_KEY_KEPT`].

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

use crate::private_files::PrivateDirectory;
use files::Former;

/// How long a former key is published. An attempt under way ends within seconds, and every later
/// one is signed with the key of its time; the rest is for receivers that verify later what they
/// took in: longer than a webhook is retried (28 hours), and than they may keep a key set.
pub const FORMER_KEY_KEPT: Duration = Duration::from_hours(7 * 24);

/// How many former keys there are at most. Who replaces keys in a loop is refused, rather than that
/// a key is dropped that is still needed.
pub const MAX_FORMER_KEYS: usize = 16;

/// Signs with a P-256 key that a directory holds.
#[derive(Debug)]
pub struct KeyFileSigner {
    directory: PrivateDirectory,
    keys: RwLock<Arc<Keys>>,
    /// The last reading of the steady clock, by which former keys are removed. Held while a key is
    /// replaced, so that two replacements do not mix.
    steady: Mutex<Timestamp>,
}

/// The current key, and all public ones.
struct Keys {
    signing: SigningKey,
    id: KeyId,
    current: PublicKey,
    /// The last one that was replaced first.
    former: Vec<Former>,
}

/// Shows no private key.
impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keys")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

impl KeyFileSigner {
    /// Opens a directory of keys, with a first key (mode 0600) where there is none. Former keys
    /// whose time is over by the steady clock are removed: a removed one cannot be had back, and
    /// the wall clock may be wrong.
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
        // Also finishes a replacement that was cut short.
        let former = files::retire_all_but(&directory, &public_half(&current)?, now, steady)?;
        Ok(Self {
            directory,
            keys: RwLock::new(Arc::new(Keys::of(&current, former)?)),
            steady: Mutex::new(steady),
        })
    }

    /// Makes a new key, signs with it from now on, and throws the private half of the former one
    /// away. Answers the new key's name. Refused where [`MAX_FORMER_KEYS`] are still published.
    ///
    /// Should the machine stop half-way, either key is the current one at the next start.
    pub fn rotate(&self, entropy: &dyn Entropy, now: Timestamp) -> Result<KeyId, KeyError> {
        let steady = self.alone();
        let before = self.keys();
        let mut former = files::retire_all_but(&self.directory, &before.current, now, *steady)?;
        if former.len() >= MAX_FORMER_KEYS {
            return Err(KeyError::TooManyFormer);
        }
        let replaced = Former {
            key: before.current,
            replaced_at: now,
        };
        former.insert(0, replaced.clone());
        let key = generate(entropy);
        let keys = Keys::of(&key, former)?;
        let id = keys.id.clone();
        files::install(&self.directory, &id, &key)?;
        self.publish(keys);
        files::retire(&self.directory, &replaced)?;
        Ok(id)
    }

    /// Takes the steady clock's reading, publishes former keys whose time is over by it no longer,
    /// and removes their files.
    pub fn prune(&self, steady: Timestamp) -> Result<(), KeyError> {
        let mut kept = self.alone();
        *kept = steady;
        let before = self.keys();
        let (over, former): (Vec<Former>, Vec<Former>) = before
            .former
            .iter()
            .cloned()
            .partition(|former| former.is_over(steady));
        if over.is_empty() {
            return Ok(());
        }
        // The files first: where that fails, it is tried again.
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

    /// All key files, for a backup. None is replaced meanwhile.
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
    fn of(key: &SecretKey, former: Vec<Former>) -> Result<Self, KeyError> {
        let current = public_half(key)?;
        Ok(Self {
            signing: SigningKey::from(key),
            id: current.key_id(),
            current,
            former,
        })
    }

    /// The current one first.
    fn public(&self) -> Vec<PublicKey> {
        let former = self.former.iter().map(|former| former.key);
        std::iter::once(self.current).chain(former).collect()
    }
}

#[async_trait]
impl Signer for KeyFileSigner {
    /// The nonce is derived from key and digest (RFC 6979), so a weak generator gives nothing away.
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

/// A random key: 32 random bytes are nearly always a number below the group's order, and as evenly
/// spread there as they were before.
fn generate(entropy: &dyn Entropy) -> SecretKey {
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

fn public_half(key: &SecretKey) -> Result<PublicKey, KeyError> {
    let der = key
        .public_key()
        .to_public_key_der()
        .map_err(|_| KeyError::Unwritable)?;
    PublicKey::from_spki_der(der.as_bytes()).map_err(|_| KeyError::Unwritable)
}
