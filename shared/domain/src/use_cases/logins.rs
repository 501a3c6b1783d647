//! Logins by QR code or app link.

mod browser;
mod create;
mod decide;
mod initiate;
mod visitor;

pub use browser::{
    CancelError, RedeemError, SessionStatus, WatchError, cancel, redeem, status, watch,
};
pub use create::{Approved, CreateError, CreateRequest, Created, approve, create};
pub use decide::{ConfirmError, DenyError, confirm, deny};
pub use initiate::{InitiateError, InitiateRequest, initiate};
pub use visitor::Visitor;

use std::time::Duration;

use super::wake_dispatcher;
use crate::delivery::queue::DeliveryQueue;
use crate::delivery::transitions::Owes as _;
use crate::event::{Event, LoginEvent, Metrics};
use crate::login::Login;
use crate::login::history::{NameLimit, RiskHistory};
use crate::login::push::{PokeOutcome, Push};
use crate::login::sighting::GeoIp;
use crate::login::store::LoginStore;
use crate::primitives::entropy::Entropy;
use crate::primitives::time::{Clock, Timestamp};

/// What logins need.
#[derive(Clone, Copy)]
pub struct Ports<'a> {
    /// Where sessions are kept.
    pub sessions: &'a dyn LoginStore,
    /// What happened lately.
    pub history: &'a dyn RiskHistory,
    /// What bounds how many new names are remembered.
    pub names: &'a dyn NameLimit,
    /// What wakes the dispatcher.
    pub queue: &'a dyn DeliveryQueue,
    /// What pokes browsers.
    pub push: &'a dyn Push,
    /// What locates addresses.
    pub geo: &'a dyn GeoIp,
    /// Time.
    pub clock: &'a dyn Clock,
    /// Chance.
    pub entropy: &'a dyn Entropy,
    /// What is counted.
    pub metrics: &'a dyn Metrics,
}

impl Ports<'_> {
    fn count(&self, event: LoginEvent) {
        self.metrics.count(&Event::Login(event));
    }

    /// Has the webhook sent that a decision caused, if it caused one.
    async fn notify(&self, session: &Login) {
        if let Some(pointer) = session.pointer() {
            wake_dispatcher(self.queue, self.metrics, pointer, Duration::ZERO).await;
        }
    }

    /// Tells everyone who watches a session that it changed. Whoever cannot be told asks by
    /// themselves a little later, so that a failure is counted and nothing else.
    async fn tell(&self, session: &Login, now: Timestamp) {
        for watcher in &session.watchers {
            match self.push.poke(watcher).await {
                Ok(PokeOutcome::Sent) => {}
                Ok(PokeOutcome::Gone) => {
                    let sessions = self.sessions;
                    let detached = sessions.detach_watcher(session.id, watcher, now).await;
                    if detached.is_err() {
                        self.count(LoginEvent::PushFailed);
                    }
                }
                Err(_) => self.count(LoginEvent::PushFailed),
            }
        }
    }
}
