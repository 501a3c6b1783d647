//! What is kept in the data directory, opened.

use std::path::PathBuf;
use std::sync::Arc;

use countersign_domain::primitives::time::Clock as _;
use countersign_embedded::keys::{KeyError, KeyFileSigner};
use countersign_embedded::store::{Beginning, EmbeddedStore, OpenError};
use countersign_system::clock::SystemClock;
use countersign_system::entropy::OsEntropy;
use thiserror::Error;

use crate::data_dir::{DataDir, DataDirError, DataLock};

/// Why what is kept cannot be opened.
#[derive(Debug, Error)]
pub(crate) enum StorageError {
    /// The store.
    #[error("cannot open the store in {data}")]
    Store {
        /// The data directory.
        data: String,
        /// Why.
        #[source]
        cause: OpenError,
    },
    /// The store was lost and its keys were not.
    #[error(
        "{store}, but {key} is there, which is made after it: the store was lost. Put it back \
         from a backup into another directory (`countersign restore FILE --data DIRECTORY`), or \
         start once with `countersign serve --new-store`, which begins without any app, API key \
         or confirmation",
        key = key.display()
    )]
    Lost {
        /// What is missing.
        store: OpenError,
        /// What shows that it was there.
        key: PathBuf,
    },
    /// The data directory.
    #[error(transparent)]
    Data(#[from] DataDirError),
    /// The signing keys.
    #[error("cannot open the signing keys in {data}")]
    SigningKeys {
        /// The data directory.
        data: String,
        /// Why.
        #[source]
        cause: KeyError,
    },
}

/// Store and signing keys.
#[derive(Clone, Debug)]
pub(crate) struct Storage {
    /// Confirmations, apps and API keys.
    pub(crate) store: Arc<EmbeddedStore>,
    /// The keys that webhooks are signed with.
    pub(crate) signer: Arc<KeyFileSigner>,
}

/// What to do about a store that is missing where its keys are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lost {
    /// Nothing: an operator decides.
    Refused,
    /// Make a new one. The operator said so.
    BeginNew,
}

/// Opens what is kept, and makes what is not there yet: first the store, then the keys, so that a
/// first start that was cut short can be told from a store that was lost. Whoever calls this holds
/// the directory's lock.
pub(crate) fn open(data: &DataDir, _lock: &DataLock, lost: Lost) -> Result<Storage, StorageError> {
    let name = || data.path().display().to_string();
    let first_key = data.first_key()?;
    let beginning = match (&first_key, lost) {
        (Some(_), Lost::Refused) => Beginning::Existing,
        (None, _) | (_, Lost::BeginNew) => Beginning::MayBeNew,
    };
    let opened = EmbeddedStore::open_in(data.files(), beginning);
    let store = opened.map_err(|cause| match (cause, first_key) {
        (store @ OpenError::Missing { .. }, Some(key)) => StorageError::Lost { store, key },
        (cause, _) => StorageError::Store {
            data: name(),
            cause,
        },
    })?;
    let now = SystemClock.now();
    let steady = store.steady(now).map_err(|cause| StorageError::Store {
        data: name(),
        cause: OpenError::Unreadable(cause.into()),
    })?;
    let keys = data.signing_keys()?;
    let signer = KeyFileSigner::open(keys, &OsEntropy, now, steady);
    let signer = signer.map_err(|cause| StorageError::SigningKeys {
        data: name(),
        cause,
    })?;
    Ok(Storage {
        store: Arc::new(store),
        signer: Arc::new(signer),
    })
}

#[cfg(test)]
mod tests;
