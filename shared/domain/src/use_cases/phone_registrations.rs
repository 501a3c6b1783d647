//! The use cases of phone registrations: `/phone-registrations`.

mod create;
mod identify;
mod phone;
mod view;

pub use create::{CreateError, CreateRequest, Created, create};
pub use identify::{IdentifyError, IdentifyRequest, identify};
pub use phone::{OpenRequest, Opened, PresentedKey, SignRequest, Signed, open, sign};
pub use view::{Viewed, cancel, check_digits, show};

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use super::wake_dispatcher;
use crate::app::App;
use crate::app::quota::AppQuotas;
use crate::delivery::transitions::HasDelivery as _;
use crate::login::PhoneRegistration;
use crate::login::association_key::transitions::RegisterRefusal;
use crate::login::phone_registration::SetupRefusal;
use crate::login::proof_verifier::ProofVerifier;
use crate::login::sighting::GeoIp;
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// The ports of these use cases.
#[derive(Clone, Copy)]
pub struct SetupPorts<'a> {
    /// The ports of most use cases.
    pub common: super::Ports<'a>,
    /// Verifier of keys and signatures.
    pub proofs: &'a dyn ProofVerifier,
    /// Locates IP addresses.
    pub geo: &'a dyn GeoIp,
    /// Whether the app's quota limits the number of its keys.
    pub limits_keys: bool,
}

impl<'a> Deref for SetupPorts<'a> {
    type Target = super::Ports<'a>;

    fn deref(&self) -> &Self::Target {
        &self.common
    }
}

/// The reason why a request about a registration failed.
#[derive(Debug, Error)]
pub enum SetupError {
    /// The registration refused the request.
    #[error(transparent)]
    Refused(#[from] SetupRefusal),
    /// The key cannot be registered.
    #[error(transparent)]
    Key(#[from] RegisterRefusal),
    /// The app accepts passkeys only.
    #[error("the app accepts passkeys only")]
    PasskeyRequired,
    /// The passkey did not sign this, or not at the app's link host with the user verified.
    #[error("the assertion is not valid")]
    AssertionFalse,
    /// A port failed.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

impl SetupPorts<'_> {
    /// Returns the current app of a registration; `None` if it was deleted, or if there is no registration.
    async fn app_of(
        &self,
        item: Option<&PhoneRegistration>,
    ) -> Result<Option<Arc<App>>, Unavailable> {
        match item {
            Some(item) => self.app(&item.app).await,
            None => Ok(None),
        }
    }

    async fn app(&self, id: &AppId) -> Result<Option<Arc<App>>, Unavailable> {
        self.store.find_app(id).await
    }

    /// Registers the key of a registration whose digits were typed. Does nothing for others.
    async fn finish(
        &self,
        item: PhoneRegistration,
        now: Timestamp,
    ) -> Result<(PhoneRegistration, Option<RegisterRefusal>), Unavailable> {
        if item.accepted_key(now).is_none() {
            return Ok((item, None));
        }
        // A deleted app gets no further keys.
        let Some(app) = self.app(&item.app).await? else {
            return Ok((item, None));
        };
        let quota = AppQuotas::for_association_keys(&app.quotas);
        let most = self.limits_keys.then_some(quota.max_open);
        let (item, refusal) = self
            .store
            .finish_phone_registration(item, most, now)
            .await?;
        if let Some(pointer) = item.pointer() {
            wake_dispatcher(self.common, pointer, Duration::ZERO).await;
        }
        Ok((item, refusal))
    }
}
