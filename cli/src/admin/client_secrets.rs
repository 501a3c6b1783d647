//! Issuing, showing and revoking the secrets of clients of the OpenID provider.

use std::fmt;

use clap::Args;
use countersign_domain::app::client_secret::{
    ClientSecretId, ClientSecretRecord, PresentedClientSecret,
};
use countersign_domain::app::key_label::KeyLabel;
use countersign_domain::primitives::day::Day;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::store::{IssueSecretOutcome, RevokeSecretOutcome};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::argument::client_secret_id;
use super::request::{Answer, Item, List, Request};
use super::{Admin, AdminError};
use crate::print;
use crate::schema::{Ours, Time};

/// The arguments of `openid issue-secret`.
#[derive(Clone, Debug, Args, Serialize, Deserialize)]
pub(crate) struct IssueClientSecret {
    /// The app's name
    app: AppId,
    /// A name for the secret, such as the service that gets it
    #[arg(long, value_name = "TEXT")]
    label: Option<KeyLabel>,
}

/// Lists the client secrets of an app or of all apps, without the secrets themselves: the arguments of
/// `openid list-secrets`.
#[derive(Clone, Debug, Args, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ListClientSecrets {
    /// The app's name; without it, the secrets of all apps are listed
    #[schemars(with = "Option<String>")]
    app: Option<AppId>,
}

/// The arguments of `openid revoke-secret`.
#[derive(Clone, Debug, Args, Serialize, Deserialize)]
pub(crate) struct RevokeClientSecret {
    /// The app's name
    app: AppId,
    /// The secret's id, from `countersign openid list-secrets`
    #[arg(value_parser = client_secret_id)]
    secret: ClientSecretId,
}

/// A new client secret, which is never shown again.
///
/// `Debug` hides it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NewClientSecret {
    /// The client's id: the app key.
    client_id: String,
    /// The secret's public id.
    secret_id: String,
    /// The secret itself.
    client_secret: String,
}

impl fmt::Debug for NewClientSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NewClientSecret({}, …)", self.secret_id)
    }
}

/// A client secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct IssuedClientSecret {
    #[schemars(with = "Ours")]
    app: String,
    /// The secret's public id.
    #[schemars(with = "Ours")]
    secret_id: String,
    #[schemars(with = "Option<Ours>")]
    label: Option<String>,
    /// When the secret was issued, in ISO 8601.
    #[schemars(with = "Time")]
    issued_at: String,
    /// The day of the last use, in UTC; `None` if the secret was never used.
    #[schemars(with = "Option<Ours>")]
    last_used_at: Option<String>,
    /// When the secret was revoked, in ISO 8601; `None` if it is active.
    #[schemars(with = "Option<Time>")]
    revoked_at: Option<String>,
}

impl IssuedClientSecret {
    fn of(app: &AppId, secret: &ClientSecretRecord, last_use: Option<Day>) -> Self {
        Self {
            app: app.to_string(),
            secret_id: secret.hash.id().as_str().to_owned(),
            label: secret.label.as_ref().map(ToString::to_string),
            issued_at: secret.issued_at.to_string(),
            last_used_at: last_use.map(|day| day.to_string()),
            revoked_at: secret.revoked_at.map(|at| at.to_string()),
        }
    }
}

impl Answer for NewClientSecret {
    fn text(&self) -> String {
        format!(
            "{}\n\nKeep the client secret: it is not shown again.",
            print::text(self)
        )
    }

    fn new_key(&self) -> Option<&str> {
        Some(&self.secret_id)
    }
}

impl Answer for IssuedClientSecret {}

impl Item for IssuedClientSecret {
    const EMPTY: &'static str =
        "There are no client secrets: `countersign openid issue-secret APP`";
    const COLUMNS: &'static [&'static str] = &[
        "app",
        "secretId",
        "label",
        "issuedAt",
        "lastUsedAt",
        "revokedAt",
    ];
}

impl Request for IssueClientSecret {
    const NAME: &'static str = "issue_client_secret";
    const CHANGES: bool = true;
    type Answer = NewClientSecret;

    async fn execute(self, admin: &Admin) -> Result<NewClientSecret, AdminError> {
        let app = admin.find_app(&self.app).await?;
        let secret = PresentedClientSecret::generate(admin.entropy.as_ref());
        let record = ClientSecretRecord {
            hash: secret.hash(),
            issued_at: admin.clock.now(),
            revoked_at: None,
            label: self.label,
        };
        match admin.store.issue_client_secret(&app.id, record).await? {
            IssueSecretOutcome::Issued => Ok(NewClientSecret {
                client_id: app.app_key.as_str().to_owned(),
                secret_id: secret.hash().id().as_str().to_owned(),
                client_secret: secret.reveal().to_owned(),
            }),
            IssueSecretOutcome::TooMany => Err(AdminError::TooManySecrets(self.app)),
            IssueSecretOutcome::PublicClient => Err(AdminError::PublicClient(self.app)),
            IssueSecretOutcome::UnknownApp => Err(AdminError::UnknownApp(self.app)),
        }
    }
}

impl Request for ListClientSecrets {
    const NAME: &'static str = "list_client_secrets";
    type Answer = List<IssuedClientSecret>;

    async fn execute(self, admin: &Admin) -> Result<List<IssuedClientSecret>, AdminError> {
        let (apps, left_out) = match self.app {
            Some(app) => (vec![admin.find_app(&app).await?], 0),
            None => admin.store.list_apps().await?,
        };
        let mut items = Vec::new();
        for app in apps {
            let secrets = admin.store.list_client_secrets(&app.id).await?;
            let secrets = secrets.iter();
            items
                .extend(secrets.map(|(secret, day)| IssuedClientSecret::of(&app.id, secret, *day)));
        }
        Ok(List { items, left_out })
    }
}

/// Revoking a secret again changes nothing and succeeds.
impl Request for RevokeClientSecret {
    const NAME: &'static str = "revoke_client_secret";
    const CHANGES: bool = true;
    type Answer = IssuedClientSecret;

    async fn execute(self, admin: &Admin) -> Result<IssuedClientSecret, AdminError> {
        let Self { app, secret } = self;
        let now = admin.clock.now();
        match admin.store.revoke_client_secret(&app, &secret, now).await? {
            RevokeSecretOutcome::Revoked(record) => {
                // The secret is revoked, even if its last use cannot be read.
                let listed = admin.store.list_client_secrets(&app).await;
                let mut listed = listed.unwrap_or_default().into_iter();
                let found = listed.find(|(listed, _)| listed.hash == record.hash);
                let day = found.and_then(|(_, day)| day);
                Ok(IssuedClientSecret::of(&app, &record, day))
            }
            RevokeSecretOutcome::Unknown => Err(AdminError::UnknownSecret { app, secret }),
            RevokeSecretOutcome::UnknownApp => Err(AdminError::UnknownApp(app)),
        }
    }
}
