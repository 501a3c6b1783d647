//! Replacing the deployment's secret from which the webhook secrets of apps derive.

use std::sync::Arc;

use async_trait::async_trait;
use clap::Args;
use countersign_domain::app::App;
use countersign_domain::app::webhook_secrets::SecretRefusal;
use countersign_domain::delivery::master_secret::{MasterSecret, MasterSecrets};
use serde::{Deserialize, Serialize};

use super::request::{Answer, Needs, Request};
use super::{Admin, AdminError};
use crate::data_dir::DataDir;
use crate::master_secret::{MasterSecretError, MasterSecretFile, place};

/// Decides how to change the secrets in force. The list is empty if the secrets were lost.
pub(crate) type Decide =
    dyn Fn(Option<MasterSecrets>) -> Result<MasterSecrets, SecretRefusal> + Send + Sync;

/// The storage of the deployment's webhook secret.
#[async_trait]
pub(crate) trait MasterSecretStore: Send + Sync {
    /// Returns the secrets in force.
    async fn in_force(&self) -> Result<Arc<MasterSecrets>, AdminError>;

    /// Changes the secrets with `decide`, and returns the new secrets. If another administrator changes them
    /// in the meantime, the implementation MUST call `decide` again.
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

/// A data directory with a missing or unreadable webhook secret.
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

/// The arguments of `webhook-secret replace`.
#[derive(Clone, Debug, Args, Serialize, Deserialize)]
pub(crate) struct ReplaceMasterSecret {}

/// The arguments of `webhook-secret retire`.
#[derive(Clone, Debug, Args, Serialize, Deserialize)]
pub(crate) struct RetireMasterSecret {}

/// The result of changing the deployment's secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChangedSecret {
    /// The number of secrets from which the apps' secrets derive.
    secrets_in_force: usize,
    /// The apps with a new secret; `None` if the apps cannot be listed.
    apps: Option<Vec<String>>,
    /// The number of apps that cannot be read.
    unreadable: usize,
}

impl Answer for ChangedSecret {
    fn text(&self) -> String {
        let is_one = self.secrets_in_force == 1;
        let mut text = if is_one {
            "one secret is in force, and webhooks are signed only by what derives from it\n"
        } else {
            "two secrets are in force, and webhooks are signed by what derives from each\n"
        }
        .to_owned();
        text.push_str(
            "Each app's server needs its new secret, the first line of `countersign app webhook-secret APP`:",
        );
        match &self.apps {
            None => text.push_str(" all apps, which cannot be listed"),
            Some(apps) if apps.is_empty() && self.unreadable == 0 => {
                text.push_str(" there are no apps");
            }
            Some(apps) => text.extend(apps.iter().map(|app| format!("\n  {app}"))),
        }
        if self.unreadable > 0 {
            text.extend([format!("\n  and {} that cannot be read", self.unreadable)]);
        }
        if !is_one {
            text.push_str("\nNext, once all of them have it: countersign webhook-secret retire");
        }
        text
    }
}

impl Request for ReplaceMasterSecret {
    const NAME: &'static str = "replace_master_secret";
    const CHANGES: bool = true;
    const NEEDS: Needs = Needs::MasterSecret;
    type Answer = ChangedSecret;

    async fn execute(self, admin: &Admin) -> Result<ChangedSecret, AdminError> {
        let new = MasterSecret::generate(admin.entropy.as_ref());
        let decide = move |before: Option<MasterSecrets>| match before {
            Some(before) => before.replaced(new.clone()),
            None => Ok(new.clone().into()),
        };
        admin.change_master_secret(&decide).await
    }
}

impl Request for RetireMasterSecret {
    const NAME: &'static str = "retire_master_secret";
    const CHANGES: bool = true;
    const NEEDS: Needs = Needs::MasterSecret;
    type Answer = ChangedSecret;

    async fn execute(self, admin: &Admin) -> Result<ChangedSecret, AdminError> {
        let decide = |before: Option<MasterSecrets>| match before {
            Some(before) => before.retired(),
            None => Err(SecretRefusal::OneInForce),
        };
        admin.change_master_secret(&decide).await
    }
}

impl Admin {
    async fn change_master_secret(&self, decide: &Decide) -> Result<ChangedSecret, AdminError> {
        let secrets = self.master_secret_store()?.change(decide).await?;
        // An error here must not hide the change.
        let apps = self.store.list_apps().await.ok();
        let names = |(apps, _): (Vec<Arc<App>>, usize)| {
            let apps = apps.iter();
            apps.map(|app| app.id.to_string()).collect()
        };
        Ok(ChangedSecret {
            secrets_in_force: secrets.count(),
            unreadable: apps.as_ref().map_or(0, |(_, unreadable)| *unreadable),
            apps: apps.map(names),
        })
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
