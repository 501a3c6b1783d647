//! Showing, rotating and retiring the secrets that sign an app's webhooks.

use std::fmt;

use countersign_domain::app::App;
use countersign_domain::app::webhook_secrets::{SecretRefusal, SecretsInForce};
use countersign_domain::delivery::master_secret::MasterSecrets;
use countersign_domain::primitives::ids::AppId;
use serde::{Deserialize, Serialize};

use super::request::{Answer, Needs, Offer, Request};
use super::{Admin, AdminError};

/// Shows the secrets.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ShowWebhookSecret {
    pub(crate) app: AppId,
}

/// Signs with a new secret in addition to the present one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RotateWebhookSecret {
    pub(crate) app: AppId,
}

/// Signs with the newest secret only.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RetireWebhookSecret {
    pub(crate) app: AppId,
}

/// The secrets that sign an app's webhooks, newest first. `Debug` hides them.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WebhookSecrets {
    webhook_secrets: Vec<String>,
}

impl fmt::Debug for WebhookSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecrets(…)")
    }
}

/// Prints one secret per line, so that scripts can read it too.
impl Answer for WebhookSecrets {
    fn text(&self) -> String {
        self.webhook_secrets.join("\n")
    }
}

impl Request for ShowWebhookSecret {
    const NAME: &'static str = "show_webhook_secret";
    const NEEDS: Needs = Needs::MasterSecret;
    const OFFER: Offer = Offer::Never;
    type Answer = WebhookSecrets;

    async fn execute(self, admin: &Admin) -> Result<WebhookSecrets, AdminError> {
        let app = admin.find_app(&self.app).await?;
        Ok(shown(&*admin.master_secrets().await?, &app))
    }
}

impl Request for RotateWebhookSecret {
    const NAME: &'static str = "rotate_webhook_secret";
    const CHANGES: bool = true;
    const NEEDS: Needs = Needs::MasterSecret;
    type Answer = WebhookSecrets;

    async fn execute(self, admin: &Admin) -> Result<WebhookSecrets, AdminError> {
        let change = SecretsInForce::rotated;
        admin.change_webhook_secret(&self.app, change).await
    }
}

impl Request for RetireWebhookSecret {
    const NAME: &'static str = "retire_webhook_secret";
    const CHANGES: bool = true;
    const NEEDS: Needs = Needs::MasterSecret;
    type Answer = WebhookSecrets;

    async fn execute(self, admin: &Admin) -> Result<WebhookSecrets, AdminError> {
        let change = SecretsInForce::retired;
        admin.change_webhook_secret(&self.app, change).await
    }
}

impl Admin {
    async fn change_webhook_secret(
        &self,
        id: &AppId,
        change: impl Fn(SecretsInForce) -> Result<SecretsInForce, SecretRefusal> + Send,
    ) -> Result<WebhookSecrets, AdminError> {
        let master = self.master_secrets().await?;
        let decide = |app: App| {
            Ok(App {
                webhook_secrets: change(app.webhook_secrets)?,
                ..app
            })
        };
        Ok(shown(&master, &self.change_app(id, decide).await?))
    }
}

fn shown(master: &MasterSecrets, app: &App) -> WebhookSecrets {
    let secrets = master.of_app(app).map(|secret| secret.reveal().to_string());
    WebhookSecrets {
        webhook_secrets: secrets.collect(),
    }
}
