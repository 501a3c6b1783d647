//! Issuing, showing and revoking API keys.

use std::fmt;

use clap::Args;
use countersign_domain::app::api_key::{ApiKeyId, ApiKeyRecord, KeyMode, PresentedApiKey};
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
}

/// Lists an app's API keys, without the keys themselves: the arguments of `key list`.
#[derive(Clone, Debug, Args, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ListKeys {
    /// The app's name
    #[schemars(with = "String")]
    app: AppId,
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
    /// The key's public id.
    #[schemars(with = "Ours")]
    key_id: String,
    /// When the key was issued, in ISO 8601.
    #[schemars(with = "Time")]
    issued_at: String,
    /// When the key was revoked, in ISO 8601; `None` if it is active.
    #[schemars(with = "Option<Time>")]
    revoked_at: Option<String>,
}

impl From<&ApiKeyRecord> for IssuedKey {
    fn from(key: &ApiKeyRecord) -> Self {
        Self {
            key_id: key.hash.id().as_str().to_owned(),
            issued_at: key.issued_at.to_string(),
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
    const EMPTY: &'static str = "The app has no keys: `countersign key issue APP`";
    const COLUMNS: &'static [&'static str] = &["keyId", "issuedAt", "revokedAt"];
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
        admin.issue_key(&self.app, mode).await
    }
}

impl Request for ListKeys {
    const NAME: &'static str = "list_keys";
    type Answer = List<IssuedKey>;

    async fn execute(self, admin: &Admin) -> Result<List<IssuedKey>, AdminError> {
        admin.find_app(&self.app).await?;
        let keys = admin.store.list_keys(&self.app).await?;
        Ok(keys.iter().map(IssuedKey::from).collect::<Vec<_>>().into())
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
        revoked.map(IssuedKey::from).ok_or_else(unknown)
    }
}

impl Admin {
    pub(super) async fn issue_key(&self, app: &AppId, mode: KeyMode) -> Result<NewKey, AdminError> {
        let key = PresentedApiKey::generate_for(mode, self.entropy.as_ref());
        let record = ApiKeyRecord {
            hash: key.hash(),
            issued_at: self.clock.now(),
            revoked_at: None,
            mode,
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
