//! The signing key in a file, for hosts that have no key service.
//!
//! A directory holds one PEM file for each key, named by its thumbprint, and a file `current` that
//! names the one that signs. That one is a private key (PKCS#8). Of a key that was replaced only
//! the public half stays, so that receivers still find it: what was signed with it may be under
//! way, and nobody who reads the directory later can sign in its name.

mod files;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use async_trait::async_trait;
use countersign_domain::ports::{Entropy, Signer, Unavailable};
use countersign_domain::signing::{KeyId, PublicKey, Signature};
use p256::SecretKey;
use p256::ecdsa::signature::hazmat::PrehashSigner;
use p256::ecdsa::{DerSignature, SigningKey};
use p256::pkcs8::EncodePublicKey;
use zeroize::{Zeroize, Zeroizing};

pub use files::KeyError;

/// Signs with a P-256 key that a directory holds.
#[derive(Debug)]
pub struct KeyFileSigner {
    directory: PathBuf,
    keys: RwLock<Arc<Keys>>,
    /// Held while the key is replaced, so that two replacements do not mix.
    replacing: Mutex<()>,
}

/// The current key, and all public ones.
struct Keys {
    signing: SigningKey,
    id: KeyId,
    /// The current one first.
    public: Vec<PublicKey>,
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
    /// Opens a directory of keys, and makes it (mode 0700) with a first key (mode 0600) where
    /// there is none.
    pub fn open(directory: &Path, entropy: &dyn Entropy) -> Result<Self, KeyError> {
        files::prepare(directory)?;
        let current = if let Some(id) = files::read_current(directory)? {
            files::read_private(directory, &id)?
        } else {
            let key = generate(entropy);
            files::install(directory, &public_half(&key)?.key_id(), &key)?;
            key
        };
        // Also finishes a replacement that was cut short.
        let former = files::retire_all_but(directory, &public_half(&current)?)?;
        Ok(Self {
            directory: directory.to_owned(),
            keys: RwLock::new(Arc::new(Keys::of(&current, former)?)),
            replacing: Mutex::new(()),
        })
    }

    /// Makes a new key, signs with it from now on, and throws the private half of the former one
    /// away. Answers the new key's name.
    ///
    /// Should the machine stop half-way, either key is the current one at the next start.
    pub fn rotate(&self, entropy: &dyn Entropy) -> Result<KeyId, KeyError> {
        let _alone = self
            .replacing
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let former = self.keys();
        let key = generate(entropy);
        let keys = Keys::of(&key, former.public.clone())?;
        let id = keys.id.clone();
        files::install(&self.directory, &id, &key)?;
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(keys);
        files::retire(&self.directory, &former.public[0])?;
        Ok(id)
    }

    fn keys(&self) -> Arc<Keys> {
        Arc::clone(&self.keys.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Keys {
    fn of(key: &SecretKey, mut former: Vec<PublicKey>) -> Result<Self, KeyError> {
        let current = public_half(key)?;
        former.retain(|known| *known != current);
        Ok(Self {
            signing: SigningKey::from(key),
            id: current.key_id(),
            public: std::iter::once(current).chain(former).collect(),
        })
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
        Ok(self.keys().public.clone())
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
