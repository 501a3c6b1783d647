//! Watches the files of the running server. Others may move, remove, replace or modify them: a cleanup script, a
//! restore into the directory of a running server, an unmounted disk.
//!
//! While the files are wrong, the server refuses writes, so that it acknowledges nothing that would be missing after
//! a restart. The store itself checks its files with each batch of writes. This module detects all other problems,
//! logs the cause, and allows writes again once the problem is gone.
//!
//! docs/adr/0114-a-server-watches-its-files.md

use std::sync::Arc;
use std::time::Duration;

use countersign_api::Causes;
use countersign_embedded::keys::KeyError;
use countersign_embedded::openid::OpenIdFilesError;
use countersign_embedded::store::Refusal;
use countersign_system::private_files::{FileIdentity, PrivateFileError};
use thiserror::Error;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

use super::Server;
use super::http::stop_requested;
use super::supervise::keep_running;
use crate::data_dir::{
    ADMIN_SOCKET, DataDir, DataDirError, DataLock, INBOUND_SECRET, OPENID, PROVIDERS, SIGNING_KEYS,
    WEBHOOK_SECRET,
};
use crate::inbound_secret::{self, SecretError};
use crate::master_secret::MasterSecretError;
use crate::metrics::{Counters, ServerEvent};
use crate::providers::{self, LiveProviders, ProvidersError};
use crate::storage::Storage;

const INTERVAL: Duration = Duration::from_secs(1);

/// A problem with the files of the running server.
#[derive(Debug, Error)]
enum Trouble {
    #[error(transparent)]
    Data(#[from] DataDirError),
    #[error("the file system of {0} is read-only")]
    ReadOnly(String),
    #[error(transparent)]
    SigningKey(#[from] KeyError),
    #[error(transparent)]
    OpenId(#[from] OpenIdFilesError),
    #[error(transparent)]
    WebhookSecret(#[from] MasterSecretError),
    #[error(transparent)]
    InboundSecret(#[from] SecretError),
    #[error(transparent)]
    Providers(#[from] ProvidersError),
}

impl From<PrivateFileError> for Trouble {
    fn from(error: PrivateFileError) -> Self {
        Self::Data(error.into())
    }
}

impl Trouble {
    fn refusal(&self, data: &DataDir) -> Refusal {
        let named = |what: &str| Refusal {
            what: what.to_owned(),
            cause: Causes(self).to_string(),
        };
        match self {
            Self::Data(DataDirError::File(error)) | Self::SigningKey(KeyError::File(error)) => {
                Refusal {
                    cause: Causes(self).to_string(),
                    ..Refusal::new(error, data.files())
                }
            }
            Self::Data(_) => named("the data directory"),
            Self::ReadOnly(_) => named("the file system, which is read-only"),
            Self::SigningKey(_) => named(SIGNING_KEYS),
            Self::OpenId(_) => named(OPENID),
            Self::WebhookSecret(_) => named(WEBHOOK_SECRET),
            Self::InboundSecret(_) => named(INBOUND_SECRET),
            Self::Providers(_) => named(PROVIDERS),
        }
    }
}

/// Checks the files periodically.
pub(super) struct DataWatch {
    data: DataDir,
    lock: FileIdentity,
    socket: Option<FileIdentity>,
    storage: Storage,
    counters: Arc<Counters>,
    providers: Arc<LiveProviders>,
}

/// The last report in the log.
#[derive(Default)]
struct Reported {
    refusal: Option<Refusal>,
    no_socket: bool,
}

impl DataWatch {
    /// Takes the files' present state as the reference; call it once the admin socket exists.
    pub(super) fn new(data: &DataDir, lock: &DataLock, server: &Server) -> Self {
        Self {
            data: data.clone(),
            lock: lock.identity,
            socket: data.files().identity(ADMIN_SOCKET).ok(),
            storage: server.storage.clone(),
            counters: Arc::clone(&server.counters),
            providers: Arc::clone(&server.providers),
        }
    }

    /// Starts the checks, until `stopping`.
    pub(super) fn start(self, stopping: watch::Receiver<bool>) {
        let watch = Arc::new(self);
        tokio::spawn(keep_running("files", move || {
            Arc::clone(&watch).run(stopping.clone())
        }));
    }

    async fn run(self: Arc<Self>, mut stopping: watch::Receiver<bool>) {
        let mut second = interval(INTERVAL);
        second.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut told = Reported::default();
        loop {
            tokio::select! {
                _ = second.tick() => self.look(&mut told),
                () = stop_requested(&mut stopping) => return,
            }
        }
    }

    /// Makes about fifty system calls, which the file system answers from memory.
    fn look(&self, told: &mut Reported) {
        let trouble = self.find().err();
        let refusal = trouble.map(|trouble| trouble.refusal(&self.data));
        self.storage.items.refuse_writes(refusal.clone());
        if refusal != told.refusal {
            match &refusal {
                Some(Refusal { cause, .. }) => {
                    self.counters.count_server(ServerEvent::FilesChanged, 1);
                    tracing::error!(
                        %cause,
                        "somebody changed the files of the running server, which refuses writes until they are as \
                         they were: undo it, or stop the server and restore what is missing from a backup"
                    );
                }
                None => {
                    tracing::info!(
                        "the server's files are as they were: writes are accepted again"
                    );
                }
            }
            told.refusal = refusal;
        }
        self.look_for_socket(told);
    }

    fn find(&self) -> Result<(), Trouble> {
        self.storage.items.check_place()?;
        self.data.check_again()?;
        self.data.check_lock(self.lock)?;
        if self.data.is_read_only()? {
            let directory = self.data.path().display().to_string();
            return Err(Trouble::ReadOnly(directory));
        }
        self.storage.signer.check_files()?;
        self.storage.openid.check_files()?;
        self.storage.webhook_secret.check()?;
        inbound_secret::check_present(&self.data)?;
        if self.providers.has_file() {
            providers::check_present(&self.data)?;
        }
        Ok(())
    }

    /// Without the socket, commands cannot reach the server. Everything acknowledged is safe, so the
    /// server continues.
    fn look_for_socket(&self, told: &mut Reported) {
        let Some(socket) = self.socket else { return };
        let gone = self.data.files().check_same(ADMIN_SOCKET, socket).err();
        if gone.is_some() == told.no_socket {
            return;
        }
        told.no_socket = gone.is_some();
        if let Some(error) = gone {
            tracing::error!(cause = %error, "commands do not reach the server until it is started again");
        }
    }
}
