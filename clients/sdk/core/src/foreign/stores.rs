//! The core's stores in files, for foreign code.

use std::path::Path;
use std::sync::Arc;

use countersign_system::entropy::OsEntropy;

use crate::files::{FileAnswers, FileAssociationKeys, FileSecrets};
use crate::ports::answers::AnswerStore;
use crate::ports::keys::AssociationKeys;
use crate::ports::secrets::SecretStore;

/// Returns the store of the device secret in a directory.
#[uniffi::export]
#[must_use]
pub fn file_secrets(directory: &str) -> Arc<dyn SecretStore> {
    Arc::new(FileSecrets::at(Path::new(directory)))
}

/// Returns the store of answers in a directory.
#[uniffi::export]
#[must_use]
pub fn file_answers(directory: &str) -> Arc<dyn AnswerStore> {
    Arc::new(FileAnswers::at(Path::new(directory)))
}

/// Returns the association keys in a directory.
#[uniffi::export]
#[must_use]
pub fn file_association_keys(directory: &str) -> Arc<dyn AssociationKeys> {
    let entropy = Arc::new(OsEntropy);
    Arc::new(FileAssociationKeys::at(Path::new(directory), entropy))
}
