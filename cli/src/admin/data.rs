//! Administration of the apps and keys in a data directory.

use std::sync::Arc;

use countersign_domain::app::code::CodePrefix;
use countersign_domain::app::senders::Recipient;
use countersign_domain::web::callback_url::CallbackPolicy;
use countersign_system::clock::SystemClock;
use countersign_system::entropy::OsEntropy;

use super::argument::Sender;
use super::{Admin, Defaults, Host, LostMasterSecret, MasterSecretStore, ProviderPlace, Running};
use crate::data_dir::DataDir;
use crate::demo::{self, DemoFile};
use crate::master_secret::MasterSecretError;
use crate::server_address::link_hosts;
use crate::storage::{OpenedStorage, Storage, StorageError};

impl Admin {
    /// Returns the administration of opened storage; `local` is true if its server is in local
    /// mode.
    pub(crate) fn of_storage(storage: &Storage, local: bool, running: Option<Running>) -> Self {
        let (opened, secret) = (&storage.opened, storage.webhook_secret.clone());
        Self::of_opened(opened, secret, local, running)
    }

    fn of_opened(
        storage: &OpenedStorage,
        master_secret: Arc<dyn MasterSecretStore>,
        local: bool,
        running: Option<Running>,
    ) -> Self {
        let callbacks = if local {
            CallbackPolicy::local()
        } else {
            CallbackPolicy::deployed()
        };
        Self {
            store: storage.store.clone(),
            host: Host::Machine(Arc::clone(&storage.items)),
            signing_keys: Some(storage.signer.clone()),
            openid_keys: Some(storage.openid.clone()),
            master_secret: Some(master_secret),
            clock: match &running {
                Some(running) => Arc::clone(&running.clock),
                None => Arc::new(SystemClock),
            },
            entropy: Arc::new(OsEntropy),
            callbacks,
            link_hosts: Vec::new(),
            defaults: if local {
                local_defaults()
            } else {
                Defaults::default()
            },
            providers: ProviderPlace::Data(storage.data.clone()),
            running,
        }
    }

    /// Returns the administration of a stopped server's storage, in local mode if the server was.
    pub(super) fn of_stopped(
        storage: &OpenedStorage,
        data: &DataDir,
    ) -> Result<Self, StorageError> {
        let master_secret: Arc<dyn MasterSecretStore> = match storage.webhook_secret(data) {
            Ok(Some(found)) => Arc::new(found),
            Ok(None) | Err(StorageError::WebhookSecret(MasterSecretError::Malformed { .. })) => {
                Arc::new(LostMasterSecret(data.clone()))
            }
            Err(error) => return Err(error),
        };
        let demo = DemoFile::read(data)?;
        let link_hosts = demo.as_ref().map(|file| link_hosts(&file.pages));
        Ok(Self {
            link_hosts: link_hosts.unwrap_or_default(),
            ..Self::of_opened(storage, master_secret, demo.is_some(), None)
        })
    }
}

/// Returns the defaults for a new app in local mode.
fn local_defaults() -> Defaults {
    let number = demo::NUMBER.parse::<Recipient>().ok();
    let for_every_country = |number| Sender {
        country: None,
        number,
    };
    Defaults {
        senders: number.map(for_every_country).into_iter().collect(),
        prefix: CodePrefix::default(),
    }
}
