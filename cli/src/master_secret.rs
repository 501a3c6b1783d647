//! The secret from which the webhook secrets of apps derive: `DATA/webhook-secret`. The file has one line, or two
//! while the secret is being replaced, new secret first.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use countersign_domain::app::webhook_secrets::SecretRefusal;
use countersign_domain::delivery::master_secret::{
    MalformedMasterSecret, MasterSecret, MasterSecrets,
};
use countersign_domain::primitives::entropy::Entropy;
use thiserror::Error;

use crate::data_dir::{DataDir, DataDirError, WEBHOOK_SECRET};

/// Why the file cannot be used.
#[derive(Debug, Error)]
pub(crate) enum MasterSecretError {
    #[error(transparent)]
    Data(#[from] DataDirError),
    #[error("{path} is corrupt; restore it from a backup", path = .path.display())]
    Malformed {
        path: PathBuf,
        #[source]
        cause: MalformedMasterSecret,
    },
    #[error(
        "{path} is missing, and webhooks cannot be signed without it: restore it from a backup, or make another \
         with `countersign webhook-secret replace` while no server runs; each app's server then needs its new secret",
        path = .0.display()
    )]
    Missing(PathBuf),
    #[error(
        "{path} was changed, and the server signs with what it read at its start: put back what was there, or \
         restart the server",
        path = .0.display()
    )]
    Changed(PathBuf),
    #[error(transparent)]
    Refused(#[from] SecretRefusal),
}

/// The secrets in the file; only this process changes the file.
#[derive(Debug)]
pub(crate) struct MasterSecretFile {
    data: DataDir,
    /// Locked while the file is written, so that changes cannot interleave.
    in_force: Mutex<Arc<MasterSecrets>>,
}

impl MasterSecretFile {
    /// Reads the file; `None` if it does not exist.
    pub(crate) fn read(data: &DataDir) -> Result<Option<Self>, MasterSecretError> {
        let read = read(data)?;
        Ok(read.map(|secrets| Self::new(data, secrets)))
    }

    /// Creates the file with a new secret.
    pub(crate) fn make(data: &DataDir, entropy: &dyn Entropy) -> Result<Self, MasterSecretError> {
        Self::write(data, MasterSecret::generate(entropy).into())
    }

    /// Writes the file with these secrets.
    pub(crate) fn write(data: &DataDir, secrets: MasterSecrets) -> Result<Self, MasterSecretError> {
        data.write(WEBHOOK_SECRET, &secrets.reveal())?;
        Ok(Self::new(data, secrets))
    }

    fn new(data: &DataDir, secrets: MasterSecrets) -> Self {
        Self {
            data: data.clone(),
            in_force: Mutex::new(Arc::new(secrets)),
        }
    }

    pub(crate) fn in_force(&self) -> Arc<MasterSecrets> {
        Arc::clone(&self.lock())
    }

    /// Changes the secrets with `decide`, and returns the new secrets.
    pub(crate) fn change(
        &self,
        decide: impl FnOnce(MasterSecrets) -> Result<MasterSecrets, SecretRefusal>,
    ) -> Result<MasterSecrets, MasterSecretError> {
        let mut in_force = self.lock();
        let changed = decide(MasterSecrets::clone(&in_force))?;
        self.data.write(WEBHOOK_SECRET, &changed.reveal())?;
        *in_force = Arc::new(changed.clone());
        Ok(changed)
    }

    /// Checks that the file still contains the secrets in force.
    pub(crate) fn check(&self) -> Result<(), MasterSecretError> {
        let in_force = self.lock();
        match read(&self.data)? {
            None => Err(MasterSecretError::Missing(place(&self.data))),
            Some(found) if found.reveal() == in_force.reveal() => Ok(()),
            Some(_) => Err(MasterSecretError::Changed(place(&self.data))),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Arc<MasterSecrets>> {
        self.in_force.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the path of the file.
pub(crate) fn place(data: &DataDir) -> PathBuf {
    data.path().join(WEBHOOK_SECRET)
}

fn read(data: &DataDir) -> Result<Option<MasterSecrets>, MasterSecretError> {
    let Some(text) = data.read(WEBHOOK_SECRET)? else {
        return Ok(None);
    };
    let secrets = text.parse();
    let secrets = secrets.map_err(|cause| MasterSecretError::Malformed {
        path: place(data),
        cause,
    })?;
    Ok(Some(secrets))
}
