//! What is kept in the data directory, opened.

use std::sync::Arc;

use async_trait::async_trait;
use countersign_domain::callback_url::CallbackPolicy;
use countersign_domain::ports::Unavailable;
use countersign_embedded::keys::{KeyError, KeyFileSigner};
use countersign_embedded::store::{EmbeddedStore, OpenError};
use countersign_system::clock::SystemClock;
use countersign_system::entropy::OsEntropy;
use thiserror::Error;

use crate::admin::{Admin, Defaults, Running, SigningKeys};
use crate::data_dir::{DataDir, DataDirError, DataLock};
use crate::demo::{self, DemoFile};

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

/// Opens what is kept, and makes what is not there yet. Whoever calls this holds the directory's
/// lock.
pub(crate) fn open(data: &DataDir, _lock: &DataLock) -> Result<Storage, StorageError> {
    let name = || data.path().display().to_string();
    let store = EmbeddedStore::open(data.path()).map_err(|cause| StorageError::Store {
        data: name(),
        cause,
    })?;
    let signer = KeyFileSigner::open(&data.signing_keys(), &OsEntropy).map_err(|cause| {
        StorageError::SigningKeys {
            data: name(),
            cause,
        }
    })?;
    Ok(Storage {
        store: Arc::new(store),
        signer: Arc::new(signer),
    })
}

impl Storage {
    /// The administration of a server that is in local mode, or is not.
    pub(crate) fn administration(&self, local: bool, running: Option<Running>) -> Admin {
        let callbacks = if local {
            CallbackPolicy::local()
        } else {
            CallbackPolicy::deployed()
        };
        Admin {
            apps: self.store.clone(),
            signing_keys: Some(self.signer.clone()),
            clock: Arc::new(SystemClock),
            entropy: Arc::new(OsEntropy),
            callbacks,
            defaults: if local {
                demo::defaults()
            } else {
                Defaults::default()
            },
            running,
            one_change_at_a_time: tokio::sync::Mutex::default(),
        }
    }

    /// The administration of a server that is not running: in local mode if it was when it ran.
    pub(crate) fn closed_administration(&self, data: &DataDir) -> Result<Admin, DataDirError> {
        let was_local = DemoFile::read(data)?.is_some();
        Ok(self.administration(was_local, None))
    }
}

#[async_trait]
impl SigningKeys for KeyFileSigner {
    async fn rotate(&self) -> Result<(), Unavailable> {
        match Self::rotate(self, &OsEntropy) {
            Ok(_) => Ok(()),
            Err(cause) => Err(Unavailable::new("signing keys: rotate", cause)),
        }
    }
}
