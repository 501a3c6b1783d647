use std::sync::Arc;

use async_trait::async_trait;
use countersign_domain::app::api_key::{ApiKeyHash, ApiKeyId, ApiKeyRecord};
use countersign_domain::app::store::{
    AppStore, CreateAppOutcome, IssueKeyOutcome, KeyLookup, RevokeKeyOutcome, UpdateAppOutcome,
};
use countersign_domain::app::{App, InboundProfile};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

use crate::ports::StoreLink;

/// The apps as a text's handler needs them. Nobody administers them here.
pub(super) struct Apps(pub(super) StoreLink);

type Answer<T> = Result<T, Unavailable>;

fn nobody<T>() -> Answer<T> {
    Err(Unavailable::new("apps", "nobody administers them here"))
}

#[async_trait]
impl AppStore for Apps {
    async fn inbound_profile(&self) -> Answer<Arc<InboundProfile>> {
        self.0.inbound_profile().await
    }

    async fn lookup_key(&self, _: &ApiKeyHash) -> Answer<KeyLookup> {
        nobody()
    }

    async fn find_app(&self, _: &AppId) -> Answer<Option<Arc<App>>> {
        nobody()
    }

    async fn list_apps(&self) -> Answer<Vec<Arc<App>>> {
        nobody()
    }

    async fn create_app(&self, _: App) -> Answer<CreateAppOutcome> {
        nobody()
    }

    async fn update_app(&self, _: App) -> Answer<UpdateAppOutcome> {
        nobody()
    }

    async fn issue_key(&self, _: &AppId, _: ApiKeyRecord) -> Answer<IssueKeyOutcome> {
        nobody()
    }

    async fn list_keys(&self, _: &AppId) -> Answer<Vec<ApiKeyRecord>> {
        nobody()
    }

    async fn revoke_key(&self, _: &AppId, _: &ApiKeyId, _: Timestamp) -> Answer<RevokeKeyOutcome> {
        nobody()
    }
}
