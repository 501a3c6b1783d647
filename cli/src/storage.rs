//! Opening the store and the signing keys of a data directory.

use std::path::PathBuf;
use std::sync::Arc;

use countersign_domain::delivery::master_secret::{MalformedMasterSecret, MasterSecret};
use countersign_domain::primitives::time::Clock;
use countersign_domain::store::Store;
use countersign_embedded::keys::{KeyError, KeyFileSigner};
use countersign_embedded::store::{Beginning, OpenError, SqliteItems};
use countersign_system::clock::SystemClock;
use countersign_system::entropy::OsEntropy;
use thiserror::Error;

use crate::data_dir::{DataDir, DataDirError, DataLock, WEBHOOK_SECRET};

/// Why storage cannot be opened.
#[derive(Debug, Error)]
pub(crate) enum StorageError {
    /// The store could not be opened.
    #[error("cannot open the store in {data}")]
    Store {
        /// The data directory.
        data: String,
        #[source]
        cause: OpenError,
    },
    /// The store is missing, but its keys exist.
    #[error(
        "{store}, but {key} exists, which is created after it: the store was lost. Restore it \
         from a backup into another directory (`countersign restore FILE --data DIRECTORY`), or \
         start once with `countersign serve --new-store`, which starts without any app, API key \
         or confirmation",
        key = key.display()
    )]
    Lost {
        /// The missing store.
        store: OpenError,
        /// A key file that proves that the store existed.
        key: PathBuf,
    },
    /// The data directory cannot be used.
    #[error(transparent)]
    Data(#[from] DataDirError),
    #[error("{path} is not as it was written; restore it from a backup", path = path.display())]
    WebhookSecret {
        /// The file with the secret from which the webhook secrets of apps derive.
        path: PathBuf,
        #[source]
        cause: MalformedMasterSecret,
    },
    /// The signing keys could not be opened.
    #[error("cannot open the signing keys in {data}")]
    SigningKeys {
        /// The data directory.
        data: String,
        #[source]
        cause: KeyError,
    },
}

/// The opened store and signing keys.
#[derive(Clone, Debug)]
pub(crate) struct Storage {
    /// Confirmations, logins, apps and what else is kept.
    pub(crate) store: Arc<Store>,
    /// The documents that the store changes.
    pub(crate) items: Arc<SqliteItems>,
    /// The keys that sign webhooks.
    pub(crate) signer: Arc<KeyFileSigner>,
    /// What the webhook secrets of apps derive from.
    pub(crate) webhook_secret: MasterSecret,
}

/// Policy for a store that is missing although its keys exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lost {
    /// Refuse to start, so that an operator decides.
    Refused,
    /// Create a new store, as the operator asked.
    BeginNew,
}

/// Opens the storage and creates what is missing: first the store, then the keys, so that an
/// interrupted first start looks different from a lost store. The caller holds the directory's
/// lock.
pub(crate) fn open(
    data: &DataDir,
    _lock: &DataLock,
    lost: Lost,
    clock: Arc<dyn Clock>,
) -> Result<Storage, StorageError> {
    let name = || data.path().display().to_string();
    let first_key = data.first_key()?;
    let beginning = match (&first_key, lost) {
        (Some(_), Lost::Refused) => Beginning::Existing,
        (None, _) | (_, Lost::BeginNew) => Beginning::MayBeNew,
    };
    let opened = SqliteItems::open_in(data.files(), beginning);
    let items = opened.map_err(|cause| match (cause, first_key) {
        (store @ OpenError::Missing { .. }, Some(key)) => StorageError::Lost { store, key },
        (cause, _) => StorageError::Store {
            data: name(),
            cause,
        },
    })?;
    let now = SystemClock.now();
    let steady = items.steady(now).map_err(|cause| StorageError::Store {
        data: name(),
        cause: OpenError::Unreadable(cause.into()),
    })?;
    let keys = data.signing_keys()?;
    let signer = KeyFileSigner::open(keys, &OsEntropy, now, steady);
    let signer = signer.map_err(|cause| StorageError::SigningKeys {
        data: name(),
        cause,
    })?;
    let webhook_secret = read_or_make_secret(data)?;
    let items = Arc::new(items);
    Ok(Storage {
        store: Arc::new(Store::alone(items.clone(), clock)),
        items,
        signer: Arc::new(signer),
        webhook_secret,
    })
}

/// Reads the secret of webhooks, and writes a new one if there is none.
fn read_or_make_secret(data: &DataDir) -> Result<MasterSecret, StorageError> {
    if let Some(text) = data.read(WEBHOOK_SECRET)? {
        let secret = text.trim().parse();
        return secret.map_err(|cause| StorageError::WebhookSecret {
            path: data.path().join(WEBHOOK_SECRET),
            cause,
        });
    }
    let secret = MasterSecret::generate(&OsEntropy);
    data.write(WEBHOOK_SECRET, &format!("{}\n", secret.reveal()))?;
    Ok(secret)
}

#[cfg(test)]
mod tests;
