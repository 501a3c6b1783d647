//! The use cases of logins by QR code or app link.

mod browser;
mod create;
mod decide;
mod initiate;
mod proof;
mod server;
mod visitor;

pub use browser::{
    CancelError, LoginStatus, RedeemError, WatchError, cancel, redeem, status, watch,
};
pub use create::{Approved, CreateError, CreateRequest, Created, approve, create};
pub use decide::{ConfirmError, DenyError, confirm, deny};
pub use initiate::{InitiateError, InitiateRequest, Initiated, initiate};
pub use server::{InspectedLogin, cancel_for_app, inspect};
pub use visitor::Visitor;

use std::time::Duration;

use super::wake_dispatcher;
use crate::app::store::AppStore;
use crate::delivery::queue::DeliveryQueue;
use crate::delivery::transitions::Owes as _;
use crate::event::{Event, LoginEvent, Metrics};
use crate::login::Login;
use crate::login::association_key::store::AssociationKeyStore;
use crate::login::history::{NameLimit, RiskHistory};
use crate::login::proof_verifier::ProofVerifier;
use crate::login::push::{PokeOutcome, Push};
use crate::login::sighting::GeoIp;
use crate::login::store::LoginStore;
use crate::primitives::entropy::Entropy;
use crate::primitives::time::{Clock, Timestamp};

/// The ports of these use cases.
#[derive(Clone, Copy)]
pub struct Ports<'a> {
    /// Store of logins.
    pub logins: &'a dyn LoginStore,
    /// Store of apps.
    pub apps: &'a dyn AppStore,
    /// Store of association keys.
    pub keys: &'a dyn AssociationKeyStore,
    /// Checks proofs.
    pub proofs: &'a dyn ProofVerifier,
    /// History for judging risk.
    pub history: &'a dyn RiskHistory,
    /// Limit on new names that are remembered.
    pub names: &'a dyn NameLimit,
    /// Queue that wakes the dispatcher.
    pub queue: &'a dyn DeliveryQueue,
    /// Notifies browsers and phones of changes.
    pub push: &'a dyn Push,
    /// Locates IP addresses.
    pub geo: &'a dyn GeoIp,
    /// Wall clock, which decides about expiry.
    pub clock: &'a dyn Clock,
    /// Source of random values.
    pub entropy: &'a dyn Entropy,
    /// Counters of events.
    pub metrics: &'a dyn Metrics,
}

impl Ports<'_> {
    fn count(&self, event: LoginEvent) {
        self.metrics.count(&Event::Login(event));
    }

    /// Queues the webhook about a decision, if there is one.
    async fn notify(&self, login: &Login) {
        if let Some(pointer) = login.pointer() {
            wake_dispatcher(self.queue, self.metrics, pointer, Duration::ZERO).await;
        }
    }

    /// Notifies the connections that watch a login of a change. Devices also ask on their own, so
    /// failures are only counted.
    async fn tell(&self, login: &Login, now: Timestamp) {
        for watcher in &login.watchers {
            match self.push.poke(watcher).await {
                Ok(PokeOutcome::Sent) => {}
                Ok(PokeOutcome::Gone) => {
                    let logins = self.logins;
                    let detached = logins.detach_watcher(login.id, watcher, now).await;
                    if detached.is_err() {
                        self.count(LoginEvent::PushFailed);
                    }
                }
                Err(_) => self.count(LoginEvent::PushFailed),
            }
        }
    }
}
