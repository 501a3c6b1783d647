//! Issuing, showing and revoking API keys.

use std::fmt;

use clap::Args;
use countersign_domain::app::api_key::{ApiKeyId, ApiKeyRecord, KeyMode, PresentedApiKey};
use countersign_domain::app::key_label::KeyLabel;
use countersign_domain::primitives::day::Day;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::store::{IssueKeyOutcome, RevokeKeyOutcome};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::argument::api_key_id;
use super::request::{Answer, Item, List, Request};
use super::{Admin, AdminError};
use crate::print;
use crate::schema::{Ours, Time};

/// The arguments of `key issue`.
#[derive(Clone, Debug, Args, Serialize, Deserialize)]
pub(crate) struct IssueKey {
    /// The app's name
    app: AppId,
    /// Issue a test key (`cs_test_…`): only simulated texts complete what it starts
    #[arg(long)]
    test: bool,
    /// A name for the key, such as the server that gets it
    #[arg(long, value_name = "TEXT")]
    label: Option<KeyLabel>,
}

/// Lists the API keys of an app or of all apps, without the keys themselves: the arguments of `key list`.
#[derive(Clone, Debug, Args, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ListKeys {
    /// The app's name; without it, the keys of all apps are listed
    #[schemars(with = "Option<String>")]
    app: Option<AppId>,
}

/// The arguments of `key revoke`.
#[derive(Clone, Debug, Args, Serialize, Deserialize)]
pub(crate) struct RevokeKey {
    /// The app's name
    app: AppId,
    /// The key's id, from `countersign key list`
    #[arg(value_parser = api_key_id)]
    key: ApiKeyId,
}

/// A new API key, which is never shown again.
///
/// `Debug` hides it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NewKey {
    /// The key's public id.
    pub(crate) key_id: String,
    /// The key itself, a secret.
    pub(crate) api_key: String,
}

impl fmt::Debug for NewKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NewKey({}, …)", self.key_id)
    }
}

/// An API key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct IssuedKey {
    #[schemars(with = "Ours")]
    app: String,
    /// The key's public id.
    #[schemars(with = "Ours")]
    key_id: String,
    #[schemars(with = "Option<Ours>")]
    label: Option<String>,
    /// True for a test key.
    test: bool,
    /// When the key was issued, in ISO 8601.
    #[schemars(with = "Time")]
    issued_at: String,
    /// The day of the last use, in UTC; `None` if the key was never used.
    #[schemars(with = "Option<Ours>")]
    last_used_at: Option<String>,
    /// When the key was revoked, in ISO 8601; `None` if it is active.
    #[schemars(with = "Option<Time>")]
    revoked_at: Option<String>,
}

impl IssuedKey {
    fn of(app: &AppId, key: &ApiKeyRecord, last_use: Option<Day>) -> Self {
        Self {
            app: app.to_string(),
            key_id: key.hash.id().as_str().to_owned(),
            label: key.label.as_ref().map(ToString::to_string),
            test: key.mode == KeyMode::Test,
            issued_at: key.issued_at.to_string(),
            last_used_at: last_use.map(|day| day.to_string()),
            revoked_at: key.revoked_at.map(|at| at.to_string()),
        }
    }
}

impl Answer for NewKey {
    fn text(&self) -> String {
        format!("{}\n\n{NOT_SHOWN_AGAIN}", print::text(self))
    }

    fn new_key(&self) -> Option<&str> {
        Some(&self.key_id)
    }
}

/// Printed below a new API key.
pub(super) const NOT_SHOWN_AGAIN: &str = "Keep the API key: it is not shown again.";

impl Answer for IssuedKey {}

impl Item for IssuedKey {
    const EMPTY: &'static str = "There are no keys: `countersign key issue APP`";
    const COLUMNS: &'static [&'static str] = &[
        "app",
        "keyId",
        "label",
        "test",
        "issuedAt",
        "lastUsedAt",
        "revokedAt",
    ];
}

impl Request for IssueKey {
    const NAME: &'static str = "issue_key";
    const CHANGES: bool = true;
    type Answer = NewKey;

    async fn execute(self, admin: &Admin) -> Result<NewKey, AdminError> {
        let mode = if self.test {
            KeyMode::Test
        } else {
            KeyMode::Live
        };
        admin.issue_key(&self.app, mode, self.label).await
    }
}

impl Request for ListKeys {
    const NAME: &'static str = "list_keys";
    type Answer = List<IssuedKey>;

    async fn execute(self, admin: &Admin) -> Result<List<IssuedKey>, AdminError> {
        let (apps, left_out) = match self.app {
            Some(app) => (vec![admin.find_app(&app).await?], 0),
            None => admin.store.list_apps().await?,
        };
        let mut items = Vec::new();
        for app in apps {
            items.extend(admin.issued_keys(&app.id).await?);
        }
        Ok(List { items, left_out })
    }
}

/// Revoking a key again changes nothing and succeeds.
impl Request for RevokeKey {
    const NAME: &'static str = "revoke_key";
    const CHANGES: bool = true;
    type Answer = IssuedKey;

    async fn execute(self, admin: &Admin) -> Result<IssuedKey, AdminError> {
        let Self { app, key } = self;
        admin.find_app(&app).await?;
        let unknown = || AdminError::UnknownKey {
            app: app.clone(),
            key: key.clone(),
        };
        match admin
            .store
            .revoke_key(&app, &key, admin.clock.now())
            .await?
        {
            RevokeKeyOutcome::Revoked | RevokeKeyOutcome::AlreadyRevoked => {}
            RevokeKeyOutcome::Unknown => return Err(unknown()),
        }
        let keys = admin.store.list_keys(&app).await?;
        let revoked = keys.iter().find(|record| record.hash.id() == key);
        let revoked = revoked.ok_or_else(unknown)?;
        // The key is revoked, even if its last use cannot be read.
        let uses = admin.store.last_uses(std::slice::from_ref(revoked)).await;
        let last_use = uses.unwrap_or_default().into_iter().flatten().next();
        Ok(IssuedKey::of(&app, revoked, last_use))
    }
}

impl Admin {
    /// Returns an app's keys with the days of their last uses, oldest first.
    async fn issued_keys(&self, app: &AppId) -> Result<Vec<IssuedKey>, AdminError> {
        let keys = self.store.list_keys(app).await?;
        let uses = self.store.last_uses(&keys).await?;
        let keys = keys.iter().zip(uses);
        Ok(keys
            .map(|(key, day)| IssuedKey::of(app, key, day))
            .collect())
    }

    pub(super) async fn issue_key(
        &self,
        app: &AppId,
        mode: KeyMode,
        label: Option<KeyLabel>,
    ) -> Result<NewKey, AdminError> {
        let key = PresentedApiKey::generate_for(mode, self.entropy.as_ref());
        let record = ApiKeyRecord {
            hash: key.hash(),
            issued_at: self.clock.now(),
            revoked_at: None,
            mode,
            label,
        };
        match self.store.issue_key(app, record).await? {
            IssueKeyOutcome::Issued => Ok(NewKey {
                key_id: key.hash().id().as_str().to_owned(),
                api_key: key.reveal().to_owned(),
            }),
            IssueKeyOutcome::TooMany => Err(AdminError::TooManyKeys(app.clone())),
            IssueKeyOutcome::UnknownApp => Err(AdminError::UnknownApp(app.clone())),
        }
    }
}
