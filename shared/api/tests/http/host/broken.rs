//! Ports that always fail.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use countersign_domain::app::api_key::{ApiKeyHash, ApiKeyId, ApiKeyRecord};
use countersign_domain::app::store::{
    AppStore, CreateAppOutcome, IssueKeyOutcome, KeyLookup, RevokeKeyOutcome, UpdateAppOutcome,
};
use countersign_domain::app::{App, InboundProfile};
use countersign_domain::confirmation::Confirmation;
use countersign_domain::confirmation::carrier::CarrierName;
use countersign_domain::confirmation::miss::Unfit;
use countersign_domain::confirmation::store::ConfirmationStore;
use countersign_domain::confirmation::transitions::{
    CancelOutcome, CarrierOutcome, CreateOutcome, MissOutcome, RedactOutcome, RedeliverOutcome,
    TextEvidence, VerifyOutcome,
};
use countersign_domain::delivery::DeliveryPointer;
use countersign_domain::delivery::queue::{DeliveryQueue, Enqueued};
use countersign_domain::delivery::signing::{PublicKey, Signature, Signer};
use countersign_domain::login::store::LoginStore;
use countersign_domain::login::{
    BrowserTokenHash, CheckCode, DeviceTokenHash, Login, Phone, ReceiptHash, WatcherId,
    transitions as qr,
};
use countersign_domain::primitives::ids::{AppId, ConfirmationId, LoginId};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

/// Returns the error of every call to a broken port.
fn broken<T>() -> Result<T, Unavailable> {
    Err(Unavailable::new(
        "a port",
        std::io::Error::other("the cable is cut"),
    ))
}

pub(crate) struct BrokenQueue;

#[async_trait]
impl DeliveryQueue for BrokenQueue {
    async fn enqueue(&self, _: DeliveryPointer, _: Duration) -> Result<Enqueued, Unavailable> {
        broken()
    }
}

/// A store of logins that always fails.
pub(crate) struct BrokenLogins;

#[async_trait]
impl LoginStore for BrokenLogins {
    async fn create(&self, _: Login, _: Timestamp) -> Result<qr::CreateOutcome, Unavailable> {
        broken()
    }

    async fn find(&self, _: LoginId, _: Timestamp) -> Result<Option<Login>, Unavailable> {
        broken()
    }

    async fn initiate(
        &self,
        _: LoginId,
        _: &AppId,
        _: Phone,
        _: Timestamp,
    ) -> Result<qr::InitiateOutcome, Unavailable> {
        broken()
    }

    async fn confirm(
        &self,
        _: LoginId,
        _: qr::Answer,
        _: Timestamp,
    ) -> Result<qr::ConfirmOutcome, Unavailable> {
        broken()
    }

    async fn deny(
        &self,
        _: LoginId,
        _: qr::Denial,
        _: Timestamp,
    ) -> Result<qr::DenyOutcome, Unavailable> {
        broken()
    }

    async fn redeem(
        &self,
        _: LoginId,
        _: &BrowserTokenHash,
        _: &ReceiptHash,
        _: Option<CheckCode>,
        _: Timestamp,
    ) -> Result<qr::RedeemOutcome, Unavailable> {
        broken()
    }

    async fn cancel(
        &self,
        _: LoginId,
        _: &BrowserTokenHash,
        _: Timestamp,
    ) -> Result<qr::CancelOutcome, Unavailable> {
        broken()
    }

    async fn attach_watcher(
        &self,
        _: LoginId,
        _: &DeviceTokenHash,
        _: WatcherId,
        _: Timestamp,
    ) -> Result<qr::AttachOutcome, Unavailable> {
        broken()
    }

    async fn detach_watcher(
        &self,
        _: LoginId,
        _: &WatcherId,
        _: Timestamp,
    ) -> Result<qr::DetachOutcome, Unavailable> {
        broken()
    }
}

pub(crate) struct BrokenSigner;

#[async_trait]
impl Signer for BrokenSigner {
    async fn sign(&self, _: &[u8; 32]) -> Result<Signature, Unavailable> {
        broken()
    }

    async fn public_keys(&self) -> Result<Vec<PublicKey>, Unavailable> {
        broken()
    }
}

pub(crate) struct BrokenConfirmations;

#[async_trait]
impl ConfirmationStore for BrokenConfirmations {
    async fn create(&self, _: Confirmation, _: Timestamp) -> Result<CreateOutcome, Unavailable> {
        broken()
    }

    async fn find(
        &self,
        _: ConfirmationId,
        _: Timestamp,
    ) -> Result<Option<Confirmation>, Unavailable> {
        broken()
    }

    async fn verify(
        &self,
        _: ConfirmationId,
        _: &TextEvidence,
        _: Timestamp,
        _: Duration,
    ) -> Result<VerifyOutcome, Unavailable> {
        broken()
    }

    async fn record_miss(
        &self,
        _: ConfirmationId,
        _: Unfit,
        _: Timestamp,
    ) -> Result<MissOutcome, Unavailable> {
        broken()
    }

    async fn decide_carrier(
        &self,
        _: ConfirmationId,
        _: &CarrierName,
        _: Timestamp,
    ) -> Result<CarrierOutcome, Unavailable> {
        broken()
    }

    async fn cancel(
        &self,
        _: ConfirmationId,
        _: &AppId,
        _: Timestamp,
    ) -> Result<CancelOutcome, Unavailable> {
        broken()
    }

    async fn redact(
        &self,
        _: ConfirmationId,
        _: &AppId,
        _: Timestamp,
    ) -> Result<RedactOutcome, Unavailable> {
        broken()
    }

    async fn redeliver(
        &self,
        _: ConfirmationId,
        _: &AppId,
        _: Timestamp,
        _: Duration,
    ) -> Result<RedeliverOutcome, Unavailable> {
        broken()
    }
}

pub(crate) struct BrokenApps;

#[async_trait]
impl AppStore for BrokenApps {
    async fn lookup_key(&self, _: &ApiKeyHash) -> Result<KeyLookup, Unavailable> {
        broken()
    }

    async fn find_app(&self, _: &AppId) -> Result<Option<Arc<App>>, Unavailable> {
        broken()
    }

    async fn list_apps(&self) -> Result<Vec<Arc<App>>, Unavailable> {
        broken()
    }

    async fn create_app(&self, _: App) -> Result<CreateAppOutcome, Unavailable> {
        broken()
    }

    async fn update_app(&self, _: App) -> Result<UpdateAppOutcome, Unavailable> {
        broken()
    }

    async fn issue_key(&self, _: &AppId, _: ApiKeyRecord) -> Result<IssueKeyOutcome, Unavailable> {
        broken()
    }

    async fn list_keys(&self, _: &AppId) -> Result<Vec<ApiKeyRecord>, Unavailable> {
        broken()
    }

    async fn revoke_key(
        &self,
        _: &AppId,
        _: &ApiKeyId,
        _: Timestamp,
    ) -> Result<RevokeKeyOutcome, Unavailable> {
        broken()
    }

    async fn inbound_profile(&self) -> Result<Arc<InboundProfile>, Unavailable> {
        broken()
    }
}
