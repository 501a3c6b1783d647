//! Stores in memory, for tests and for programs whose logins need not outlive them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use countersign_domain::primitives::entropy::Entropy;
use countersign_proof::AssociationPrivateKey;

use crate::ports::StoreError;
use crate::ports::answers::AnswerStore;
use crate::ports::keys::{AssociationKeys, KeyError};
use crate::ports::secrets::SecretStore;

/// A device secret in memory.
#[derive(Default)]
pub struct MemorySecrets(Mutex<Option<Vec<u8>>>);

impl SecretStore for MemorySecrets {
    fn load(&self) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(locked(&self.0).clone())
    }

    fn save_new(&self, secret: Vec<u8>) -> Result<Vec<u8>, StoreError> {
        Ok(locked(&self.0).get_or_insert(secret).clone())
    }
}

/// Answers in memory.
#[derive(Default)]
pub struct MemoryAnswers(Mutex<BTreeMap<String, Vec<u8>>>);

impl AnswerStore for MemoryAnswers {
    fn load(&self, name: String) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(locked(&self.0).get(&name).cloned())
    }

    fn save_new(&self, name: String, answer: Vec<u8>) -> Result<Option<Vec<u8>>, StoreError> {
        let mut answers = locked(&self.0);
        let former = answers.get(&name).cloned();
        if former.is_none() {
            answers.insert(name, answer);
        }
        Ok(former)
    }

    fn replace(&self, name: String, answer: Vec<u8>) -> Result<(), StoreError> {
        locked(&self.0).insert(name, answer);
        Ok(())
    }

    fn remove(&self, name: String) -> Result<(), StoreError> {
        locked(&self.0).remove(&name);
        Ok(())
    }

    fn names(&self) -> Result<Vec<String>, StoreError> {
        Ok(locked(&self.0).keys().cloned().collect())
    }
}

/// Association keys in memory.
pub struct MemoryKeys {
    entropy: Arc<dyn Entropy>,
    keys: Mutex<BTreeMap<String, AssociationPrivateKey>>,
}

impl MemoryKeys {
    /// Creates an empty store, which generates keys from this entropy.
    #[must_use]
    pub fn new(entropy: Arc<dyn Entropy>) -> Self {
        let keys = Mutex::default();
        Self { entropy, keys }
    }
}

impl AssociationKeys for MemoryKeys {
    fn generate(&self, public_user_id: String) -> Result<Vec<u8>, KeyError> {
        let key = AssociationPrivateKey::generate(self.entropy.as_ref());
        let public = key.public_key().to_der();
        locked(&self.keys).insert(public_user_id, key);
        Ok(public)
    }

    fn public_key(&self, public_user_id: String) -> Result<Option<Vec<u8>>, KeyError> {
        let keys = locked(&self.keys);
        let key = keys.get(&public_user_id);
        Ok(key.map(|key| key.public_key().to_der()))
    }

    fn list(&self) -> Result<Vec<String>, KeyError> {
        Ok(locked(&self.keys).keys().cloned().collect())
    }

    fn sign(&self, public_user_id: String, data: Vec<u8>) -> Result<Vec<u8>, KeyError> {
        let keys = locked(&self.keys);
        let key = keys.get(&public_user_id).ok_or(KeyError::Unknown)?;
        Ok(key.sign_der(&data))
    }
}

/// Code that holds a lock here cannot panic in the middle of a change.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
