//! The port of apps and their API keys.

use std::sync::Arc;

use async_trait::async_trait;

use super::api_key::{ApiKeyHash, ApiKeyId, ApiKeyRecord};
use super::{App, AppKey, InboundProfile};
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;
use crate::web::link_host::LinkHost;

/// Where apps and their API keys are kept.
///
/// Every implementation MUST store no API key, only its hash; MUST make a revocation hold at once
/// for the process that made it and within 60 s everywhere; and MUST decide `issue_key`'s limit
/// atomically, so that two at once cannot exceed it.
#[async_trait]
pub trait AppStore: Send + Sync {
    /// Which app a key opens. May be answered from a cache of at most 60 s.
    async fn lookup_key(&self, hash: &ApiKeyHash) -> Result<KeyLookup, Unavailable>;

    /// The app of that name.
    async fn find_app(&self, id: &AppId) -> Result<Option<Arc<App>>, Unavailable>;

    /// Every app, by name.
    async fn list_apps(&self) -> Result<Vec<Arc<App>>, Unavailable>;

    /// The app that browsers and phones call so. May be answered from a cache of at most 60 s.
    async fn lookup_app_key(&self, key: &AppKey) -> Result<Option<Arc<App>>, Unavailable> {
        let apps = self.list_apps().await?;
        Ok(apps.into_iter().find(|app| app.app_key == *key))
    }

    /// The apps whose links have that host, by name: several may share one. May be answered from a
    /// cache of at most 60 s.
    async fn apps_of_link_host(&self, host: &LinkHost) -> Result<Vec<Arc<App>>, Unavailable> {
        let mut apps = self.list_apps().await?;
        apps.retain(|app| app.login.link_host.as_ref() == Some(host));
        Ok(apps)
    }

    /// Puts a new app if there is none of its name.
    async fn create_app(&self, app: App) -> Result<CreateAppOutcome, Unavailable>;

    /// Replaces an app.
    async fn update_app(&self, app: App) -> Result<UpdateAppOutcome, Unavailable>;

    /// Adds a key to an app, unless it has too many.
    async fn issue_key(
        &self,
        app: &AppId,
        key: ApiKeyRecord,
    ) -> Result<IssueKeyOutcome, Unavailable>;

    /// An app's keys, the oldest first, revoked ones included; empty where there is no such app.
    async fn list_keys(&self, app: &AppId) -> Result<Vec<ApiKeyRecord>, Unavailable>;

    /// Revokes a key of an app.
    async fn revoke_key(
        &self,
        app: &AppId,
        key: &ApiKeyId,
        now: Timestamp,
    ) -> Result<RevokeKeyOutcome, Unavailable>;

    /// The prefixes and numbers of all apps. MUST still name what an app had before a change:
    /// sessions that were opened then refer to it.
    async fn inbound_profile(&self) -> Result<Arc<InboundProfile>, Unavailable>;
}

/// What is known of a presented API key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyLookup {
    /// It opens this app.
    Active(Arc<App>),
    /// It was revoked.
    Revoked,
    /// Nobody was ever given it.
    Unknown,
}

/// What became of a new app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CreateAppOutcome {
    /// It is there.
    Created,
    /// An app of that name exists.
    NameTaken,
}

/// What became of an app's change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateAppOutcome {
    /// It is as asked for.
    Updated,
    /// There is no such app.
    Unknown,
}

/// What became of a new key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IssueKeyOutcome {
    /// It works from now on.
    Issued,
    /// The app has [`crate::app::api_key::MAX_ACTIVE_KEYS`] active keys already.
    TooMany,
    /// There is no such app.
    UnknownApp,
}

/// What became of a revocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RevokeKeyOutcome {
    /// It no longer works.
    Revoked,
    /// It had been revoked before.
    AlreadyRevoked,
    /// The app has no such key.
    Unknown,
}
