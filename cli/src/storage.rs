//! Opening the store and the signing keys of a data directory.

use std::collections::BTreeSet;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;

use countersign_domain::primitives::time::Clock;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::Store;
use countersign_embedded::keys::{KeyError, KeyFileSigner};
use countersign_embedded::openid::{OpenIdFiles, OpenIdFilesError};
use countersign_embedded::store::{CreatePermission, OpenError, SqliteItems};
use countersign_system::clock::SystemClock;
use countersign_system::entropy::OsEntropy;
use thiserror::Error;

use crate::data_dir::{
    DataDir, DataDirError, DataLock, INBOUND_SECRET, OPENID, PROVIDERS, SIGNING_KEYS,
    WEBHOOK_SECRET,
};
use crate::master_secret::{self, MasterSecretError, MasterSecretFile};

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
    #[error(transparent)]
    WebhookSecret(#[from] MasterSecretError),
    #[error(
        "{key} is missing, and receivers know webhooks by it: restore it from a backup, or make another with \
         `countersign signing-key rotate` while no server runs",
        key = .0.display()
    )]
    NoSigningKey(PathBuf),
    /// The files of the `OpenID` provider could not be opened.
    #[error("cannot open the keys of the OpenID provider")]
    OpenId(#[from] OpenIdFilesError),
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
pub(crate) struct OpenedStorage {
    /// Confirmations, logins, apps and all other documents.
    pub(crate) store: Arc<Store>,
    /// The documents that the store changes.
    pub(crate) items: Arc<SqliteItems>,
    /// The keys that sign webhooks.
    pub(crate) signer: Arc<KeyFileSigner>,
    /// The keys and the secret of the `OpenID` provider.
    pub(crate) openid: Arc<OpenIdFiles>,
    /// The names of the files that belong to the store.
    pub(crate) companions: BTreeSet<String>,
    /// The directory that holds all of them.
    pub(crate) data: DataDir,
}

impl OpenedStorage {
    /// Reads the webhook secret, and creates it if the first start did not. Returns `None` if the secret
    /// was lost.
    pub(crate) fn webhook_secret(
        &self,
        data: &DataDir,
    ) -> Result<Option<MasterSecretFile>, StorageError> {
        match MasterSecretFile::read(data)? {
            None if self.companions.contains(WEBHOOK_SECRET) => Ok(None),
            None => Ok(Some(MasterSecretFile::make(data, &OsEntropy)?)),
            found => Ok(found),
        }
    }
}

/// The opened storage of a server.
#[derive(Clone, Debug)]
pub(crate) struct Storage {
    pub(crate) opened: OpenedStorage,
    /// The secrets from which the apps' webhook secrets derive.
    pub(crate) webhook_secret: Arc<MasterSecretFile>,
}

impl Storage {
    /// Records which files belong to the store, once they all exist.
    pub(crate) async fn remember_files(&self, data: &DataDir) -> Result<(), StorageError> {
        for name in [
            SIGNING_KEYS,
            WEBHOOK_SECRET,
            OPENID,
            INBOUND_SECRET,
            PROVIDERS,
        ] {
            let is_new = !self.companions.contains(name) && data.has(name)?;
            if is_new && let Err(cause) = self.items.remember_companion(name).await {
                return Err(StorageError::Store {
                    data: data.path().display().to_string(),
                    cause: OpenError::Unreadable(cause.into()),
                });
            }
        }
        Ok(())
    }
}

impl Deref for Storage {
    type Target = OpenedStorage;

    fn deref(&self) -> &OpenedStorage {
        &self.opened
    }
}

/// What to do about a store or a signing key that is missing although the others exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IfMissing {
    /// Refuse to start, so that an operator can decide.
    Refused,
    /// Create a new store, as the operator requested.
    BeginNew,
    /// Create a signing key if it is lost, as the operator requested.
    NewSigningKey,
}

/// Opens the storage and creates what is missing at a first start: first the store, then the keys, so that an
/// interrupted first start differs from a lost store. Fails if a file of the store is missing. The caller must
/// hold the directory's lock.
pub(crate) fn open(
    data: &DataDir,
    lock: &DataLock,
    if_missing: IfMissing,
    clock: Arc<dyn Clock>,
) -> Result<Storage, StorageError> {
    let opened = open_store(data, lock, if_missing, clock)?;
    let lost = || MasterSecretError::Missing(master_secret::place(data));
    let webhook_secret = opened.webhook_secret(data)?.ok_or_else(lost)?;
    Ok(Storage {
        opened,
        webhook_secret: Arc::new(webhook_secret),
    })
}

/// Opens the storage as [`open()`] does, without the webhook secret.
pub(crate) fn open_store(
    data: &DataDir,
    _lock: &DataLock,
    if_missing: IfMissing,
    clock: Arc<dyn Clock>,
) -> Result<OpenedStorage, StorageError> {
    let name = || data.path().display().to_string();
    let first_key = data.first_key()?;
    let beginning = match (&first_key, if_missing) {
        (Some(_), IfMissing::Refused | IfMissing::NewSigningKey) => CreatePermission::Existing,
        (None, _) | (_, IfMissing::BeginNew) => CreatePermission::MayBeNew,
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
    let unreadable = |cause: Unavailable| StorageError::Store {
        data: name(),
        cause: OpenError::Unreadable(cause.into()),
    };
    let steady = items.steady(now).map_err(unreadable)?;
    let companions = items.companions().map_err(unreadable)?;
    if companions.contains(SIGNING_KEYS)
        && if_missing != IfMissing::NewSigningKey
        && !data.has_signing_key()?
    {
        return Err(StorageError::NoSigningKey(data.current_signing_key()));
    }
    let keys = data.signing_keys()?;
    let signer = KeyFileSigner::open(keys, &OsEntropy, now, steady);
    let signer = signer.map_err(|cause| StorageError::SigningKeys {
        data: name(),
        cause,
    })?;
    let may_begin = !companions.contains(OPENID);
    let provider = OpenIdFiles::open(data.openid()?, may_begin, &OsEntropy, Arc::clone(&clock))?;
    let items = Arc::new(items);
    Ok(OpenedStorage {
        store: Arc::new(Store::alone(items.clone(), clock)),
        items,
        signer: Arc::new(signer),
        openid: Arc::new(provider),
        companions,
        data: data.clone(),
    })
}

#[cfg(test)]
mod tests;
