//! Administration of apps and keys: the one place for its rules. Commands arrive over the running
//! server's socket or from a command that opened the data of a stopped server.

pub(crate) mod answer;
mod apps;
pub(crate) mod argument;
mod association_keys;
mod audit;
pub(crate) mod client;
pub(crate) mod command;
mod data;
mod error;
mod keys;
mod master_secret;
mod redactions;
mod running;
pub(crate) mod socket;
#[cfg_attr(not(feature = "aws"), path = "admin/no_table.rs")]
pub(crate) mod table;
pub(crate) mod target;
#[cfg(test)]
mod tests;
mod texts;
pub(crate) mod user;
mod webhook_secrets;

use std::fmt::Display;
use std::sync::Arc;

use countersign_domain::app::api_key::KeyMode;
use countersign_domain::app::code::CodePrefix;
use countersign_domain::app::webhook_secrets::SecretsInForce;
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::time::Clock;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::Store;
use countersign_domain::web::callback_url::CallbackPolicy;
use countersign_domain::web::link_host::LinkHost;

use answer::AdminAnswer;
use argument::Sender;
use command::Command;
pub(crate) use error::AdminError;
use keys::SigningKeys;
pub(crate) use master_secret::{LostMasterSecret, MasterSecretStore};
pub(crate) use running::Running;

/// The settings of a new app that the command leaves out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Defaults {
    /// The numbers that receive its texts; if empty, the command must give one.
    pub(crate) senders: Vec<Sender>,
    /// The letters that codes begin with.
    pub(crate) prefix: CodePrefix,
}

/// Carries out operators' commands.
pub(crate) struct Admin {
    /// Holds apps, API keys and association keys.
    pub(crate) store: Arc<Store>,
    /// The keys that sign webhooks. `None` if they are not stored beside the apps.
    pub(crate) signing_keys: Option<Arc<dyn SigningKeys>>,
    /// The secrets from which the apps' webhook secrets derive. `None` if the command does not need them.
    pub(crate) master_secret: Option<Arc<dyn MasterSecretStore>>,
    /// Dates what is created.
    pub(crate) clock: Arc<dyn Clock>,
    /// Generates keys.
    pub(crate) entropy: Arc<dyn Entropy>,
    /// Decides which callbacks apps may have.
    pub(crate) callbacks: CallbackPolicy,
    /// The hosts of links that lead to the server in local mode, the preferred one first; empty if they are not known.
    pub(crate) link_hosts: Vec<LinkHost>,
    /// The settings of a new app that the command leaves out.
    pub(crate) defaults: Defaults,
    /// The running server; `None` if it is stopped.
    pub(crate) running: Option<Running>,
}

/// Runs what occupies a processor for long, such as rendering thousands of records, where it holds up no request.
async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Unavailable> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Unavailable::new("administration", error))
}

impl Admin {
    /// Carries out a command of an administrator. One that changes something is recorded.
    pub(crate) async fn carry_out(
        &self,
        command: Command,
        by: impl Display,
    ) -> Result<AdminAnswer, AdminError> {
        if !command.changes() {
            return self.perform(command).await;
        }
        let record = self.begin_record(&command, by.to_string()).await?;
        let result = self.perform(command).await;
        self.end_record(record, &result).await;
        result
    }

    async fn perform(&self, command: Command) -> Result<AdminAnswer, AdminError> {
        match command {
            Command::CreateApp(new) => self.create_app(new).await,
            Command::ListApps => self.list_apps().await,
            Command::ShowApp(named) => self.show_app(&named.app).await,
            Command::UpdateApp(change) => self.update_app(change).await,
            Command::DeleteApp(named) => self.delete_app(&named.app).await,
            Command::IssueKey(new) => {
                let mode = if new.test {
                    KeyMode::Test
                } else {
                    KeyMode::Live
                };
                let key = self.issue_key(&new.app, mode).await;
                key.map(AdminAnswer::NewKey)
            }
            Command::ListKeys(named) => self.list_keys(&named.app).await,
            Command::RevokeKey(named) => self.revoke_key(&named.app, &named.key).await,
            Command::AddAssociationKey(new) => self.add_association_key(new).await,
            Command::ListAssociationKeys(of) => {
                self.list_association_keys(&of.app, &of.public_user_id)
                    .await
            }
            Command::RevokeAssociationKey(named) => {
                self.revoke_association_key(&named.app, named.key).await
            }
            Command::ListSigningKeys => self.list_signing_keys().await,
            Command::RotateSigningKey => self.rotate_signing_key().await,
            Command::ChangeProvider(_) => Ok(AdminAnswer::Recorded),
            Command::ListAudit(query) => self.list_audit(&query).await,
            Command::ShowWebhookSecret(named) => self.show_webhook_secret(&named.app).await,
            Command::RotateWebhookSecret(named) => {
                self.change_webhook_secret(&named.app, SecretsInForce::rotated)
                    .await
            }
            Command::RetireWebhookSecret(named) => {
                self.change_webhook_secret(&named.app, SecretsInForce::retired)
                    .await
            }
            Command::ListRedactions => self.list_redactions().await,
            Command::RepeatRedactions(wanted) => self.repeat_redactions(&wanted.redactions).await,
            Command::ReplaceMasterSecret => self.replace_master_secret().await,
            Command::RetireMasterSecret => self.retire_master_secret().await,
            Command::TestWebhook(test) => self.test_webhook(test).await,
            Command::ShowMetrics => self.show_metrics().await,
            Command::ExportMetrics => {
                let exported = self.export_metrics().await;
                exported.map(AdminAnswer::ExportedMetrics)
            }
            Command::ShowServer => self.show_server(),
            Command::RereadProviders => self.reread_providers().await,
            Command::RereadPlaces => self.reread_places().await,
            Command::ExplainText(text) => self.explain_text(text).await,
        }
    }
}
