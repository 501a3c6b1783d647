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

/// The app store that handlers of texts and of proofs need. Administration is not simulated.
pub(super) struct Apps(pub(super) StoreLink);

type Answer<T> = Result<T, Unavailable>;

fn not_simulated<T>() -> Answer<T> {
    Err(Unavailable::new("apps", "administration is not simulated"))
}

#[async_trait]
impl AppStore for Apps {
    async fn inbound_profile(&self) -> Answer<Arc<InboundProfile>> {
        self.0.inbound_profile().await
    }

    async fn lookup_key(&self, _: &ApiKeyHash) -> Answer<KeyLookup> {
        not_simulated()
    }

    async fn find_app(&self, id: &AppId) -> Answer<Option<Arc<App>>> {
        self.0.find_app(id).await
    }

    async fn list_apps(&self) -> Answer<Vec<Arc<App>>> {
        not_simulated()
    }

    async fn create_app(&self, _: App) -> Answer<CreateAppOutcome> {
        not_simulated()
    }

    async fn update_app(&self, _: App) -> Answer<UpdateAppOutcome> {
        not_simulated()
    }

    async fn issue_key(&self, _: &AppId, _: ApiKeyRecord) -> Answer<IssueKeyOutcome> {
        not_simulated()
    }

    async fn list_keys(&self, _: &AppId) -> Answer<Vec<ApiKeyRecord>> {
        not_simulated()
    }

    async fn revoke_key(&self, _: &AppId, _: &ApiKeyId, _: Timestamp) -> Answer<RevokeKeyOutcome> {
        not_simulated()
    }
}
