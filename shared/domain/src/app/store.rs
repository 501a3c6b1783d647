//! The port to the store of apps and their API keys.

use std::sync::Arc;

use async_trait::async_trait;

use super::api_key::{ApiKeyHash, ApiKeyId, ApiKeyRecord};
use super::{App, AppKey, InboundProfile};
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;
use crate::web::link_host::LinkHost;

/// A store of apps and their API keys.
///
/// Every implementation MUST store no API key, only its hash; MUST make a revocation effective at
/// once in the process that made it and within 60 s everywhere; and MUST decide `issue_key`'s limit
/// atomically, so that two concurrent calls cannot exceed it.
#[async_trait]
pub trait AppStore: Send + Sync {
    /// Finds the app of an API key. May answer from a cache that is at most 60 s old.
    async fn lookup_key(&self, hash: &ApiKeyHash) -> Result<KeyLookup, Unavailable>;

    /// Finds an app by its id.
    async fn find_app(&self, id: &AppId) -> Result<Option<Arc<App>>, Unavailable>;

    /// Returns all apps, ordered by id.
    async fn list_apps(&self) -> Result<Vec<Arc<App>>, Unavailable>;

    /// Finds an app by its public key. May answer from a cache that is at most 60 s old.
    async fn lookup_app_key(&self, key: &AppKey) -> Result<Option<Arc<App>>, Unavailable> {
        let apps = self.list_apps().await?;
        Ok(apps.into_iter().find(|app| app.app_key == *key))
    }

    /// Finds the apps whose links have this host, ordered by id; several apps may share a host. May
    /// answer from a cache that is at most 60 s old.
    async fn apps_of_link_host(&self, host: &LinkHost) -> Result<Vec<Arc<App>>, Unavailable> {
        let mut apps = self.list_apps().await?;
        apps.retain(|app| app.login.link_host.as_ref() == Some(host));
        Ok(apps)
    }

    /// Stores a new app, unless its id is taken.
    async fn create_app(&self, app: App) -> Result<CreateAppOutcome, Unavailable>;

    /// Replaces an app.
    async fn update_app(&self, app: App) -> Result<UpdateAppOutcome, Unavailable>;

    /// Adds a key to an app, unless it has too many.
    async fn issue_key(
        &self,
        app: &AppId,
        key: ApiKeyRecord,
    ) -> Result<IssueKeyOutcome, Unavailable>;

    /// Returns an app's keys, including revoked ones, oldest first; empty if there is no such app.
    async fn list_keys(&self, app: &AppId) -> Result<Vec<ApiKeyRecord>, Unavailable>;

    /// Revokes an app's key.
    async fn revoke_key(
        &self,
        app: &AppId,
        key: &ApiKeyId,
        now: Timestamp,
    ) -> Result<RevokeKeyOutcome, Unavailable>;

    /// Returns the prefixes and numbers of all apps. It MUST still include those that an app had
    /// before a change: open confirmations refer to them.
    async fn inbound_profile(&self) -> Result<Arc<InboundProfile>, Unavailable>;
}

/// The result of looking up a presented API key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyLookup {
    /// The key belongs to this app.
    Active(Arc<App>),
    /// The key was revoked.
    Revoked,
    /// The key was never issued.
    Unknown,
}

/// The result of creating an app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CreateAppOutcome {
    /// The app was created.
    Created,
    /// Another app has this id.
    NameTaken,
}

/// The result of updating an app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateAppOutcome {
    /// The app was updated.
    Updated,
    /// There is no such app.
    Unknown,
}

/// The result of issuing a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IssueKeyOutcome {
    /// The key was issued.
    Issued,
    /// The app already has [`crate::app::api_key::MAX_ACTIVE_KEYS`] active keys.
    TooMany,
    /// There is no such app.
    UnknownApp,
}

/// The result of revoking a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RevokeKeyOutcome {
    /// The key was revoked.
    Revoked,
    /// The key had been revoked before.
    AlreadyRevoked,
    /// The app has no such key.
    Unknown,
}
