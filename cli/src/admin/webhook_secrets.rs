//! Showing, rotating and retiring the secrets that sign an app's webhooks.

use countersign_domain::app::App;
use countersign_domain::app::webhook_secrets::{SecretRefusal, SecretsInForce};
use countersign_domain::delivery::master_secret::MasterSecrets;
use countersign_domain::primitives::ids::AppId;

use super::answer::{AdminAnswer, WebhookSecretsView};
use super::{Admin, AdminError};

impl Admin {
    pub(super) async fn show_webhook_secret(&self, id: &AppId) -> Result<AdminAnswer, AdminError> {
        let app = self.find_app(id).await?;
        Ok(shown(&*self.master_secrets().await?, &app))
    }

    pub(super) async fn change_webhook_secret(
        &self,
        id: &AppId,
        change: impl Fn(SecretsInForce) -> Result<SecretsInForce, SecretRefusal>,
    ) -> Result<AdminAnswer, AdminError> {
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

fn shown(master: &MasterSecrets, app: &App) -> AdminAnswer {
    let secrets = master.of_app(app).map(|secret| secret.reveal().to_string());
    AdminAnswer::WebhookSecrets(WebhookSecretsView {
        webhook_secrets: secrets.collect(),
    })
}
