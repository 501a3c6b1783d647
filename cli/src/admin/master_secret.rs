//! Replacing the deployment's secret from which the webhook secrets of apps derive.

use std::sync::Arc;

use async_trait::async_trait;
use countersign_domain::app::App;
use countersign_domain::app::webhook_secrets::SecretRefusal;
use countersign_domain::delivery::master_secret::{MasterSecret, MasterSecrets};

use super::answer::{AdminAnswer, MasterSecretView};
use super::{Admin, AdminError};
use crate::data_dir::DataDir;
use crate::master_secret::{MasterSecretError, MasterSecretFile, place};

/// A decision about the secrets in force. The list is empty if they were lost.
pub(crate) type Decide =
    dyn Fn(Option<MasterSecrets>) -> Result<MasterSecrets, SecretRefusal> + Send + Sync;

/// The place of the deployment's secret for webhooks.
#[async_trait]
pub(crate) trait MasterSecretStore: Send + Sync {
    /// Returns the secrets in force.
    async fn in_force(&self) -> Result<Arc<MasterSecrets>, AdminError>;

    /// Changes the secrets by a decision, and returns them as they are then. If another administrator changes
    /// them meanwhile, the decision MUST be made again.
    async fn change(&self, decide: &Decide) -> Result<MasterSecrets, AdminError>;
}

#[async_trait]
impl MasterSecretStore for MasterSecretFile {
    async fn in_force(&self) -> Result<Arc<MasterSecrets>, AdminError> {
        Ok(Self::in_force(self))
    }

    async fn change(&self, decide: &Decide) -> Result<MasterSecrets, AdminError> {
        Ok(Self::change(self, |secrets| decide(Some(secrets)))?)
    }
}

/// A data directory whose secret for webhooks was lost, or cannot be read.
pub(crate) struct LostMasterSecret(pub(crate) DataDir);

#[async_trait]
impl MasterSecretStore for LostMasterSecret {
    async fn in_force(&self) -> Result<Arc<MasterSecrets>, AdminError> {
        let missing = || MasterSecretError::Missing(place(&self.0));
        let read = MasterSecretFile::read(&self.0)?.ok_or_else(missing)?;
        Ok(read.in_force())
    }

    async fn change(&self, decide: &Decide) -> Result<MasterSecrets, AdminError> {
        let made = decide(None).map_err(MasterSecretError::from)?;
        MasterSecretFile::write(&self.0, made.clone())?;
        Ok(made)
    }
}

impl Admin {
    pub(super) async fn replace_master_secret(&self) -> Result<AdminAnswer, AdminError> {
        let new = MasterSecret::generate(self.entropy.as_ref());
        let decide = move |before: Option<MasterSecrets>| match before {
            Some(before) => before.replaced(new.clone()),
            None => Ok(new.clone().into()),
        };
        self.change_master_secret(&decide).await
    }

    pub(super) async fn retire_master_secret(&self) -> Result<AdminAnswer, AdminError> {
        let decide = |before: Option<MasterSecrets>| match before {
            Some(before) => before.retired(),
            None => Err(SecretRefusal::OneInForce),
        };
        self.change_master_secret(&decide).await
    }

    async fn change_master_secret(&self, decide: &Decide) -> Result<AdminAnswer, AdminError> {
        let secrets = self.master_secret_store()?.change(decide).await?;
        // An error must not hide that the change was made.
        let apps = self.store.list_apps().await.ok();
        let names = |(apps, _): (Vec<Arc<App>>, usize)| {
            let apps = apps.iter();
            apps.map(|app| app.id.to_string()).collect()
        };
        Ok(AdminAnswer::MasterSecret(MasterSecretView {
            secrets_in_force: secrets.count(),
            unreadable: apps.as_ref().map_or(0, |(_, unreadable)| *unreadable),
            apps: apps.map(names),
        }))
    }

    /// Returns the secrets from which the apps' secrets derive.
    pub(super) async fn master_secrets(&self) -> Result<Arc<MasterSecrets>, AdminError> {
        self.master_secret_store()?.in_force().await
    }

    fn master_secret_store(&self) -> Result<&dyn MasterSecretStore, AdminError> {
        let store = self.master_secret.as_deref();
        store.ok_or(AdminError::NoWebhookSecret)
    }
}
