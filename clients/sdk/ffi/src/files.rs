//! The core's stores in files, for foreign code.

use std::path::Path;
use std::sync::Arc;

use countersign_sdk as core;
use countersign_sdk::files::{FileAnswers, FileAssociationKeys, FileSecrets};
use countersign_system::entropy::OsEntropy;

use crate::platform::{AnswerStore, AssociationKeys, KeyError, SecretStore, StoreError};

/// Returns the store of the device secret in a directory.
#[uniffi::export]
#[must_use]
pub fn file_secrets(directory: &str) -> Arc<dyn SecretStore> {
    Arc::new(Files(FileSecrets::at(Path::new(directory))))
}

/// Returns the store of answers in a directory.
#[uniffi::export]
#[must_use]
pub fn file_answers(directory: &str) -> Arc<dyn AnswerStore> {
    Arc::new(Files(FileAnswers::at(Path::new(directory))))
}

/// Returns the association keys in a directory.
#[uniffi::export]
#[must_use]
pub fn file_association_keys(directory: &str) -> Arc<dyn AssociationKeys> {
    let entropy = Arc::new(OsEntropy);
    Arc::new(Files(FileAssociationKeys::at(
        Path::new(directory),
        entropy,
    )))
}

/// A store of the core.
struct Files<S>(S);

impl<S: core::SecretStore> SecretStore for Files<S> {
    fn load(&self) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.0.load()?)
    }

    fn save_new(&self, secret: Vec<u8>) -> Result<Vec<u8>, StoreError> {
        Ok(self.0.save_new(secret)?)
    }
}

impl<S: core::AnswerStore> AnswerStore for Files<S> {
    fn load(&self, name: String) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.0.load(name)?)
    }

    fn save_new(&self, name: String, answer: Vec<u8>) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.0.save_new(name, answer)?)
    }

    fn replace(&self, name: String, answer: Vec<u8>) -> Result<(), StoreError> {
        Ok(self.0.replace(name, answer)?)
    }

    fn remove(&self, name: String) -> Result<(), StoreError> {
        Ok(self.0.remove(name)?)
    }

    fn names(&self) -> Result<Vec<String>, StoreError> {
        Ok(self.0.names()?)
    }
}

impl<S: core::AssociationKeys> AssociationKeys for Files<S> {
    fn generate(&self, id: String) -> Result<Vec<u8>, KeyError> {
        Ok(self.0.generate(id)?)
    }

    fn public_key(&self, id: String) -> Result<Option<Vec<u8>>, KeyError> {
        Ok(self.0.public_key(id)?)
    }

    fn list(&self) -> Result<Vec<String>, KeyError> {
        Ok(self.0.list()?)
    }

    fn sign(&self, id: String, data: Vec<u8>) -> Result<Vec<u8>, KeyError> {
        Ok(self.0.sign(id, data)?)
    }
}

impl From<core::StoreError> for StoreError {
    fn from(core::StoreError { message: detail }: core::StoreError) -> Self {
        Self::Failed { detail }
    }
}

impl From<core::KeyError> for KeyError {
    fn from(error: core::KeyError) -> Self {
        match error {
            core::KeyError::Unknown => Self::Unknown,
            core::KeyError::UserAuthenticationRequired => Self::UserAuthenticationRequired,
            core::KeyError::Failed { message: detail } => Self::Failed { detail },
        }
    }
}
