//! What operators may do to apps and keys, and its rules: one place for both ways in, the running
//! server's socket and the data directory of a server that is not running.

pub(crate) mod answer;
mod apps;
pub(crate) mod argument;
mod backup;
pub(crate) mod client;
pub(crate) mod command;
mod data;
mod error;
mod keys;
mod running;
pub(crate) mod socket;
#[cfg_attr(not(feature = "aws"), path = "admin/no_table.rs")]
mod table;
pub(crate) mod target;
#[cfg(test)]
mod tests;
mod texts;

use std::sync::Arc;

use countersign_domain::app::code::CodePrefix;
use countersign_domain::app::store::AppStore;
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::time::Clock;
use countersign_domain::web::callback_url::CallbackPolicy;
use tokio::sync::Mutex;

use answer::Answer;
use argument::{Argument, Sender};
use command::Command;
pub(crate) use error::AdminError;
use keys::SigningKeys;
pub(crate) use running::Running;

/// What a new app gets where nothing is named.
#[derive(Clone, Debug, Default)]
pub(crate) struct Defaults {
    /// The numbers that receive its texts; where there are none, one must be named.
    pub(crate) senders: Vec<Argument<Sender>>,
    /// What its codes begin with.
    pub(crate) prefix: CodePrefix,
}

/// Carries out what operators ask for.
pub(crate) struct Admin {
    /// Where apps and keys are kept.
    pub(crate) apps: Arc<dyn AppStore>,
    /// The keys that webhooks are signed with.
    /// `None` where they are not kept beside the apps.
    pub(crate) signing_keys: Option<Arc<dyn SigningKeys>>,
    /// Time.
    pub(crate) clock: Arc<dyn Clock>,
    /// Chance.
    pub(crate) entropy: Arc<dyn Entropy>,
    /// Which callbacks may be named.
    pub(crate) callbacks: CallbackPolicy,
    /// What a new app gets where nothing is named.
    pub(crate) defaults: Defaults,
    /// What only a running server can do.
    pub(crate) running: Option<Running>,
    /// Held from reading an app to writing it back.
    pub(crate) one_change_at_a_time: Mutex<()>,
}

impl Admin {
    /// Carries out a command.
    pub(crate) async fn carry_out(&self, command: Command) -> Result<Answer, AdminError> {
        match command {
            Command::CreateApp(new) => self.create_app(new).await,
            Command::ListApps => self.list_apps().await,
            Command::ShowApp(named) => self.show_app(&named.app.0).await,
            Command::UpdateApp(change) => self.update_app(change).await,
            Command::IssueKey(named) => self.issue_key(&named.app.0).await.map(Answer::NewKey),
            Command::ListKeys(named) => self.list_keys(&named.app.0).await,
            Command::RevokeKey(named) => self.revoke_key(&named.app.0, &named.key.0).await,
            Command::ListSigningKeys => self.list_signing_keys().await,
            Command::RotateSigningKey => self.rotate_signing_key().await,
            Command::TestWebhook(test) => self.test_webhook(test).await,
            Command::ShowMetrics => self.show_metrics(),
            Command::ShowServer => self.show_server(),
            Command::ExplainText(text) => self.explain_text(text).await,
        }
    }
}
