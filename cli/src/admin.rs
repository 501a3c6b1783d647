//! Administration of apps and keys: the only module that implements its rules. Requests arrive over
//! the running server's socket, or from a command that opened the data of a stopped server.

pub(crate) mod apps;
pub(crate) mod argument;
pub(crate) mod ask_error;
pub(crate) mod association_keys;
pub(crate) mod attention;
pub(crate) mod audit;
pub(crate) mod client;
pub(crate) mod client_secrets;
pub(crate) mod confirmations;
mod data;
#[cfg_attr(not(feature = "aws"), path = "admin/no_deployment.rs")]
pub(crate) mod deployment;
mod error;
pub(crate) mod history;
pub(crate) mod keys;
pub(crate) mod link_host;
pub(crate) mod logins;
pub(crate) mod master_secret;
pub(crate) mod openid_keys;
pub(crate) mod phone_registrations;
mod place;
mod problems;
pub(crate) mod providers;
pub(crate) mod readings;
pub(crate) mod redactions;
mod refusal_codes;
pub(crate) mod request;
pub(crate) mod requests;
pub(crate) mod running;
mod seen_settings;
pub(crate) mod sentence;
pub(crate) mod settings;
pub(crate) mod signing_keys;
pub(crate) mod socket;
pub(crate) mod started;
mod started_refusal;
pub(crate) mod system;
#[cfg_attr(not(feature = "aws"), path = "admin/no_table.rs")]
pub(crate) mod table;
pub(crate) mod target;
#[cfg(test)]
mod tests;
pub(crate) mod texts;
pub(crate) mod user;
pub(crate) mod webhook_secrets;

use std::fmt::Display;
use std::sync::Arc;

use countersign_domain::app::code::CodePrefix;
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::time::Clock;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::Store;
use countersign_domain::web::callback_url::CallbackPolicy;
use countersign_domain::web::link_host::LinkHost;
use countersign_embedded::keys::KeyFileSigner;
use countersign_embedded::openid::OpenIdFiles;
use countersign_embedded::store::SqliteItems;

use crate::data_dir::DataDir;
use argument::Sender;
pub(crate) use error::AdminError;
pub(crate) use master_secret::{LostMasterSecret, MasterSecretStore};
pub(crate) use place::Place;
use request::{Answer as _, Request};
pub(crate) use running::Running;

/// Default settings of a new app, for options that the command omits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Defaults {
    /// The numbers that receive its texts; if empty, the command must specify one.
    pub(crate) senders: Vec<Sender>,
    /// The letters that codes begin with.
    pub(crate) prefix: CodePrefix,
}

/// Where the settings of SMS providers are.
#[derive(Clone, Debug)]
pub(crate) enum ProviderPlace {
    /// Files in a data directory.
    Data(DataDir),
    /// The secret to which the tags of a deployment's table refer.
    #[cfg_attr(
        not(feature = "aws"),
        expect(dead_code, reason = "such a build administers no table")
    )]
    Table(String),
}

/// The place of the data that requests are about.
pub(crate) enum Host {
    /// The store of one machine.
    Machine(Arc<SqliteItems>),
    /// The table of a deployment on AWS.
    #[cfg_attr(not(feature = "aws"), expect(dead_code, reason = "needs AWS"))]
    Table(Box<table::TableHost>),
}

/// Executes operators' requests.
pub(crate) struct Admin {
    /// Holds apps, API keys and association keys.
    pub(crate) store: Arc<Store>,
    pub(crate) host: Host,
    /// The keys that sign webhooks; `None` if they are not stored beside the apps.
    pub(crate) signing_keys: Option<Arc<KeyFileSigner>>,
    /// The keys that sign ID tokens; `None` if they are not stored beside the apps.
    pub(crate) openid_keys: Option<Arc<OpenIdFiles>>,
    /// The secrets from which the apps' webhook secrets derive; `None` if the command does not need them.
    pub(crate) master_secret: Option<Arc<dyn MasterSecretStore>>,
    /// Supplies timestamps for new objects.
    pub(crate) clock: Arc<dyn Clock>,
    /// Generates keys.
    pub(crate) entropy: Arc<dyn Entropy>,
    /// Decides which callback URLs apps may use.
    pub(crate) callbacks: CallbackPolicy,
    /// The hosts of links that lead to the server in local mode, preferred host first; empty if unknown.
    pub(crate) link_hosts: Vec<LinkHost>,
    /// Default settings of a new app, for options that the command omits.
    pub(crate) defaults: Defaults,
    /// Where the settings of SMS providers are.
    pub(crate) providers: ProviderPlace,
    /// The running server; `None` if it is stopped.
    pub(crate) running: Option<Running>,
}

/// Runs CPU-bound work, such as rendering thousands of records, on a thread where it does not block requests.
async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Unavailable> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Unavailable::new("administration", error))
}

impl Admin {
    /// Executes an administrator's request, and records it if it changes anything.
    pub(crate) async fn execute<R: Request>(
        &self,
        request: R,
        by: impl Display + Send,
    ) -> Result<R::Answer, AdminError> {
        if !R::CHANGES {
            return request.execute(self).await;
        }
        let record = self.begin_record(&request, by.to_string()).await?;
        let result = request.execute(self).await;
        let end = result.as_ref().map(|answer| answer.new_key());
        self.end_record(record, end).await;
        result
    }
}
